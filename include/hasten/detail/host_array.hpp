// An array in host memory, typed at run time: what Array<T, N> holds.
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

/// What of a buffer is in the memory of devices.
class Elsewhere {
 public:
  virtual ~Elsewhere() = default;
  /// The buffer's bytes in host memory with the guarantees of Buffer::allocate(), there for as long
  /// as this is; from any thread.
  virtual std::byte* fetch() = 0;
};

/// Which processes have which bytes of a buffer, where several run one program together.
class Sharding {
 public:
  virtual ~Sharding() = default;
  /// The buffer's bytes in host memory, there for as long as the buffer is; all processes ask for
  /// them together.
  virtual std::byte* gather(const Buffer& buffer) = 0;
};

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
  /// What a device computed: in host memory when data() is first asked for.
  static std::shared_ptr<Buffer> computed(std::unique_ptr<Elsewhere> elsewhere, std::size_t bytes);
  /// What other processes have, or parts of it: in host memory when it was delivered, or data() is
  /// first asked for.
  static std::shared_ptr<Buffer> sharded(std::shared_ptr<Sharding> sharding, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Throws MemoryError when there is no host memory for it, and what its device throws.
  [[nodiscard]] std::byte* data() const {
    std::byte* const data = data_.load(std::memory_order_acquire);
    return data ? data : fetched();
  }
  [[nodiscard]] bool is_in_host_memory() const { return data_.load() != nullptr; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] bool borrowed() const { return borrowed_; }

  /// Null until somebody attaches it. The first one stays; returns the one that is there.
  [[nodiscard]] Elsewhere* elsewhere() const { return elsewhere_.load(std::memory_order_acquire); }
  Elsewhere* attach(std::unique_ptr<Elsewhere> elsewhere) const;

  /// Null: this process has all of it, and other processes are not asked.
  [[nodiscard]] const std::shared_ptr<Sharding>& sharding() const { return sharding_; }
  /// By whoever makes the buffer, before anybody else knows it.
  void set_sharding(std::shared_ptr<Sharding> sharding) const { sharding_ = std::move(sharding); }
  /// The bytes of a sharded buffer, which have come.
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

/// Immutable once it is shared.
class HostArray {
 public:
  HostArray(std::vector<std::int64_t> shape, std::vector<ScalarType> leaves,
            std::vector<std::shared_ptr<Buffer>> components);

  /// New memory for every component. Throws MemoryError (too large, or the product overflows).
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
