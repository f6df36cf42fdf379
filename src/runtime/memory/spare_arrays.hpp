// Small arrays of a run that are no longer used, kept for the next arrays of its loops.
#pragma once

#include <hasten/detail/host_array.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace hasten::runtime {

/// A loop over small arrays takes about as long to allocate a state as to compute it, and its
/// iterations make arrays of the same shapes. Only for host memory. Not thread-safe.
class SpareArrays {
 public:
  /// Leaves `array` empty. Keeps the array it held if that is small and nobody else holds it or its
  /// memory; if there are too many, the oldest is released.
  void keep(std::shared_ptr<const detail::HostArray>& array);

  /// An array with these extents and element types, whose elements are unspecified; null: there is
  /// none.
  [[nodiscard]] std::shared_ptr<detail::HostArray> take(std::span<const std::int64_t> shape,
                                                        std::span<const detail::ScalarType> leaves);

 private:
  std::vector<std::shared_ptr<detail::HostArray>> arrays_;  // the oldest first
};

}  // namespace hasten::runtime
