// The foreign functions that a kernel calls.
#pragma once

#include "kernels/kernel.hpp"

#include <vector>

namespace hasten::kernels {

using ForeignFunctions = std::vector<const detail::ForeignFunction*>;

/// Each function once, in the order of first calls.
ForeignFunctions foreign_functions(const Kernel& kernel);

}  // namespace hasten::kernels
