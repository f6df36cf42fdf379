// Radix sort written in the language: one stable split per bit. (Blelloch, 1990, section 1.3.)
#pragma once

#include <functional>
#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

// Moves numbers whose bit is 0 before those whose bit is 1 and keeps the order otherwise.
inline Acc<Vector<uint32_t>> split(Exp<int32_t> bit, Acc<Vector<uint32_t>> keys) {
  auto is_one = hs::map([=](auto key) { return hs::test_bit(key, bit); }, keys);
  auto [zeros_before, zeros] = hs::scanl_split(
      std::plus<>{}, int64_t{0},
      hs::map([](auto one) { return hs::select(one, Exp<int64_t>(0), Exp<int64_t>(1)); }, is_one));
  auto all_zeros = hs::the(zeros);
  return hs::permute_unique(
      keys,
      [=](auto i) {
        return hs::select(is_one[i], all_zeros + i - zeros_before[i], zeros_before[i]);
      },
      keys);
}

inline Acc<Vector<uint32_t>> radix_sort(Acc<Vector<uint32_t>> keys) {
  for (int32_t bit = 0; bit < 32; ++bit) keys = split(Exp<int32_t>(bit), keys);
  return keys;
}

}  // namespace programs
