// Stop words in host memory whose changes a device sees, at the same address on both sides.
//
// in:  blocks of such memory, from code that knows the device
// out: words, each for one call at a time
#pragma once

#include "support/stopping.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace hasten::backends::c_like {

/// Words are taken and returned without the driver, except for the first ones. Thread-safe.
class StopWords : public std::enable_shared_from_this<StopWords> {
 public:
  /// Allocates a block of that memory, or null; Free releases it.
  using Make = std::function<void*(std::size_t bytes)>;
  using Free = std::function<void(void*)>;
  StopWords(Make make, Free free) : make_(std::move(make)), free_(std::move(free)) {}
  ~StopWords() { close(); }
  StopWords(const StopWords&) = delete;
  StopWords& operator=(const StopWords&) = delete;

  /// A word that is 0; null when there is no such memory. It is returned with its last reference,
  /// when the kernels that test it have ended.
  [[nodiscard]] std::shared_ptr<support::StopWord> take();
  /// Releases the blocks, before the device is released and after all kernels.
  void close();

 private:
  bool add_block();

  Make make_;
  Free free_;
  std::mutex mutex_;
  std::vector<void*> blocks_;
  std::vector<support::StopWord*> unused_;
};

}  // namespace hasten::backends::c_like
