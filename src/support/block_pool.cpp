// A short list of free blocks, newest first. Sizes are rounded, so that arrays of similar size
// serve each other.
#include "support/block_pool.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace hasten::support {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t large = std::size_t{1} << 20;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t most_blocks = 64;
constexpr std::size_t most_bytes_asked = std::numeric_limits<std::size_t>::max() / 2;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps_blocks = false;  // uses after free would not be seen
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool keeps_blocks = false;
#else
constexpr bool keeps_blocks = true;
#endif
#else
constexpr bool keeps_blocks = true;
#endif

// Whole huge pages, and at most an eighth more than asked for.
std::size_t rounded(std::size_t bytes) {
  std::size_t step = huge_page;
  while (step * 8 < bytes) step *= 2;
  return (bytes + step - 1) / step * step;
}

std::size_t most_bytes() {
  const auto pages = static_cast<std::size_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  const auto page = static_cast<std::size_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  return std::min(std::size_t{1} << 30, pages * page / 8);
}

class Pool {
 public:
  std::byte* take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = free_.size(); i-- > 0;) {
      if (free_[i].size != size) continue;
      std::byte* const data = free_[i].data;
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
      bytes_ -= size;
      return data;
    }
    return nullptr;
  }

  void give(std::byte* data, std::size_t size) {
    std::vector<Free> dropped;
    {
      const std::lock_guard lock(mutex_);
      free_.push_back({data, size});
      bytes_ += size;
      while (bytes_ > limit_ || free_.size() > most_blocks) {
        dropped.push_back(free_.front());  // the oldest
        bytes_ -= free_.front().size;
        free_.erase(free_.begin());
      }
    }
    for (const Free& block : dropped) std::free(block.data);
  }

  void clear() {
    std::vector<Free> dropped;
    {
      const std::lock_guard lock(mutex_);
      dropped.swap(free_);
      bytes_ = 0;
    }
    for (const Free& block : dropped) std::free(block.data);
  }

  std::size_t bytes() {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct Free {
    std::byte* data;
    std::size_t size;
  };
  std::mutex mutex_;
  std::vector<Free> free_;  // oldest first
  std::size_t bytes_ = 0;
  const std::size_t limit_ = most_bytes();
};

// Never destroyed: arrays in static storage may be freed late.
Pool& pool() {
  static Pool& instance = *new Pool;
  return instance;
}

// A number after `key` in a file of the kernel, in units of `unit`; `otherwise` if there is none.
std::size_t kernel_number(const char* path, const std::string& key, std::size_t unit,
                          std::size_t otherwise) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::size_t number = 0;
    if (line.starts_with(key) && std::istringstream(line.substr(key.size())) >> number)
      return number * unit;
  }
  return otherwise;
}

// Linux promises more memory than there is, and ends the process that takes it at its word.
bool is_there(std::size_t size) {
  if (size < (std::size_t{256} << 20)) return true;
  const auto unknown = std::numeric_limits<std::size_t>::max();
  return size <= kernel_number("/proc/meminfo", "MemAvailable:", 1024, unknown) &&
         size <= kernel_number("/sys/fs/cgroup/memory.max", "", 1, unknown);
}

std::byte* take_large(std::size_t size) {
  void* data = is_there(size) ? std::aligned_alloc(huge_page, size) : nullptr;
  if (!data) {
    pool().clear();
    data = is_there(size) ? std::aligned_alloc(huge_page, size) : nullptr;
  }
  if (data) madvise(data, size, MADV_HUGEPAGE);  // as good as it goes
  return static_cast<std::byte*>(data);
}

}  // namespace

std::byte* take_block(std::size_t bytes) {
  if (bytes > most_bytes_asked) return nullptr;
  if (bytes < large || !keeps_blocks) {
    const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
    return static_cast<std::byte*>(std::aligned_alloc(alignment, size));
  }
  const std::size_t size = rounded(bytes);
  std::byte* const kept = pool().take(size);
  return kept ? kept : take_large(size);
}

void give_block(std::byte* data, std::size_t bytes) noexcept {
  if (bytes < large || !keeps_blocks) return std::free(data);
  try {
    pool().give(data, rounded(bytes));
  } catch (...) {  // no memory for the list
    std::free(data);
  }
}

std::size_t pooled_bytes() { return pool().bytes(); }
void release_pooled_blocks() noexcept {
  try {
    pool().clear();
  } catch (...) {  // a mutex that cannot be locked: nothing to do about it
  }
}

}  // namespace hasten::support
