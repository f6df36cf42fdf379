// explain(): how a program was compiled.
#pragma once

#include "runtime/executable.hpp"

#include <hasten/run/report.hpp>

namespace hasten::runtime {

[[nodiscard]] Explanation explain(const detail::Executable& executable);

}  // namespace hasten::runtime
