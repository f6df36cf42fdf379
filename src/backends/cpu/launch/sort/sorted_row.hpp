// The destinations of one row's sort, and the memory that the sort needs meanwhile.
#pragma once

#include "backends/cpu/launch/scratch.hpp"
#include "backends/sorted_keys.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace hasten::backends::cpu {

constexpr std::int64_t ahead = 24;  // prefetch distance, in places

struct Sorted {
  std::int64_t* positions;  // may be null
  std::byte* heads;         // may be null
  bool at_heads = false;
  std::span<const CarriedComponent> carried = {};
  std::int64_t first;  // the number of positions needed
};

/// Calls f with the elements of a component as words of its size.
template <class F>
void with_words(const CarriedComponent& component, F f) {
  const auto as = [&]<class T>(T*) {
    f(reinterpret_cast<const T*>(component.from), reinterpret_cast<T*>(component.to));
  };
  struct Pair {
    std::uint64_t words[2];
  };
  switch (component.bytes) {
    case 1: return as(static_cast<std::uint8_t*>(nullptr));
    case 2: return as(static_cast<std::uint16_t*>(nullptr));
    case 4: return as(static_cast<std::uint32_t*>(nullptr));
    case 8: return as(static_cast<std::uint64_t*>(nullptr));
    default: return as(static_cast<Pair*>(nullptr));
  }
}

}  // namespace hasten::backends::cpu
