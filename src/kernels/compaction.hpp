// A compaction's element in two halves, for targets that decide about all elements before they
// write any.
#pragma once

#include "kernels/kernel.hpp"

namespace hasten::kernels {

/// Kernel::element with nothing but what tells whether it is kept, resp. with its leaves alone.
[[nodiscard]] Region mask_region(const Kernel& kernel);
[[nodiscard]] Region leaves_region(const Kernel& kernel);

/// Whether the halves have code in common that costs more than to write an element and to read it.
[[nodiscard]] bool halves_share_work(const Kernel& kernel);

}  // namespace hasten::kernels
