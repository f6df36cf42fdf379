// Devices that not every machine has: a test is skipped if its device is absent, and fails if the
// device was promised.
#pragma once

#include <cstdlib>
#include <string_view>

namespace hasten::test {

/// Whether the environment of this run promises the device ("opencl", or "cuda,opencl"). Continuous
/// integration does so, and so do entries of CTest that bring their own driver: a skipped test
/// would hide that the driver does not load.
inline bool is_promised(std::string_view device) {
  const char* const names = std::getenv("HASTEN_TEST_PROMISES");
  std::string_view promised = names ? names : "";
  while (!promised.empty()) {
    const std::size_t end = promised.find(',');
    if (promised.substr(0, end) == device) return true;
    promised = end == std::string_view::npos ? "" : promised.substr(end + 1);
  }
  return false;
}

}  // namespace hasten::test
