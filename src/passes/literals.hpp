// Makes literals constants or parameters; the first step after sharing recovery.
//
// before: `x1 = const slot 3` wherever a number was written or captured
// after:  no slots: a literal chosen as parameter is an extra scalar input, others are baked in;
//         parameters that are the same number in every call are one input
#pragma once

#include "core/program.hpp"

#include <cstdint>
#include <vector>

namespace hasten::passes {

/// Which literals are parameters, by slot of Program::literals.
struct Parameters {
  std::vector<bool> chosen;
  /// An earlier slot that has the same number in every call, or the slot itself: a number that C++
  /// captured and a program uses twice has two slots.
  std::vector<std::uint32_t> same_as;

  /// All slots different.
  explicit Parameters(std::vector<bool> slots = {});
};

/// The extra scalar inputs come after the program's own, one for each chosen slot, in their order;
/// what is the same as an earlier one is unused.
core::Program bind_literals(core::Program program, const Parameters& parameters);

/// Slots of the numbers by which functions of array operations divide integers, in ascending order.
/// What a constant divides is known where a vector's lanes lie; with a parameter each lane divides.
/// O(statements).
[[nodiscard]] std::vector<std::uint32_t> divisor_slots(const core::Program& program);

}  // namespace hasten::passes
