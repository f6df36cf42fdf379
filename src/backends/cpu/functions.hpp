// What the object file of a kernel exports, by address.
#pragma once

#include "backends/cpu/contraction.hpp"
#include "backends/cpu/forms.hpp"
#include "backends/cpu/frame.hpp"

#include <array>

namespace hasten::backends::cpu {

/// Whoever holds these keeps what they are in loaded.
struct KernelFunctions {
  std::array<RunFunction, form_count> run = {};  // by Form; null: not here
  // Only if the kernel has them: see exports_finish, kernels::Schedule::packed.
  FinishFunction finish = nullptr;
  ContractionFunction pack_down = nullptr, pack_across = nullptr, multiply = nullptr;
};

}  // namespace hasten::backends::cpu
