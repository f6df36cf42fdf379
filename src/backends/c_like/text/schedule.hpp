// Decisions about a kernel before its text is generated: see kernels/schedule.hpp.
#pragma once

#include "kernels/kernel.hpp"
#include "kernels/schedule.hpp"

#include <string>

namespace hasten::backends::c_like {

[[nodiscard]] kernels::Schedule choose_schedule(const kernels::Kernel& kernel);

/// "groups of 64 x 128 results, 8 steps at a time in local memory"
[[nodiscard]] std::string describe(const kernels::Schedule& schedule,
                                   const kernels::Kernel& kernel);

}  // namespace hasten::backends::c_like
