// The tests of a device fail if it was promised and is absent.
#include "tests/support/devices.hpp"
#include "tests/unit/runtime/support.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace hasten::test {
namespace {

TEST(Promises, AreAListOfDevices) {
  const SetEnv both("HASTEN_TEST_PROMISES", "cuda,opencl");
  EXPECT_TRUE(is_promised("cuda"));
  EXPECT_TRUE(is_promised("opencl"));
  EXPECT_FALSE(is_promised("open"));
  EXPECT_FALSE(is_promised(""));
}

TEST(Promises, MayBeNone) {
  for (const char* const none : {"", ",", "other"}) {
    const SetEnv promise("HASTEN_TEST_PROMISES", none);
    EXPECT_FALSE(is_promised("opencl")) << none;
  }
}

// No machine has so many devices.
constexpr std::size_t absent = 1'000'000;

TEST(Promises, ThatAreBrokenFail) {
  const SetEnv promise("HASTEN_TEST_PROMISES", "opencl:1000000");
  EXPECT_FATAL_FAILURE(require_device("opencl", absent), "opencl:1000000 was promised");
}

}  // namespace
}  // namespace hasten::test
