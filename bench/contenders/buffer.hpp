// Plain aligned memory for the hand-written programs, on huge pages where the system grants them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <utility>

namespace contenders {

// Elements are not initialised: the loop that fills a buffer in parallel is the first to touch its
// pages.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(int64_t size) : size_(size) {
    const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
    const std::size_t alignment = bytes >= huge_page ? huge_page : cache_line;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    data_ = static_cast<T*>(std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded));
    if (data_ == nullptr) throw std::bad_alloc();
    // Only advice: if the system refuses it, the program is merely a little slower.
    if (bytes >= huge_page) (void)madvise(data_, rounded, MADV_HUGEPAGE);
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  T* data() const { return data_; }
  int64_t size() const { return size_; }
  std::span<T> span() const { return {data_, static_cast<std::size_t>(size_)}; }
  T& operator[](int64_t i) const { return data_[i]; }

 private:
  static constexpr std::size_t cache_line = 64;
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  T* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace contenders
