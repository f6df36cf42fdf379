// Memory of a large result, made ready while its first parts are computed.
//
// The system provides and clears pages when they are first written: a copy from a device to new
// memory waits for each page. A thread of its own requests them in advance.
#pragma once

#include <hasten/detail/host_array.hpp>

#include <memory>
#include <thread>

namespace hasten::runtime {

class PagesAhead {
 public:
  /// Begins with the first page, and continues until all pages exist or this object is destroyed.
  /// The contents of the memory are kept. Does nothing for small arrays, and on systems without
  /// support.
  explicit PagesAhead(std::shared_ptr<const detail::HostArray> array);

 private:
  std::jthread thread_;
};

}  // namespace hasten::runtime
