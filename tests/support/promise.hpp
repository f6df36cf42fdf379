// Devices that are not on every machine: who lacks one skips a test, who promised one fails it.
#pragma once

#include <cstdlib>
#include <string_view>

namespace hasten::test {

/// Whether the environment of this run promises the device ("cuda"), as entries of CTest do that
/// bring a driver of their own: a skipped test would hide that it does not load.
inline bool is_promised(std::string_view device) {
  const char* const promised = std::getenv("HASTEN_TEST_PROMISES");
  return promised != nullptr && device == promised;
}

}  // namespace hasten::test
