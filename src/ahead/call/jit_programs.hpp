// Programs that are compiled in the process that calls them.
#pragma once

#include <hasten/run/library.hpp>

namespace hasten::ahead {

/// Whether somebody on this thread waits for the library's definition; then it is taken, and
/// nothing is to be exported.
bool take_definition(const Library& library);

}  // namespace hasten::ahead
