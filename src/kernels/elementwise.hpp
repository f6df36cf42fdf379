// Maps whose elements may be computed apart from each other, each from the same place of the
// inputs.
#pragma once

#include "kernels/kernel.hpp"

#include <optional>
#include <vector>

namespace hasten::kernels {

/// Of a map that uses the index for nothing but reads at the index itself: for each input, whether
/// all its reads are of that kind; else none is. Nothing for other kernels. Of a rank above 1 that
/// holds when it runs as one row (Kernel::collapsible).
[[nodiscard]] std::optional<std::vector<bool>> reads_in_place(const Kernel& kernel);

}  // namespace hasten::kernels
