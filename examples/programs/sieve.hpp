// Prime numbers by striking out multiples: the arrays shrink and grow from round to round.
#pragma once

#include <hasten/hasten.hpp>
#include <tuple>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

// The primes below n, in ascending order.
inline Acc<Vector<int64_t>> primes_below(Exp<int64_t> n) {
  using Numbers = Acc<Vector<int64_t>>;
  auto candidates = hs::enum_from_n(n - 2, Exp<int64_t>(2));  // nothing is struck out yet
  auto none = hs::take(0, candidates);
  auto has_multiples = [=](Numbers left, Numbers) {
    return hs::select(hs::size(left) == 0, false, left[0] * left[0] < n);
  };
  auto strike = [](Numbers left, Numbers found) {
    auto prime = left[0];
    return std::tuple{hs::filter([=](auto x) { return x % prime != 0; }, left),
                      hs::concat(found, hs::take(1, left))};
  };
  auto [left, found] = hs::awhile(has_multiples, strike, std::tuple{candidates, none});
  return hs::concat(found, left);
}

}  // namespace programs
