// Messages contain the request, the memory available, and a remedy.
#include "runtime/memory/no_memory.hpp"

#include "runtime/report/text.hpp"

#include <limits>
#include <utility>

namespace hasten::runtime {
namespace {

constexpr std::int64_t uncounted = std::numeric_limits<std::int64_t>::max();
thread_local std::int64_t refused = 0;

std::string text(std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

constexpr const char* on_a_device =
    "; use smaller extents, release arrays that are pinned, or work in parts";

}  // namespace

std::int64_t take_bytes_refused() { return std::exchange(refused, 0); }

MemoryError no_scratch(const Needs& needs, std::size_t bytes, const std::string& report) {
  refused = static_cast<std::int64_t>(bytes);
  return MemoryError(needs.operation + ": what it works in while it runs needs " +
                         bytes_text(static_cast<double>(bytes)) + " of device memory; " + report +
                         on_a_device,
                     needs.where);
}

MemoryError no_room(const Needs& needs, const std::string& what,
                    std::span<const std::int64_t> shape, std::int64_t bytes,
                    const std::string& report) {
  refused = bytes;
  return MemoryError(needs.operation + ": " + what + " of shape " + shape_text(shape) + ", needs " +
                         text(bytes) + " of device memory; " + report + on_a_device,
                     needs.where);
}

MemoryError no_memory(const Needs& needs, std::span<const std::int64_t> shape,
                      std::optional<std::int64_t> bytes, std::int64_t live) {
  refused = bytes.value_or(uncounted);
  return MemoryError(
      needs.operation + ": its result, an array of shape " + shape_text(shape) + ", needs " +
          (bytes ? text(*bytes) : "8.0 EiB or more") + ", beside " + text(live) +
          " this program holds; there is not that much memory: use smaller extents, or work in "
          "parts",
      needs.where);
}

MemoryError no_memory_to_sort(const Needs& needs, std::span<const std::int64_t> shape,
                              std::int64_t bytes, std::int64_t live) {
  refused = bytes;
  return MemoryError(needs.operation + ": what it works in while it sorts an array of shape " +
                         shape_text(shape) + ", of " + text(bytes) + ", is too large beside " +
                         text(live) +
                         " this program holds; there is not that much memory: use smaller extents, "
                         "or work in parts",
                     needs.where);
}

MemoryError uncountable(const Needs& needs, const std::string& message) {
  refused = uncounted;
  return MemoryError(needs.operation + ": " + message, needs.where);
}

MemoryError uncountable(const Needs& needs, std::span<const std::int64_t> shape) {
  std::string extents;
  for (const std::int64_t extent : shape)
    extents += (extents.empty() ? "" : ", ") +
               (extent < 0 ? std::string("2^63 or more") : std::to_string(extent));
  return uncountable(needs, "an array of shape (" + extents +
                                ") has more elements than can be counted; use smaller extents");
}

MemoryError over_limit(const Needs& needs, std::span<const std::int64_t> shape, std::int64_t bytes,
                       std::int64_t live, std::int64_t limit) {
  refused = bytes;
  return MemoryError(needs.operation + ": its result, an array of shape " + shape_text(shape) +
                         ", needs " + text(bytes) + ", beside " + text(live) +
                         " this program holds; Options::memory_limit is " + text(limit) +
                         ": raise it, or work in parts",
                     needs.where);
}

}  // namespace hasten::runtime
