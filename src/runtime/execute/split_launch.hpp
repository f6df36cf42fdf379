// Maps whose arrays are too large for a device together: part by part, through host memory.
#pragma once

#include "backends/backend.hpp"
#include "runtime/memory/residency.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace hasten::runtime {

/// A launch over one row that writes at the index itself, and reads there, or anywhere in inputs
/// that stay.
struct ElementwiseLaunch {
  struct Component {
    std::byte* home;        // in host memory; null if it stays
    std::size_t bytes = 0;  // an element
    bool stands_twice = false;
    const detail::Buffer* stays = nullptr;  // as a whole on the device
  };
  const backends::Code& code;
  std::size_t rank;
  std::int64_t size;
  /// By the space of a part, good until it is called again.
  std::function<std::span<const std::uint64_t>(std::span<const std::int64_t>)> scalars;
  const support::StopWord* stop = nullptr;
  std::vector<Component> inputs = {}, outputs = {};

  /// What is read in place is brought into host memory.
  void add_input(const detail::HostArray& array, std::size_t leaf, bool is_in_place);
  void add_outputs(const detail::HostArray& array);
};

/// Parts begin at multiples of this, so that every element is computed as in a whole launch.
inline constexpr std::int64_t part_unit = 4096;

struct LaunchedParts {
  std::int64_t count = 0, bytes_to = 0, bytes_from = 0;  // of the device
};

/// Launches it in as few parts as there is room for and reads their results home, one after the
/// other. Throws MemoryError when there is no room for the smallest part.
LaunchedParts launch_in_parts(const DeviceMemoryRef& memory, std::size_t limit,
                              const ElementwiseLaunch& launch);

}  // namespace hasten::runtime
