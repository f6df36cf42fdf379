// Random whole programs agree with the interpreter.
#include "tests/conformance/tool/random/operations.hpp"

#include <set>

namespace hasten::conformance {
namespace {

class RandomPrograms : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(RandomPrograms);

TEST_P(RandomPrograms, Agree) {
  EXPECT_TRUE(check_random("random programs", [] {
    const std::vector<Step> steps = *random_steps();
    if (const auto what = disagreement(steps, GetParam())) RC_FAIL(*what + "\n" + describe(steps));
  }));
}

/// Two programs that fail alike also count as equal, so most programs must run.
TEST(RandomProgramsTool, MakesProgramsThatRun) {
  int ran = 0, failed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Program program = build(random_steps()(rc::Random(seed), 12).value());
    detail::Traced traced = program.traced;
    traced.options.target = interpreter();
    const auto executable = detail::compile_program(traced);
    for (std::uint64_t inputs = 1; inputs <= 4; ++inputs) {
      const Inputs given = inputs_for(program, inputs);
      try {
        detail::execute(*executable, given.arrays, given.scalars);
        ++ran;
      } catch (const Error&) {
        ++failed;
      }
    }
  }
  EXPECT_GT(ran, 4 * failed) << failed << " failed";
}

TEST(RandomProgramsTool, UsesEveryOperation) {
  std::set<std::uint32_t> used;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    for (const Step& step : random_steps()(rc::Random(seed), 12).value())
      used.insert(step.operation);
  EXPECT_EQ(used.size(), random::operations().size());
}

}  // namespace
}  // namespace hasten::conformance
