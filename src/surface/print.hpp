// The surface graph as text, for HASTEN_DUMP=surface.
#pragma once

#include <hasten/detail/runtime.hpp>

#include <string>

namespace hasten::detail {

/// One line per term.
[[nodiscard]] std::string print_surface(const Traced& traced);

}  // namespace hasten::detail
