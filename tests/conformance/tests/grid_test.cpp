// Every operation on every element type at every rank, on awkward shapes, with preceding producers
// that may or may not be fused into it. The operations are those of random programs, which cover
// this grid only by chance.
#include "tests/conformance/tool/random/grid.hpp"

namespace hasten::conformance {
namespace {

using namespace random;

testing::AssertionResult agrees(const Cell& cell, const Program& program, const Options& target) {
  const Comparison comparison(program, target);
  std::vector<Shape> shapes = shapes_of_rank(cell.rank);
  // More than one tile and chunk, for a primitive type and a group.
  const std::string& name = cell.type->name;
  const bool is_whole = !large_shapes_of_rank(1).empty();
  if (is_whole && cell.rank == 1 && (name == "i32" || name == "(u32, u32, i64, i64)"))
    shapes.push_back({65537});
  if (is_whole && cell.rank == 2 && (name == "f32" || name == "(f32, i16, f64, bool)"))
    shapes.push_back({257, 255});
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Inputs inputs = inputs_of(cell, shapes, i);
    const testing::AssertionResult result = comparison.agrees_on(inputs);
    if (!result) return result;
  }
  return testing::AssertionSuccess();
}

using Parameters = std::tuple<Options, std::size_t>;
class Grid : public testing::TestWithParam<Parameters> {};

std::string name_of_cell(const testing::TestParamInfo<Parameters>& info) {
  const auto& [target, operation] = info.param;
  return name_of_target({target, info.index}) + "_" + std::to_string(operation) + "_" +
         operations()[operation].name;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Grid);
INSTANTIATE_TEST_SUITE_P(Targets, Grid,
                         testing::Combine(testing::ValuesIn(targets_under_test()),
                                          testing::Range(std::size_t{0}, operations().size())),
                         name_of_cell);

TEST_P(Grid, EveryTypeAndRank) {
  const auto& [target, row] = GetParam();
  std::uint32_t fitting = 0;
  for (const Cell& cell : cells_of(operations()[row])) {
    const std::optional<Program> program = program_of(cell);
    if (!program) continue;
    ++fitting;
    EXPECT_TRUE(agrees(cell, *program, target)) << program->name;
  }
  EXPECT_GE(fitting, 10U);
}

}  // namespace
}  // namespace hasten::conformance
