// What an element costs, counted in operations of the table and reads.
#pragma once

#include "core/program.hpp"

#include <cstdint>

namespace hasten::passes::fusion {

struct Work {
  int operations = 0, loads = 0;
  int expensive = 0;   // of the operations, those that the table calls so
  int size = 0;        // statements
  bool loops = false;  // or calls foreign code: more than can be counted

  /// Saturates.
  void add(const Work& other);
};

/// Of the code alone, without what the arrays it reads would add.
[[nodiscard]] Work work_of(const core::Region& fn);

/// How often a use site needs an element.
enum class Times : std::uint8_t { once, twice, often, in_contraction };

/// Whether computing an element as often as that costs less than storing it and reading it back. In
/// a contraction it is computed once for each index of another axis, which must be less than a
/// read.
[[nodiscard]] bool is_cheap(const Work& work, Times times = Times::often);

/// Whether indices are all that the operation is about: its elements are its source's.
[[nodiscard]] bool moves_elements(const core::ArrayOp& op);

/// Whether the function gives each parameter, shifted or reflected, once: no element of a source
/// read there is read for two indices.
[[nodiscard]] bool is_injective(const core::Region& fn);

}  // namespace hasten::passes::fusion
