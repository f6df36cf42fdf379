// Libraries that are opened at run time.
#pragma once

#include <string>

namespace hasten::support {

/// The message of dlerror() for the last failure on this thread; never empty.
std::string loader_error();

}  // namespace hasten::support
