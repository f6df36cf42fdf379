// before: parts of a program operation by operation: all of one, then all of the next
// after:  part by part, as far as they do not need each other
// why:    with one part after the other on a device, what a part needs is free before the next
// begins
#pragma once

#include "core/program.hpp"

#include <cstddef>
#include <vector>

namespace hasten::passes::fission {

/// `order`: the order in which parts are issued. Bindings that need no part come first.
void go_depth_first(core::Program& program, const std::vector<std::size_t>& order);

}  // namespace hasten::passes::fission
