// Asks for a few pages at a time, so that it can stop in between.
#include "runtime/streaming/pages_ahead.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

namespace hasten::runtime {
namespace {

constexpr std::int64_t bytes_at_once = std::int64_t{16} << 20, few_bytes = std::int64_t{64} << 20;

std::int64_t all_bytes(const detail::HostArray& array) {
  std::int64_t bytes = 0;
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
    bytes += static_cast<std::int64_t>(array.component(leaf)->size());
  return bytes;
}

// False: the system does not know the request, or has no pages left.
bool ask_for(const std::byte* data, std::int64_t bytes, const std::stop_token& stop) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::uintptr_t at = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const std::uintptr_t end =
      (reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(bytes)) / page * page;
  while (at < end && !stop.stop_requested()) {
    const std::uintptr_t some = std::min<std::uintptr_t>(end - at, bytes_at_once);
    if (madvise(reinterpret_cast<void*>(at), some, MADV_POPULATE_WRITE) != 0) return false;
    at += some;
  }
  return true;
#else
  static_cast<void>(data), static_cast<void>(bytes), static_cast<void>(stop);
  return false;
#endif
}

}  // namespace

PagesAhead::PagesAhead(std::shared_ptr<const detail::HostArray> array) {
  if (all_bytes(*array) < few_bytes) return;
  try {
    thread_ = std::jthread([array = std::move(array)](const std::stop_token& stop) {
      for (std::size_t leaf = 0; leaf < array->leaves().size() && !stop.stop_requested(); ++leaf)
        if (!ask_for(array->component(leaf)->data(),
                     static_cast<std::int64_t>(array->component(leaf)->size()), stop))
          return;
    });
  } catch (const std::system_error&) {  // no thread: pages come one by one
  }
}

}  // namespace hasten::runtime
