// Memory of arrays. Large blocks are kept when they are returned, because the page faults of a new
// block cost as much as the kernel that fills it; they are in huge pages where the system has them.
#pragma once

#include <cstddef>

namespace hasten::support {

/// 64-byte aligned, uninitialised; null when there is no memory.
[[nodiscard]] std::byte* take_block(std::size_t bytes);
/// `bytes` as passed to take_block.
void give_block(std::byte* data, std::size_t bytes) noexcept;

/// Bytes kept for reuse, and their return to the system.
[[nodiscard]] std::size_t pooled_bytes();
void release_pooled_blocks() noexcept;

}  // namespace hasten::support
