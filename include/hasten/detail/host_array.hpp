// An array in host memory, typed at run time: the representation of Array<T, N>.
#pragma once

#include <hasten/detail/scalar_type.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace hasten::detail {

class Buffer;

/// The copies of a buffer in device memory.
class Elsewhere {
 public:
  virtual ~Elsewhere() = default;
  /// Returns the buffer's bytes in host memory with the guarantees of Buffer::allocate(), valid for
  /// the lifetime of this object; callable from any thread.
  virtual std::byte* fetch() = 0;
};

/// The distribution of a buffer's bytes over the processes that run one program together.
class Sharding {
 public:
  virtual ~Sharding() = default;
  /// Returns the buffer's bytes in host memory, valid for the lifetime of the buffer. Collective:
  /// all processes call it together.
  virtual std::byte* gather(const Buffer& buffer) = 0;
};

/// The memory of one component: contiguous, row-major. Owned memory is 64-byte aligned and padded
/// with zeros to a multiple of 64 bytes (at least 64 bytes beyond the last element can be read);
/// borrowed memory has any alignment of its element and no padding.
class Buffer {
 public:
  /// Owned memory, uninitialised except for the zeroed padding. Throws MemoryError naming the size.
  static std::shared_ptr<Buffer> allocate(std::size_t bytes);
  /// Foreign memory; release() is called once, from any thread.
  static std::shared_ptr<Buffer> borrow(const void* data, std::size_t bytes,
                                        std::function<void()> release);
  /// Memory with the guarantees of allocate(), counted as allocated and returned by release(), from
  /// any thread.
  static std::shared_ptr<Buffer> adopt(std::byte* data, std::size_t bytes,
                                       std::function<void()> release);
  /// Memory that a device computes; it reaches host memory at the first call of data().
  static std::shared_ptr<Buffer> computed(std::unique_ptr<Elsewhere> elsewhere, std::size_t bytes);
  /// Memory that is distributed over processes; it reaches host memory when it is delivered, or at
  /// the first call of data().
  static std::shared_ptr<Buffer> sharded(std::shared_ptr<Sharding> sharding, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Throws MemoryError if there is no host memory for it, and what its device throws.
  [[nodiscard]] std::byte* data() const {
    std::byte* const data = data_.load(std::memory_order_acquire);
    return data ? data : fetched();
  }
  [[nodiscard]] bool is_in_host_memory() const { return data_.load() != nullptr; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] bool borrowed() const { return borrowed_; }

  /// Null until an object is attached. The first one attached is kept; returns the one that is
  /// kept.
  [[nodiscard]] Elsewhere* elsewhere() const { return elsewhere_.load(std::memory_order_acquire); }
  Elsewhere* attach(std::unique_ptr<Elsewhere> elsewhere) const;

  /// Null if this process holds the whole buffer and need not ask other processes.
  [[nodiscard]] const std::shared_ptr<Sharding>& sharding() const { return sharding_; }
  /// Called by the creator of the buffer, before it is shared.
  void set_sharding(std::shared_ptr<Sharding> sharding) const { sharding_ = std::move(sharding); }
  /// Receives the bytes of a sharded buffer.
  void deliver(std::shared_ptr<Buffer> memory) const;

 private:
  Buffer(std::byte* data, std::size_t bytes, bool borrowed, std::function<void()> release);
  [[nodiscard]] std::byte* fetched() const;

  mutable std::atomic<std::byte*> data_;
  mutable std::atomic<Elsewhere*> elsewhere_{nullptr};  // owned
  mutable std::shared_ptr<Sharding> sharding_;
  mutable std::shared_ptr<Buffer> delivered_;
  std::size_t bytes_;
  bool borrowed_;
  std::function<void()> release_;
};

/// Immutable once shared.
class HostArray {
 public:
  HostArray(std::vector<std::int64_t> shape, std::vector<ScalarType> leaves,
            std::vector<std::shared_ptr<Buffer>> components);

  /// Allocates memory for every component. Throws MemoryError (too large, or the product
  /// overflows).
  static std::shared_ptr<HostArray> allocate(std::vector<std::int64_t> shape,
                                             std::vector<ScalarType> leaves);

  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  [[nodiscard]] std::int64_t size() const {
    std::uint64_t n = 1;  // wraps only where an extent of 0 follows
    for (const std::int64_t e : shape_) n *= static_cast<std::uint64_t>(e);
    return static_cast<std::int64_t>(n);
  }
  [[nodiscard]] const std::vector<ScalarType>& leaves() const { return leaves_; }
  [[nodiscard]] const std::shared_ptr<Buffer>& component(std::size_t leaf) const {
    return components_[leaf];
  }
  [[nodiscard]] std::byte* data(std::size_t leaf) const { return components_[leaf]->data(); }

  /// The same components under another shape of the same size.
  [[nodiscard]] std::shared_ptr<const HostArray> reshaped(std::vector<std::int64_t> shape) const;

 private:
  std::vector<std::int64_t> shape_;
  std::vector<ScalarType> leaves_;
  std::vector<std::shared_ptr<Buffer>> components_;
};

}  // namespace hasten::detail
