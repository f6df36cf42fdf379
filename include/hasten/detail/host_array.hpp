// An array in host memory, typed at run time: what Array<T, N> holds.
#pragma once

#include <hasten/detail/scalar_type.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace hasten::detail {

/// Memory of one component: contiguous, row-major. Own memory is 64-byte aligned and padded with
/// zeros to a multiple of 64 bytes (at least 64 bytes beyond the last element can be read);
/// borrowed memory has any alignment of its element and no padding.
class Buffer {
 public:
  /// Own, uninitialised memory but for the zeroed padding. Throws MemoryError naming the size.
  static std::shared_ptr<Buffer> allocate(std::size_t bytes);
  /// Foreign memory; release() is called once, from any thread.
  static std::shared_ptr<Buffer> borrow(const void* data, std::size_t bytes,
                                        std::function<void()> release);
  /// Memory with the guarantees of allocate(), counted and given back by release(), from any
  /// thread.
  static std::shared_ptr<Buffer> adopt(std::byte* data, std::size_t bytes,
                                       std::function<void()> release);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] bool borrowed() const { return borrowed_; }

 private:
  Buffer(std::byte* data, std::size_t bytes, bool borrowed, std::function<void()> release);
  std::byte* data_;
  std::size_t bytes_;
  bool borrowed_;
  std::function<void()> release_;
};

/// Immutable once it is shared.
class HostArray {
 public:
  HostArray(std::vector<std::int64_t> shape, std::vector<ScalarType> leaves,
            std::vector<std::shared_ptr<Buffer>> components)
      : shape_(std::move(shape)),
        leaves_(std::move(leaves)),
        components_(std::move(components)) {}

  /// New memory for every component. Throws MemoryError (too large, or the product overflows).
  static std::shared_ptr<HostArray> allocate(std::vector<std::int64_t> shape,
                                             std::vector<ScalarType> leaves);

  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  [[nodiscard]] std::int64_t size() const {
    std::int64_t n = 1;
    for (auto e : shape_) n *= e;
    return n;
  }
  [[nodiscard]] const std::vector<ScalarType>& leaves() const { return leaves_; }
  [[nodiscard]] const std::shared_ptr<Buffer>& component(std::size_t leaf) const {
    return components_[leaf];
  }
  [[nodiscard]] std::byte* data(std::size_t leaf) const { return components_[leaf]->data(); }

  /// The same components under another shape of the same size.
  [[nodiscard]] std::shared_ptr<const HostArray> reshaped(std::vector<std::int64_t> shape) const {
    return std::make_shared<const HostArray>(std::move(shape), leaves_, components_);
  }

 private:
  std::vector<std::int64_t> shape_;
  std::vector<ScalarType> leaves_;
  std::vector<std::shared_ptr<Buffer>> components_;
};

}  // namespace hasten::detail
