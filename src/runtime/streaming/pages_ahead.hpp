// Memory of a large result, made ready while its first parts are computed.
//
// The system gives pages when they are first written, and clears them: a copy from a device to new
// memory waits for each. A thread of its own asks for them in advance.
#pragma once

#include <hasten/detail/host_array.hpp>

#include <memory>
#include <thread>

namespace hasten::runtime {

class PagesAhead {
 public:
  /// Begins with the first page, and goes on until all are there or this object ends. What is in
  /// the memory stays. Small arrays, and systems that cannot, are left alone.
  explicit PagesAhead(std::shared_ptr<const detail::HostArray> array);

 private:
  std::jthread thread_;
};

}  // namespace hasten::runtime
