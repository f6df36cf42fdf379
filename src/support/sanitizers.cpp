// Queries the compiler's macros and the dynamic linker.
#include "support/sanitizers.hpp"

#include "support/env.hpp"

#include <dlfcn.h>

namespace hasten::support {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool compiled_with_it = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool compiled_with_it = true;
#else
constexpr bool compiled_with_it = false;
#endif
#else
constexpr bool compiled_with_it = false;
#endif

bool is_asked_for() {
  const char* const name = "HASTEN_WATCH_KERNELS";
  if (env_number(name).value_or(0) <= 0) return false;
  if (dlsym(RTLD_DEFAULT, "__asan_init")) return true;
  warn_of_env(name, "AddressSanitizer is not in the process: preload its library");
  return false;
}

}  // namespace

bool watches_addresses() {
  static const bool result = compiled_with_it || is_asked_for();
  return result;
}

}  // namespace hasten::support
