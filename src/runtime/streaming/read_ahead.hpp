// Rows of files that are mapped into memory, read before their part's turn comes.
//
// The system reads a page of such a file when somebody first touches it. A copy to a device would
// wait for the disk, and the disk would be idle while kernels run. A thread of its own touches the
// rows of the next parts meanwhile.
#pragma once

#include <hasten/detail/host_array.hpp>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace hasten::runtime {

/// For one run whose parts come one after the other.
class ReadAhead {
 public:
  /// Rows from `begin` up to `end` are about to be copied: begins with those that follow. Does
  /// nothing for memory that Hasten allocated, few bytes, and on systems without support.
  void after(const std::shared_ptr<const detail::HostArray>& array, std::int64_t begin,
             std::int64_t end);

 private:
  struct Rows {
    std::shared_ptr<const detail::HostArray> array;  // alive as long as its memory is touched
    const std::byte* data;
    std::int64_t bytes;
  };

  [[nodiscard]] bool start();
  void add(Rows rows);
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Rows> rows_;
  std::jthread thread_;  // the last member: it ends before the others do
};

}  // namespace hasten::runtime
