// Maps that read along an outer axis: transposes, and whatever else has neighbours of a row in
// different rows of an argument.
#pragma once

#include "backends/cpu/emit/code.hpp"
#include "kernels/schedule.hpp"

#include <cstddef>
#include <optional>

namespace hasten::backends::cpu {

/// The outer axis along which such reads go, those of most arrays; nothing if there are none.
[[nodiscard]] std::optional<std::size_t> turned_axis(const kernels::Kernel& map);
/// Places of the parameters if lanes go along the inner axis, and each through steps of this one.
[[nodiscard]] std::vector<Place> places_of_turned(const kernels::Kernel& map, std::size_t axis);

/// A function of type RunFunction whose rows are numbered with the turned axis as the innermost of
/// the outer ones.
void emit_turned_map(const KernelModule& module, llvm::Function* function,
                     const kernels::Schedule& schedule);

}  // namespace hasten::backends::cpu
