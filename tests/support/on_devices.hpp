// Programs on the first device of each target, compared with the interpreter.
#pragma once

#include <hasten/hasten.hpp>

#include "tests/support/devices.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hasten::test {

/// Tests of an absent device are skipped, or fail if it was promised.
class OnDevices : public testing::TestWithParam<Options> {
 protected:
  void SetUp() override { require_device(kind_of(GetParam().target.name())); }

  /// Returns the program's result on the device; it must equal the interpreter's.
  template <class P>
  static auto run(const P& program) {
    auto result = hasten::run(program, GetParam());
    EXPECT_EQ(result, hasten::run(program, {.target = interpreter()}));
    return result;
  }
};

/// For INSTANTIATE_TEST_SUITE_P.
inline auto first_devices() {
  return testing::Values(Options{.target = opencl(0)}, Options{.target = cuda(0)});
}
/// The same with the processor.
inline auto first_of_each() {
  return testing::Values(Options{.target = cpu()}, Options{.target = opencl(0)},
                         Options{.target = cuda(0)});
}
inline std::string device_kind(const testing::TestParamInfo<Options>& of) {
  return kind_of(of.param.target.name());
}

}  // namespace hasten::test
