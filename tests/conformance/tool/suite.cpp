// Runs the suite on the given targets.
#include "tests/conformance/tool/suite.hpp"

#include "tests/conformance/tool/harness.hpp"
#include "tests/support/promise.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace hasten::conformance {
namespace {

std::vector<Options>& chosen() {
  static std::vector<Options> targets;
  return targets;
}

class Absent final : public testing::Test {
 public:
  explicit Absent(std::string why) : why_(std::move(why)) {}
  void TestBody() override { GTEST_SKIP() << "the suite is skipped: " << why_; }

 private:
  std::string why_;
};

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
  constexpr std::string_view limit = "--elements-at-most=";
  for (const char* const argument : std::span(argv, static_cast<std::size_t>(argc)))
    if (const std::string_view text = argument; text.starts_with(limit))
      limit_elements(std::stoll(std::string(text.substr(limit.size()))));
  return RUN_ALL_TESTS();
}

int run_suite_if_there(int argc, char** argv, const Options& target, const std::string& device,
                       const std::string& why_absent) {
  if (why_absent.empty()) return run_suite(argc, argv, {target});
  if (test::is_promised(device)) {
    std::fprintf(stderr, "%s was promised, and is not there: %s\n", device.c_str(),
                 why_absent.c_str());
    return 1;
  }
  testing::RegisterTest("Target", "IsThere", nullptr, nullptr, __FILE__, __LINE__,
                        [=]() -> testing::Test* { return new Absent(why_absent); });
  return run_suite(argc, argv, {});
}

}  // namespace hasten::conformance
