// Threads start with the first sort that has work for several.
#include "backends/host_sort.hpp"

#include "backends/cpu/launch/sort/sort.hpp"

namespace hasten::backends {

std::shared_ptr<const HostSort> make_host_sort(int threads) {
  const auto team = std::make_shared<const cpu::Team>(threads);
  return std::make_shared<const HostSort>(
      [team](std::span<const std::int64_t> extents, std::span<const detail::ScalarType> types,
             std::span<const std::byte* const> keys,
             const SortedKeys& to) { cpu::sort_positions(extents, types, keys, to, *team); });
}

}  // namespace hasten::backends
