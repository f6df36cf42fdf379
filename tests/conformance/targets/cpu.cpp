// The conformance suite on the CPU target.
#include "tests/conformance/tool/suite.hpp"

int main(int argc, char** argv) {
  return hasten::conformance::run_suite(argc, argv, {{.target = hasten::cpu()}});
}
