// Which inputs a kernel reads where it writes, element for element.
#pragma once

#include "kernels/kernel.hpp"

#include <vector>

namespace hasten::kernels {

/// By input: each of its elements is read for the one that is written at the same place of the
/// outputs over the whole space, and for no other, where it has as many elements as these, and of
/// a space of several axes the same extents. In that memory outputs of as many bytes may be.
[[nodiscard]] std::vector<bool> own_reads(const Kernel& kernel);

}  // namespace hasten::kernels
