// The exports of a kernel's object file, by address.
#pragma once

#include "backends/cpu/contraction.hpp"
#include "backends/cpu/forms.hpp"
#include "backends/cpu/frame.hpp"

#include <array>

namespace hasten::backends::cpu {

/// The holder of these keeps the code loaded.
struct KernelFunctions {
  std::array<RunFunction, form_count> run = {};  // by Form; null: not here
  // Only if the kernel has them: see exports_finish, kernels::Schedule::packed.
  FinishFunction finish = nullptr;
  ContractionFunction pack_down = nullptr, pack_across = nullptr, multiply = nullptr;
};

}  // namespace hasten::backends::cpu
