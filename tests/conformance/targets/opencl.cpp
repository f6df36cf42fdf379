// The conformance suite on the first OpenCL device.
#include "backends/backend.hpp"
#include "tests/conformance/tool/suite.hpp"

int main(int argc, char** argv) {
  std::string why;
  hasten::backends::opencl_devices(why);
  return hasten::conformance::run_suite_if_there(argc, argv, {.target = hasten::opencl(0)},
                                                 "opencl", why);
}
