// The text form of plans, for dumps.
#pragma once

#include "kernels/plan.hpp"

#include <string>

namespace hasten::runtime {

[[nodiscard]] std::string print(const kernels::Plan& plan);

}  // namespace hasten::runtime
