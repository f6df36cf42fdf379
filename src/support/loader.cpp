// The loader forgets what it said once it was asked.
#include "support/loader.hpp"

#include <dlfcn.h>

namespace hasten::support {

std::string loader_error() {
  const char* const error = dlerror();
  return error ? error : "the loader says nothing";
}

}  // namespace hasten::support
