// Which inputs a kernel reads exactly where it writes, element by element.
#pragma once

#include "kernels/kernel.hpp"

#include <vector>

namespace hasten::kernels {

/// By input: whether each of its elements is read only for the element that is written at the same
/// position of the outputs over the whole space. Holds if the input has as many elements as these
/// outputs, and in a space of several axes the same extents. Outputs of as many bytes may then use
/// the input's memory.
[[nodiscard]] std::vector<bool> own_reads(const Kernel& kernel);

}  // namespace hasten::kernels
