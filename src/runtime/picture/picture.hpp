// The plan of a program as SVG.
#pragma once

#include "runtime/executable.hpp"

#include <hasten/run/report.hpp>

namespace hasten::runtime {

/// Linear in the size of the plan, except for the arrows.
[[nodiscard]] Picture picture(const detail::Executable& executable);

}  // namespace hasten::runtime
