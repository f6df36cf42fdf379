// The memory of one device: its budget, blocks kept for reuse, and contents that can be moved out.
// See docs/memory.md.
#pragma once

#include "backends/backend.hpp"
#include "runtime/memory/caching_allocator.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <source_location>
#include <string>
#include <utility>

namespace hasten::runtime {

class DeviceMemory;

/// Device memory that its destructor returns; may be empty.
class Block {
 public:
  Block() = default;
  Block(std::shared_ptr<DeviceMemory> memory, RawBlock raw)
      : memory_(std::move(memory)),
        raw_(raw) {}
  /// Device memory owned by others: `owner` keeps it alive, and is released with this.
  Block(std::shared_ptr<DeviceMemory> memory, RawBlock raw, std::shared_ptr<void> owner)
      : memory_(std::move(memory)),
        raw_(raw),
        owner_(std::move(owner)) {}
  Block(Block&& other) noexcept
      : memory_(std::move(other.memory_)),
        raw_(std::exchange(other.raw_, {})),
        owner_(std::move(other.owner_)) {}
  Block& operator=(Block&&) = delete;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(raw_); }
  [[nodiscard]] std::byte* address() const { return raw_.address; }
  [[nodiscard]] DeviceMemory& memory() const { return *memory_; }
  [[nodiscard]] bool is_lent() const { return owner_ != nullptr; }

 private:
  std::shared_ptr<DeviceMemory> memory_;
  RawBlock raw_;
  std::shared_ptr<void> owner_;  // of lent memory
};

/// An owner of device memory whose contents can be moved out.
class Movable {
 public:
  virtual ~Movable() = default;
  /// in_use: by a launch, or there is no host memory for it. busy: temporarily.
  enum class Moved { out, in_use, busy };
  /// Returns its memory on this device, after copying bytes that are nowhere else to the host. When
  /// the device throws, nothing changes.
  virtual Moved move_out(const DeviceMemory& memory) = 0;
};

/// The holder of device memory, for error messages: "map at f.cpp:12".
struct Holder {
  const char* operation = "";  // of a plan, or a literal: it is kept
  std::source_location where;
  bool made = true;  // by the operation; else only read
};

/// Thread-safe. Calls no backend while it holds its mutex.
class DeviceMemory : public std::enable_shared_from_this<DeviceMemory> {
 public:
  struct Resident {
    std::weak_ptr<Movable> owner;
    std::size_t bytes;
    Holder holder;
    std::uint64_t used = 0;
    bool is_pinned = false;
  };
  using Place = std::list<Resident>::iterator;

  explicit DeviceMemory(std::shared_ptr<backends::Backend> backend);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Throws TargetError in a child of the process that opened it: drivers do not survive a fork.
  [[nodiscard]] backends::Backend& backend() const {
    check_process();
    return *backend_;
  }
  void check_process() const;
  [[nodiscard]] bool is_of_this_process() const;

  /// Memory for `bytes` bytes: a kept block that no other call's work still uses, else new memory
  /// within the budget (and within `limit`, if it is not 0), else any kept block, else memory freed
  /// by moving others out, the least recently used first. Throws the device's read errors.
  [[nodiscard]] Block take(std::size_t bytes, std::size_t limit);
  void give(RawBlock block) noexcept;
  /// Waits for all work of the device.
  void finish_quietly() noexcept;

  /// An owner that can be moved out. The place is valid until it is removed.
  [[nodiscard]] Place add(std::weak_ptr<Movable> owner, std::size_t bytes, const Holder& holder);
  void touch(Place place);
  void pin(Place place, bool is_pinned);
  void remove(Place place) noexcept;

  /// Returns everything that is unused.
  void clear_out();
  /// Returns the kept blocks.
  void release_kept() noexcept;

  /// During its lifetime this thread runs user code within a turn of its own: an operation that
  /// would need another turn of this memory throws a TargetError, where it might wait for itself.
  class CallingOut {
   public:
    explicit CallingOut(const DeviceMemory& memory);
    ~CallingOut();
    CallingOut(const CallingOut&) = delete;
    CallingOut& operator=(const CallingOut&) = delete;

    /// Whether this thread does so, for this memory, also further out.
    [[nodiscard]] static bool is_under_way(const DeviceMemory& memory);

   private:
    const DeviceMemory& memory_;
    const CallingOut* const outer_;
  };

  /// Launches of several threads run concurrently; one that found no room waits until it is alone.
  [[nodiscard]] std::shared_lock<std::shared_mutex> turn();
  [[nodiscard]] std::unique_lock<std::shared_mutex> turn_alone();
  /// Whether a thread waits to be alone: holders of a long turn then end it soon.
  [[nodiscard]] bool is_awaited() const { return awaiting_ > 0; }
  /// How often something could not be moved out, but could be a moment later.
  [[nodiscard]] std::uint64_t busy_count() const;

  [[nodiscard]] std::size_t budget() const { return budget_; }
  /// Obtained from the device and not returned: arrays, and kept blocks.
  [[nodiscard]] std::size_t held_bytes() const;
  [[nodiscard]] std::size_t kept_bytes() const;
  /// "opencl:0 may hold 1.0 GiB (...) and holds 900.0 MiB: 500.0 MiB made by map at f.cpp:12, ...".
  [[nodiscard]] std::string report(std::size_t limit) const;

 private:
  [[nodiscard]] RawBlock ask(std::unique_lock<std::mutex>& lock, std::size_t size);
  [[nodiscard]] RawBlock take_unused(std::unique_lock<std::mutex>& lock, std::size_t size);
  [[nodiscard]] std::size_t most_kept() const;
  void check_turn() const;
  bool put(std::unique_lock<std::mutex>& lock, RawBlock block) noexcept;
  bool release_oldest(std::unique_lock<std::mutex>& lock) noexcept;
  bool move_one_out(std::unique_lock<std::mutex>& lock, std::uint64_t& tried, std::uint64_t last);

  const std::shared_ptr<backends::Backend> backend_;
  const std::size_t budget_;
  const std::uint64_t forks_;

  mutable std::mutex mutex_;
  CachingAllocator allocator_;
  std::list<Resident> residents_;  // least recently used first
  std::size_t held_ = 0, pinned_ = 0;
  std::uint64_t clock_ = 0, busy_ = 0;

  std::atomic<int> awaiting_{0};
  std::mutex gate_;  // threads that wait to be alone precede later ones
  std::shared_mutex turns_;
};

}  // namespace hasten::runtime
