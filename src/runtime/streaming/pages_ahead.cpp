// Small arrays need no thread.
#include "runtime/streaming/pages_ahead.hpp"

#include "runtime/streaming/populate.hpp"

#include <cstdint>
#include <system_error>
#include <utility>

namespace hasten::runtime {
namespace {

constexpr std::int64_t few_bytes = std::int64_t{64} << 20;

std::int64_t all_bytes(const detail::HostArray& array) {
  std::int64_t bytes = 0;
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
    bytes += static_cast<std::int64_t>(array.component(leaf)->size());
  return bytes;
}

}  // namespace

PagesAhead::PagesAhead(std::shared_ptr<const detail::HostArray> array) {
  if (all_bytes(*array) < few_bytes) return;
  try {
    thread_ = std::jthread([array = std::move(array)](const std::stop_token& stop) {
      for (std::size_t leaf = 0; leaf < array->leaves().size() && !stop.stop_requested(); ++leaf)
        if (!populate(array->component(leaf)->data(),
                      static_cast<std::int64_t>(array->component(leaf)->size()), Access::write,
                      stop))
          return;
    });
  } catch (const std::system_error&) {  // no thread: pages come one by one
  }
}

}  // namespace hasten::runtime
