// Libraries that are opened at run time.
#pragma once

#include <string>

namespace hasten::support {

/// What dlerror() says of the last failure on this thread; never empty.
std::string loader_error();

}  // namespace hasten::support
