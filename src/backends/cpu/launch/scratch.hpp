// Memory that a launch needs while it runs.
#pragma once

#include "support/block_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace hasten::backends::cpu {

/// Uninitialised memory for this many elements, kept for reuse. Throws std::bad_alloc.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::int64_t size)
      : bytes_(static_cast<std::size_t>(size) * sizeof(T)),
        data_(reinterpret_cast<T*>(support::take_block(bytes_))) {
    if (!data_) throw std::bad_alloc();
  }
  Scratch(Scratch&& other) noexcept
      : bytes_(other.bytes_),
        data_(std::exchange(other.data_, nullptr)) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    if (data_) support::give_block(reinterpret_cast<std::byte*>(data_), bytes_);
  }
  [[nodiscard]] T* data() const { return data_; }

 private:
  std::size_t bytes_;
  T* data_;
};

}  // namespace hasten::backends::cpu
