// Which devices have a buffer's bytes, beside host memory or instead of it.
#pragma once

#include "backends/backend.hpp"
#include "runtime/memory.hpp"

#include <hasten/detail/host_array.hpp>

#include <memory>

namespace hasten::runtime {

/// The buffer's bytes on a device whose memory is its own: the copy that is there, or a new one. It
/// lives as long as the buffer. Null when there is no memory left.
[[nodiscard]] std::byte* on_device(const detail::Buffer& buffer,
                                   const std::shared_ptr<backends::Backend>& backend);

/// An array whose components are memory of the device only, on account. Null when there is none.
[[nodiscard]] std::shared_ptr<detail::HostArray> allocate_on_device(
    std::vector<std::int64_t> shape, const std::vector<detail::ScalarType>& leaves,
    const std::shared_ptr<Account>& account, const std::shared_ptr<backends::Backend>& backend);

}  // namespace hasten::runtime
