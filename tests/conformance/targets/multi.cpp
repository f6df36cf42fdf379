// The conformance suite on two devices at once, with shares that split most arrays: processors, so
// that kernels are compiled fast and once for both; and with OpenCL's device instead of one of
// them, if HASTEN_MULTI_OPENCL is set.
#include "backends/backend.hpp"
#include "runtime/targets.hpp"
#include "tests/conformance/tool/suite.hpp"

#include <cstdlib>

int main(int argc, char** argv) {
  using namespace hasten;
  const bool with_opencl = std::getenv("HASTEN_MULTI_OPENCL") != nullptr;
  const char* const name = with_opencl ? "multi:cpu,opencl:0" : "multi:cpu,processor";
  const Options options{.target = Target(name), .split = {2, 3}};
  if (!with_opencl) {
    runtime::add_device("processor", backends::make_cpu_backend(1));
    return conformance::run_suite(argc, argv, {options});
  }
  std::string why;
  backends::opencl_devices(why);
  return conformance::run_suite_if_there(argc, argv, options, "opencl", why);
}
