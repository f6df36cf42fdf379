// The shortest paths between all pairs of nodes of a graph. (Floyd, 1962; Warshall, 1962.)
#pragma once

#include <hasten/hasten.hpp>
#include <tuple>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar;

// Converts lengths of edges (infinity for no edge) to lengths of shortest paths.
inline Acc<Matrix<float>> shortest_paths(Acc<Matrix<float>> edges) {
  auto n = hs::shape(edges)[0];
  auto through = [](Acc<Matrix<float>> paths, Acc<Scalar<int64_t>> via) {
    auto k = hs::the(via);
    auto next = hs::imap(
        [=](auto ix, auto direct) {
          return hs::min(direct, paths[hs::ix(ix[0], k)] + paths[hs::ix(k, ix[1])]);
        },
        paths);
    return std::tuple{next, hs::unit(k + 1)};
  };
  auto [paths, via] =
      hs::awhile([=](Acc<Matrix<float>>, Acc<Scalar<int64_t>> k) { return hs::the(k) < n; },
                 through, std::tuple{edges, hs::unit(Exp<int64_t>(0))});
  return paths;
}

}  // namespace programs
