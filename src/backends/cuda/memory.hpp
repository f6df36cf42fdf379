// Device memory, and what copies to and from it wait for.
//
// Launches are in the order of one stream. Copies are in streams of their own; the marks of a block
// say what they must wait for, also when the block is used again for other bytes. Blocks that
// nobody uses are kept by those who ask for them here: giving one back waits for the whole device.
#pragma once

#include "backends/cuda/context.hpp"

#include <cstddef>
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
  /// `compute` is the stream of all launches.
  Memory(const Context& context, Marks& marks, const Stream& compute);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // The context is current where these are called.

  /// 0 when there is none left.
  [[nodiscard]] CUdeviceptr allocate(std::size_t bytes);
  /// Waits for what still uses it.
  void free(CUdeviceptr address) noexcept;

  /// A copy to the block on another stream: it waits for launches that use what was there.
  void before_upload(CUdeviceptr address, const Stream& copies);
  /// Launches on the block wait for what is in the stream now.
  void after_upload(CUdeviceptr address, const Stream& copies);
  /// A copy from the block on another stream waits for uploads and launches.
  void before_download(CUdeviceptr address, const Stream& copies);
  void before_launch(std::span<const CUdeviceptr> addresses);
  void after_launch();

 private:
  struct Block {
    Mark uploaded;          // that no launch has waited for yet
    bool launched = false;  // on it since the last upload
  };

  Mark mark_of_launches();  // with the mutex held

  const Context& context_;
  Marks& marks_;
  const Stream& compute_;
  std::mutex mutex_;
  std::unordered_map<CUdeviceptr, Block> used_;
  Mark last_mark_;  // of all launches so far; null when there was one since
};

}  // namespace hasten::backends::cuda
