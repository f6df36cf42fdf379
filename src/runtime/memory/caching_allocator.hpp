// Freed blocks of device memory, kept for the next array of about their size.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <map>

namespace hasten::runtime {

/// Device memory as a backend gave it; no address: none.
struct RawBlock {
  std::byte* address = nullptr;
  std::size_t size = 0;
  explicit operator bool() const { return address != nullptr; }
};

/// Not thread-safe. Owns nothing: whoever takes a block back frees it.
class CachingAllocator {
 public:
  /// Strong: when there is no memory for the list, the block is not in it.
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

/// What to ask a device for when an array needs so much: at most an eighth more, so that arrays of
/// similar size serve each other.
[[nodiscard]] std::size_t size_class(std::size_t bytes);

/// The same, but no more than has to be.
[[nodiscard]] std::size_t exact_size(std::size_t bytes);

/// HASTEN_DEVICE_EXACT: both are what is needed to the byte, and no block is to be kept.
[[nodiscard]] bool is_exact();

}  // namespace hasten::runtime
