// A compaction's element in two halves, for targets that decide about all elements before they
// write any.
#pragma once

#include "kernels/kernel.hpp"

namespace hasten::kernels {

/// Kernel::element reduced to whether it is kept, or to its leaves.
[[nodiscard]] Region mask_region(const Kernel& kernel);
[[nodiscard]] Region leaves_region(const Kernel& kernel);

/// Whether the halves share code that costs more than storing an element and loading it again.
[[nodiscard]] bool halves_share_work(const Kernel& kernel);

}  // namespace hasten::kernels
