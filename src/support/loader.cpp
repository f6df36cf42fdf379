// The loader clears its message when it is queried.
#include "support/loader.hpp"

#include <dlfcn.h>

namespace hasten::support {

std::string loader_error() {
  const char* const error = dlerror();
  return error ? error : "the loader says nothing";
}

}  // namespace hasten::support
