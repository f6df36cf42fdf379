// Stop words in memory of the host that a device sees change, at the same address.
//
// in:  blocks of such memory, from who knows the device
// out: words, each for one call at a time
#pragma once

#include "support/stopping.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace hasten::backends::c_like {

/// Words are taken and given back without asking the driver, but for the first ones. Thread-safe.
class StopWords : public std::enable_shared_from_this<StopWords> {
 public:
  /// A block of that memory, or null; and its end.
  using Make = std::function<void*(std::size_t bytes)>;
  using Free = std::function<void(void*)>;
  StopWords(Make make, Free free) : make_(std::move(make)), free_(std::move(free)) {}
  ~StopWords() { close(); }
  StopWords(const StopWords&) = delete;
  StopWords& operator=(const StopWords&) = delete;

  /// 0; null when there is no such memory. It goes back with its last reference, when kernels that
  /// look at it have ended.
  [[nodiscard]] std::shared_ptr<support::StopWord> take();
  /// Before the device goes, and after all kernels: gives the blocks back.
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
