// How the elements of a row are shared among the tasks of a sort.
#pragma once

#include "backends/cpu/launch/team.hpp"

#include <cstdint>

namespace hasten::backends::cpu {

constexpr std::int64_t chunk_least = std::int64_t{1} << 15;  // the fewest elements worth a task

/// The elements of a row, in as many chunks as it has tasks.
struct Chunks {
  std::int64_t size, count;
  const Team& team;

  /// body(chunk, begin, end), in parallel
  template <class Body>
  void for_each(Body body) const {
    const auto run = [&](std::int64_t c) { body(c, size * c / count, size * (c + 1) / count); };
    if (count == 1) return run(0);
    team.for_each(count, run);
  }
};

}  // namespace hasten::backends::cpu
