// Counters of the whole process, for hasten::statistics().
#pragma once

#include <atomic>
#include <cstdint>

namespace hasten::support {

struct Counters {
  std::atomic<std::int64_t> traces{0}, kernels_compiled{0}, kernels_from_cache{0}, launches{0},
      bytes_to_devices{0}, bytes_from_devices{0}, bytes_allocated{0}, bytes_live{0}, bytes_peak{0},
      evictions{0}, blocks_reused{0};

  /// Array memory allocated and freed.
  void allocated(std::int64_t bytes) {
    bytes_allocated.fetch_add(bytes, std::memory_order_relaxed);
    const std::int64_t live = bytes_live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::int64_t peak = bytes_peak.load(std::memory_order_relaxed);
    while (live > peak && !bytes_peak.compare_exchange_weak(peak, live)) {}
  }
  void freed(std::int64_t bytes) { bytes_live.fetch_sub(bytes, std::memory_order_relaxed); }
};

/// Never destroyed: arrays in static storage may be freed late.
Counters& counters();

}  // namespace hasten::support
