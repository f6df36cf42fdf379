// explain(): what became of a program.
#pragma once

#include "runtime/executable.hpp"

#include <hasten/run/report.hpp>

namespace hasten::runtime {

[[nodiscard]] Explanation explain(const detail::Executable& executable);

}  // namespace hasten::runtime
