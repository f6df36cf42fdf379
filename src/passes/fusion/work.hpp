// The cost of an element, in operations of the table and reads.
#pragma once

#include "core/program.hpp"

#include <cstdint>

namespace hasten::passes::fusion {

struct Work {
  int operations = 0, loads = 0;
  int expensive = 0;   // of the operations, those that the table marks so
  int size = 0;        // statements
  bool loops = false;  // or calls foreign code: more than can be counted

  /// Saturates.
  void add(const Work& other);
};

/// The work of the code alone, without that of the arrays it reads.
[[nodiscard]] Work work_of(const core::Region& fn);

/// How often a use site needs an element.
enum class Times : std::uint8_t { once, twice, often, in_contraction };

/// Whether computing an element that often costs less than storing it and loading it back. In a
/// contraction it is computed once for each index of another axis, and must cost less than a load.
[[nodiscard]] bool is_cheap(const Work& work, Times times = Times::often);

/// Whether the operation only changes indices: its elements are its source's.
[[nodiscard]] bool moves_elements(const core::ArrayOp& op);

/// Whether the function returns each parameter once, possibly shifted or reflected: then no element
/// of the source is read for two indices.
[[nodiscard]] bool is_injective(const core::Region& fn);

}  // namespace hasten::passes::fusion
