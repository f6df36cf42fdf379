// Maps whose elements may be computed apart from each other, each from the same place of the
// inputs.
#pragma once

#include "kernels/kernel.hpp"

namespace hasten::kernels {

/// A map that reads only at the index itself and uses the index for nothing else. Of a rank above 1
/// that holds when it runs as one row (Kernel::collapsible).
[[nodiscard]] bool is_elementwise(const Kernel& kernel);

}  // namespace hasten::kernels
