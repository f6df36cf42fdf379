// Small arrays of a run that nobody uses any more, kept for what its loops make next.
#pragma once

#include <hasten/detail/host_array.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace hasten::runtime {

/// A loop over small arrays takes about as long to allocate a state as to compute it, and its
/// iterations make arrays that are alike. In host memory only. Not thread-safe.
class SpareArrays {
 public:
  /// Leaves `array` empty. Keeps what it held if nobody else holds it or its memory, and it is
  /// small; of many the oldest is let go.
  void keep(std::shared_ptr<const detail::HostArray>& array);

  /// One with these extents and element types, whose elements are any numbers; null: there is none.
  [[nodiscard]] std::shared_ptr<detail::HostArray> take(std::span<const std::int64_t> shape,
                                                        std::span<const detail::ScalarType> leaves);

 private:
  std::vector<std::shared_ptr<detail::HostArray>> arrays_;  // the oldest first
};

}  // namespace hasten::runtime
