// The nearest neighbour of every point of the plane. The points are sorted by x; each one searches
// in both directions until the distance in x alone exceeds the best distance so far.
#pragma once

#include <hasten/hasten.hpp>
#include <limits>
#include <tuple>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

struct Point {
  float x, y;
};
HASTEN_STRUCT(Point, x, y);

// The points in order of x, and for each the squared distance to its nearest neighbour and that
// neighbour's index (-1 if there is none).
inline std::tuple<Acc<Vector<Point>>, Acc<Vector<float>>, Acc<Vector<int64_t>>> nearest_neighbours(
    Acc<Vector<Point>> points) {
  auto sorted = hs::compute(hs::sort_by([](Exp<Point> p) { return p.x; }, points));
  auto square = [](auto x) { return x * x; };
  auto n = hs::size(sorted);
  auto nearest = hs::imap(
      [=](Exp<int64_t> i, Exp<Point> p) {
        auto look = [=](int64_t way, auto start) {
          auto near = [=](auto k, auto best, auto) {
            auto j = i + way * k;
            return j >= 0 && j < n && square(sorted[j].x - p.x) < best;
          };
          auto next = [=](auto k, auto best, auto where) {
            auto j = i + way * k;
            auto distance = square(sorted[j].x - p.x) + square(sorted[j].y - p.y);
            auto better = distance < best;
            return std::tuple{k + 1, hs::select(better, distance, best),
                              hs::select(better, j, where)};
          };
          return hs::while_loop(near, next, start);
        };
        const float far = std::numeric_limits<float>::infinity();
        auto [steps, best, where] = look(-1, std::tuple{int64_t{1}, far, int64_t{-1}});
        auto [more, least, place] = look(1, std::tuple{int64_t{1}, best, where});
        return std::pair{least, place};
      },
      sorted);
  auto [distances, places] = hs::unzip(nearest);
  return {sorted, distances, places};
}

}  // namespace programs
