// The conformance suite on the first CUDA device.
#include "backends/backend.hpp"
#include "tests/conformance/tool/suite.hpp"

int main(int argc, char** argv) {
  std::string why;
  hasten::backends::cuda_devices(why);
  return hasten::conformance::run_suite_if_there(argc, argv, {.target = hasten::cuda(0)}, "cuda",
                                                 why);
}
