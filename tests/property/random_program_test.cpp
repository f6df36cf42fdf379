// Random whole programs agree with the interpreter.
#include "tests/property/random_program.hpp"

namespace hasten::property {
namespace {

class RandomPrograms : public OnTarget {};
HASTEN_PROPERTY_SUITE(RandomPrograms);

TEST_P(RandomPrograms, Agree) {
  EXPECT_TRUE(check_random("random programs", [] {
    const std::vector<Step> steps = *random_steps();
    const Program program = build(steps);
    const Comparison comparison(program, GetParam());
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const testing::AssertionResult result = comparison.agrees_on(inputs_for(program, seed));
      if (!result) RC_FAIL(result.message());
    }
  }));
}

}  // namespace
}  // namespace hasten::property
