// Linux since 5.14. What fails is left to whoever needs the pages.
#include "runtime/streaming/populate.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace hasten::runtime {

bool populate(const std::byte* data, std::int64_t bytes, Access access,
              const std::stop_token& stop) {
#if defined(MADV_POPULATE_READ) && defined(MADV_POPULATE_WRITE)
  // A disk may take long for them.
  const std::uintptr_t at_once = std::uintptr_t{access == Access::read ? 4U : 16U} << 20;
  const int advice = access == Access::read ? MADV_POPULATE_READ : MADV_POPULATE_WRITE;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::uintptr_t at = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const std::uintptr_t end =
      (reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(bytes)) / page * page;
  while (at < end && !stop.stop_requested()) {
    const std::uintptr_t some = std::min(end - at, at_once);
    if (madvise(reinterpret_cast<void*>(at), some, advice) != 0) return false;
    at += some;
  }
  return true;
#else
  static_cast<void>(data), static_cast<void>(bytes), static_cast<void>(access);
  static_cast<void>(stop);
  return false;
#endif
}

}  // namespace hasten::runtime
