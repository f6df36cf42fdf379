// Numbers in which the copies of an unrolled loop differ: which become parameters, and which of
// them are one.
#include "passes/copies.hpp"

#include "core/print.hpp"
#include "core/text/parse.hpp"
#include "core/verify.hpp"
#include "passes/literals.hpp"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace hasten::test {
namespace {

// Steps that read at a distance twice, by two literals, and are less by a third number, which is
// the distance in all steps but the last.
core::Program steps(int count) {
  std::string text = "program () {\n  %0 : [f32; 1] = input 0\n  x1 = extent %0 0\n";
  int value = 2, array = 1, slot = 0;
  for (int k = 0; k < count; ++k) {
    const int v = value, first = array;
    const int other = k + 1 < count ? k : 1000;
    text += fmt::format(
        "  %{0} : [f32; 1] = generate [x1] (x{2}: i64) {{\n"
        "    x{3} = const {10} : i64 #{12} auto\n"
        "    x{4} = add x{2} x{3}\n"
        "    x{5} = load %{1}.0 [x{4}]\n"
        "    x{6} = const {10} : i64 #{13} auto\n"
        "    x{7} = add x{2} x{6}\n"
        "    x{8} = load %{1}.0 [x{7}]\n"
        "    x{9} = mul x{5} x{8}\n"
        "    x{15} = const {11} : i64 #{14} auto\n"
        "    x{16} = cast x{15} : f32\n"
        "    x{17} = sub x{9} x{16}\n"
        "    -> x{17}\n"
        "  }}\n"
        "  %{18} : [f32; 1] = compute %{0}\n",
        first, first - 1, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, k, other, slot,
        slot + 1, slot + 2, v + 8, v + 9, v + 10, first + 1);
    value += 11, array += 2, slot += 3;
  }
  return core::parse_program(text + fmt::format("  -> %{}\n}}\n", array - 1));
}

TEST(Copies, NumbersThatAreEqualInEachCopyAreOneParameter) {
  const passes::Parameters found = passes::numbers_of_copies(steps(40));
  ASSERT_EQ(found.chosen.size(), 120U);
  for (std::uint32_t slot = 0; slot < 120; ++slot) {
    EXPECT_TRUE(found.chosen[slot]);
    EXPECT_EQ(found.same_as[slot], slot % 3 == 1 ? slot - 1 : slot) << "the last copy differs";
  }
  EXPECT_EQ(passes::numbers_of_copies(steps(20)).chosen, std::vector<bool>(60)) << "few copies";
}

TEST(Copies, AParameterOfTwoSlotsIsOneValue) {
  core::Program program = steps(40);
  const passes::Parameters found = passes::numbers_of_copies(program);
  program = passes::bind_literals(std::move(program), found);
  core::verify(program, "literals");
  EXPECT_EQ(program.scalar_inputs.size(), 120U) << "each slot has its place";
  const std::string text = core::print(program);
  const std::string first = fmt::format("x{}", program.scalar_inputs[0]),
                    second = fmt::format("x{}", program.scalar_inputs[1]);
  const std::string body = text.substr(text.find('{'));
  EXPECT_NE(body.find(" x2 " + first), std::string::npos) << text.substr(0, 2000);
  EXPECT_EQ(body.find(second + "\n"), std::string::npos) << "unused";
}

}  // namespace
}  // namespace hasten::test
