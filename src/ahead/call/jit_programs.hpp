// Programs that are compiled in the process that calls them.
#pragma once

#include <hasten/run/library.hpp>

namespace hasten::ahead {

/// Whether this thread is waiting for the library's definition; then the definition is taken, and
/// nothing is exported.
bool take_definition(const Library& library);

}  // namespace hasten::ahead
