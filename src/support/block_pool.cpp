// Free blocks, newest first. Sizes are rounded, so that arrays of similar size reuse each other's
// blocks. The thread that returns a small block keeps it.
#include "support/block_pool.hpp"

#include "support/lines.hpp"
#include "support/sanitizers.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hasten::support {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t large = std::size_t{1} << 20;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t most_blocks = 128;  // in a list
// Large blocks begin at different offsets in their first pages: otherwise elements of one index of
// several arrays (the members of a struct, the planes of a grid) would all map to one set of each
// cache. 68 lines are four sets of a first cache of 64, and as many as necessary of a second.
constexpr std::size_t places = 16;
constexpr std::size_t place_step = 68 * alignment;
constexpr std::size_t place_bytes = places * place_step;
constexpr std::size_t most_bytes_asked = std::numeric_limits<std::size_t>::max() / 2;

// Kept blocks would hide uses after free from AddressSanitizer.
bool keeps_blocks() { return !watches_addresses(); }

// Whole huge pages, and at most an eighth more than requested.
std::size_t rounded(std::size_t bytes) {
  std::size_t step = huge_page;
  while (step * 8 < bytes) step *= 2;
  return (bytes + step - 1) / step * step;
}

std::size_t in_lines(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

std::size_t bytes_of_machine() {
  const auto pages = static_cast<std::size_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  const auto page = static_cast<std::size_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  return pages * page;
}

std::byte* page_of(std::byte* data) {
  return data - reinterpret_cast<std::uintptr_t>(data) % huge_page;
}
void free_large(std::byte* data) { std::free(page_of(data)); }

// Whether the system may take the pages of a block when memory is short. Until then they are there
// for the next array: new ones would be cleared.
bool offer(std::byte* data, std::size_t size) {
#ifdef MADV_FREE
  return madvise(page_of(data), size, MADV_FREE) == 0;
#else
  return static_cast<void>(data), static_cast<void>(size), false;
#endif
}

using Clock = std::chrono::steady_clock;
constexpr std::chrono::minutes longest(1);  // that an offered block waits

class Pool {
 public:
  std::byte* take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    for (List* const list : {&kept_, &offered_})
      for (std::size_t i = list->blocks.size(); i-- > 0;)
        if (list->blocks[i].size == size) return list->take(i).data;
    return nullptr;
  }

  void give(std::byte* data, std::size_t size) {
    std::unique_lock lock(mutex_);
    kept_.put({data, size});
    while (kept_.bytes > most_kept_ || kept_.blocks.size() > most_blocks) {
      const Free oldest = kept_.take(0);
      lock.unlock();
      put_aside(oldest);
      lock.lock();
    }
    lock.unlock();
    trim();
  }

  void clear() {
    List kept, offered;
    {
      const std::lock_guard lock(mutex_);
      kept = std::exchange(kept_, {});
      offered = std::exchange(offered_, {});
    }
    for (const List* const list : {&kept, &offered})
      for (const Free& block : list->blocks) free_large(block.data);
  }

  std::size_t bytes() {
    const std::lock_guard lock(mutex_);
    return kept_.bytes + offered_.bytes;
  }

 private:
  struct Free {
    std::byte* data;
    std::size_t size;
    Clock::time_point since = {};  // offered
  };
  struct List {
    std::vector<Free> blocks;  // oldest first
    std::size_t bytes = 0;
    void put(Free block) {
      blocks.push_back(block);
      bytes += block.size;
    }
    Free take(std::size_t i) {
      const Free block = blocks[i];
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
      bytes -= block.size;
      return block;
    }
  };

  void put_aside(Free block) noexcept {
    if (!offer(block.data, block.size)) return free_large(block.data);
    block.since = Clock::now();
    const std::lock_guard lock(mutex_);
    try {
      offered_.put(block);
    } catch (...) {  // no memory for the list
      free_large(block.data);
    }
  }

  // Frees offered blocks that are too many, or that nothing took for long.
  void trim() noexcept {
    std::unique_lock lock(mutex_);
    while (!offered_.blocks.empty() && has_too_much()) {
      const Free oldest = offered_.take(0);
      lock.unlock();
      free_large(oldest.data);
      lock.lock();
    }
  }

  [[nodiscard]] bool has_too_much() const {
    return offered_.bytes > most_offered_ || offered_.blocks.size() > most_blocks ||
           Clock::now() - offered_.blocks.front().since > longest;
  }

  std::mutex mutex_;
  List kept_, offered_;
  const std::size_t most_offered_ = bytes_of_machine() / 2,
                    most_kept_ = std::min(std::size_t{1} << 30, bytes_of_machine() / 8);
};

// Arrays in static storage are freed late, after the thread's kept blocks are gone. Not a member:
// the compiler may drop a destructor's stores to its own object.
thread_local constinit bool is_late = false;

// Small blocks that a thread returned last: a loop takes the memory of the round before last, at no
// cost. Other small blocks come from the C library.
class SmallBlocks {
 public:
  SmallBlocks() = default;
  SmallBlocks(const SmallBlocks&) = delete;
  SmallBlocks& operator=(const SmallBlocks&) = delete;
  ~SmallBlocks() {
    clear();
    is_late = true;
  }

  std::byte* take(std::size_t size) {
    for (Free& block : free_)
      if (block.size == size) return bytes_ -= size, std::exchange(block, {}).data;
    return nullptr;
  }
  /// Returns false if the block is not kept.
  bool give(std::byte* data, std::size_t size) {
    if (size > most_bytes_kept) return false;
    Free& oldest = free_[next_++ % free_.size()];
    drop(oldest);
    for (std::size_t i = 0; bytes_ + size > most_bytes_kept && i < free_.size(); ++i)
      drop(free_[(next_ + i) % free_.size()]);
    oldest = {data, size};
    bytes_ += size;
    return true;
  }
  void clear() {
    for (Free& block : free_) drop(block);
  }

 private:
  struct Free {
    std::byte* data = nullptr;
    std::size_t size = 0;
  };
  static constexpr std::size_t most_bytes_kept = std::size_t{1} << 20;

  void drop(Free& block) {
    bytes_ -= block.size;
    std::free(std::exchange(block, {}).data);
  }

  std::array<Free, 8> free_;
  std::size_t next_ = 0, bytes_ = 0;
};
thread_local constinit SmallBlocks small_blocks;

// Never destroyed: arrays in static storage may be freed late.
Pool& pool() {
  static Pool& instance = *new Pool;
  return instance;
}

// The number after `key` in a file of the kernel, in units of `unit`; `otherwise` if there is none.
std::size_t kernel_number(const char* path, const std::string& key, std::size_t unit,
                          std::size_t otherwise) {
  for (const std::string& line : lines_of(path)) {
    if (!line.starts_with(key)) continue;
    std::string_view rest = std::string_view(line).substr(key.size());
    if (const auto number = take_number<std::size_t>(rest)) return *number * unit;
  }
  return otherwise;
}

// Linux promises more memory than there is, and kills the process that uses too much of it.
bool is_there(std::size_t size) {
  if (size < (std::size_t{256} << 20)) return true;
  const auto unknown = std::numeric_limits<std::size_t>::max();
  return size <= kernel_number("/proc/meminfo", "MemAvailable:", 1024, unknown) &&
         size <= kernel_number("/sys/fs/cgroup/memory.max", "", 1, unknown);
}

std::byte* take_large(std::size_t size) {
  static std::atomic<std::size_t> count{0};
  // aligned_alloc refuses sizes that are no multiples of the alignment, on some libraries.
  const auto fresh = [&]() -> void* {
    void* block = nullptr;
    if (!is_there(size) || posix_memalign(&block, huge_page, size + place_bytes)) return nullptr;
    return block;
  };
  void* data = fresh();
  if (!data) {
    pool().clear();
    data = fresh();
  }
  if (!data) return nullptr;
  madvise(data, size, MADV_HUGEPAGE);  // as far as possible
  return static_cast<std::byte*>(data) + count++ % places * place_step;
}

}  // namespace

std::byte* take_block(std::size_t bytes) {
  if (bytes > most_bytes_asked) return nullptr;
  if (bytes < large || !keeps_blocks()) {
    const std::size_t size = in_lines(bytes);
    if (std::byte* const kept = is_late ? nullptr : small_blocks.take(size)) return kept;
    return static_cast<std::byte*>(std::aligned_alloc(alignment, size));
  }
  const std::size_t size = rounded(bytes);
  std::byte* const kept = pool().take(size);
  return kept ? kept : take_large(size);
}

void give_block(std::byte* data, std::size_t bytes) noexcept {
  if (bytes < large || !keeps_blocks()) {
    const bool may_keep = keeps_blocks() && !is_late;
    if (!may_keep || !small_blocks.give(data, in_lines(bytes))) std::free(data);
    return;
  }
  try {
    pool().give(data, rounded(bytes));
  } catch (...) {  // no memory for the list
    free_large(data);
  }
}

std::size_t pooled_bytes() { return pool().bytes(); }
void release_pooled_blocks() noexcept {
  if (!is_late) small_blocks.clear();
  try {
    pool().clear();
  } catch (...) {  // a mutex that cannot be locked: ignored
  }
}

}  // namespace hasten::support
