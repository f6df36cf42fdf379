// Memory of the arrays that one run makes, and its account.
#pragma once

#include <hasten/detail/host_array.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace hasten::runtime {

class DeviceMemory;
class Recording;

/// The memory taken by the arrays of one run; outlives the run with its results.
struct Account {
  std::atomic<std::int64_t> live{0};
  std::atomic<std::int64_t> home_nanoseconds{0};  // of copies from devices
  std::shared_ptr<Recording> recording;           // receives these copies
  std::vector<const DeviceMemory*> memories;      // by device, in the order of the recording
  std::atomic<bool> is_over{false};               // the run has ended
  std::int64_t allocated = 0, peak = 0;           // the run's own thread only
};

/// The size limit of an array: adding padding or rounding to it does not overflow.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 62;

/// Bytes of all components; nothing when they overflow.
[[nodiscard]] std::optional<std::int64_t> bytes_of(std::span<const std::int64_t> shape,
                                                   std::span<const detail::ScalarType> leaves);

/// Like HostArray::allocate, on account. Null when there is no memory.
[[nodiscard]] std::shared_ptr<detail::HostArray> allocate_array(
    std::vector<std::int64_t> shape, const std::vector<detail::ScalarType>& leaves,
    const std::shared_ptr<Account>& account);

/// The first `size` elements of a vector, in memory at most four times as large as necessary.
[[nodiscard]] std::shared_ptr<const detail::HostArray> shrunk(
    const std::shared_ptr<detail::HostArray>& vector, std::int64_t size,
    const std::shared_ptr<Account>& account);

}  // namespace hasten::runtime
