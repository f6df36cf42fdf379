// The targets this build can run.
#include "tests/property/harness.hpp"

namespace hasten::property {

std::vector<Options> targets_under_test() {
  std::vector<Options> targets;
#if HASTEN_WITH_LLVM
  targets.push_back({.target = cpu()});
#endif
  return targets;
}

std::string name_of_target(const testing::TestParamInfo<Options>& info) {
  return info.param.target.name();
}

}  // namespace hasten::property
