// Runs the suite on the targets it is given.
#include "tests/conformance/tool/suite.hpp"

#include "tests/conformance/tool/harness.hpp"

#include <cctype>

namespace hasten::conformance {
namespace {

std::vector<Options>& chosen() {
  static std::vector<Options> targets;
  return targets;
}

}  // namespace

std::vector<Options> targets_under_test() { return chosen(); }

std::string name_of_target(const testing::TestParamInfo<Options>& info) {
  std::string name = info.param.target.name();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

int run_suite(int argc, char** argv, std::vector<Options> targets) {
  chosen() = std::move(targets);  // before GoogleTest instantiates the tests
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

}  // namespace hasten::conformance
