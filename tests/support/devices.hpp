// Devices that not every machine has: a test that needs one requires it, and is skipped if it is
// absent, or fails if it was promised.
#pragma once

#include "backends/backend.hpp"
#include "tests/support/promise.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace hasten::test {

/// Empty if the kind ("opencl", "cuda") has a device of this index, else the reason. Devices of
/// other kinds are always present.
inline std::string why_absent(std::string_view kind, std::size_t index = 0) {
  std::string why;
  std::size_t count = 0;
  if (kind == "cuda") {
    count = backends::cuda_devices(why).size();
  } else if (kind == "opencl") {
#if HASTEN_WITH_OPENCL
    count = backends::opencl_devices(why).size();
#else
    why = "built without OpenCL";
#endif
  } else {
    return {};
  }
  if (why.empty() && count <= index) why = "there is no " + std::to_string(index) + "-th device";
  return why;
}

/// For a fixture's SetUp: the test then runs only if the device is present. "opencl" promises the
/// first device, "opencl:1" the second.
inline void require_device(std::string_view kind, std::size_t index = 0) {
  const std::string why = why_absent(kind, index);
  if (why.empty()) return;
  std::string device(kind);
  if (index > 0) device += ":" + std::to_string(index);
  if (is_promised(device)) FAIL() << device << " was promised: " << why;
  GTEST_SKIP() << why;
}

/// "opencl" for "opencl:0".
inline std::string kind_of(const std::string& target) { return target.substr(0, target.find(':')); }

}  // namespace hasten::test
