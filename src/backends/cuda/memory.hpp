// Device memory, given back without waiting: cuMemFree would wait for the whole device.
//
// A block that is freed is kept, and given to the next who asks for its size. Launches are in the
// order of one stream, so that a launch on a block's new memory comes after all launches on its
// old. Copies are in streams of their own; the marks of a block say what they must wait for.
#pragma once

#include "backends/cuda/context.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace hasten::backends::cuda {

/// Events used over and over. Dropping the last reference to a mark gives its event back.
class Marks {
 public:
  using Mark = std::shared_ptr<const Event>;

  explicit Marks(const Context& context) : context_(context) {}
  /// What is in the stream now.
  [[nodiscard]] Mark of(const Stream& stream);

 private:
  const Context& context_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Event>> spare_;
};
using Mark = Marks::Mark;

class Memory {
 public:
  /// `compute` is the stream of all launches; at most `most_spare` bytes are kept for later.
  Memory(const Context& context, Marks& marks, const Stream& compute, std::size_t most_spare);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // The context is current where these are called.

  /// 0 when there is none left, also after all that is kept for later was given back.
  [[nodiscard]] CUdeviceptr allocate(std::size_t bytes);
  void free(CUdeviceptr address) noexcept;

  /// A copy to the block on another stream: it waits for what used the memory before.
  void before_upload(CUdeviceptr address, const Stream& copies);
  /// Launches on the block wait for what is in the stream now.
  void after_upload(CUdeviceptr address, const Stream& copies);
  /// A copy from the block on another stream waits for uploads and launches.
  void before_download(CUdeviceptr address, const Stream& copies);
  void before_launch(std::span<const CUdeviceptr> addresses);
  void after_launch();
  /// Forget what is kept for later.
  void trim();

 private:
  struct Block {
    std::size_t bytes = 0;
    Mark freed;             // launches on the memory before it came here
    Mark uploaded;          // that no launch has waited for yet
    bool launched = false;  // on the memory since it came here
  };
  struct Spare {
    CUdeviceptr address;
    Block block;
  };

  Mark mark_of_launches();  // with the mutex held
  CUdeviceptr take_spare(std::size_t bytes);
  CUdeviceptr fresh(std::size_t bytes);
  void release(CUdeviceptr address) const noexcept;

  const Context& context_;
  Marks& marks_;
  const Stream& compute_;
  std::mutex mutex_;
  std::unordered_map<CUdeviceptr, Block> used_;
  std::multimap<std::size_t, Spare> spare_;
  std::size_t most_spare_, spare_bytes_ = 0;
  Mark last_mark_;  // of all launches so far; null when there was one since
};

/// What is allocated for so many bytes: one of eight sizes for every power of two.
[[nodiscard]] std::size_t size_class(std::size_t bytes);

}  // namespace hasten::backends::cuda
