// Freed blocks of device memory, kept for the next array of similar size.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <map>

namespace hasten::runtime {

/// Device memory as the backend returned it; no address: none.
struct RawBlock {
  std::byte* address = nullptr;
  std::size_t size = 0;
  explicit operator bool() const { return address != nullptr; }
};

/// Not thread-safe. Owns nothing: whoever takes a block back frees it.
class CachingAllocator {
 public:
  /// Strong guarantee: when there is no memory for the list, the block is not added.
  void put(RawBlock block);
  /// A block of at least `size` bytes and at most an eighth more, the newest of the best size.
  [[nodiscard]] RawBlock take(std::size_t size);
  [[nodiscard]] RawBlock take_oldest();
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  using Blocks = std::list<RawBlock>;
  Blocks blocks_;                                                // oldest first
  std::map<std::size_t, std::deque<Blocks::iterator>> by_size_;  // oldest first
  std::size_t bytes_ = 0;
};

/// The size to request from a device for an array of this size: at most an eighth more, so that
/// arrays of similar size can reuse each other's blocks.
[[nodiscard]] std::size_t size_class(std::size_t bytes);

/// The same, but no more than necessary.
[[nodiscard]] std::size_t exact_size(std::size_t bytes);

/// HASTEN_DEVICE_EXACT: both return exactly the size needed, and no block is kept.
[[nodiscard]] bool is_exact();

}  // namespace hasten::runtime
