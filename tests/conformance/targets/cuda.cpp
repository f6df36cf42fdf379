// The conformance suite on the first CUDA device.
#include "backends/backend.hpp"
#include "tests/conformance/tool/suite.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

std::string why_there_is_none() {
  std::string why;
  hasten::backends::cuda_devices(why);
  return why;
}

TEST(CudaDevice, IsThere) {
  const std::string why = why_there_is_none();
  if (!why.empty()) GTEST_SKIP() << "the suite is skipped: " << why;
}

}  // namespace

int main(int argc, char** argv) {
  if (!why_there_is_none().empty()) return hasten::conformance::run_suite(argc, argv, {});
  return hasten::conformance::run_suite(argc, argv, {{.target = hasten::cuda(0)}});
}
