// The form of shapes and sizes in messages and reports.
#pragma once

#include "core/wrong_shapes.hpp"

#include <cstdint>
#include <string>

namespace hasten::runtime {

using core::shape_text;
/// "1.5 MiB".
[[nodiscard]] std::string bytes_text(double bytes);
/// "1.50": with this many digits after the point.
[[nodiscard]] std::string fixed_text(double number, int digits);
/// "1 kernel", "3 kernels".
[[nodiscard]] std::string counted(std::int64_t count, const char* noun);

}  // namespace hasten::runtime
