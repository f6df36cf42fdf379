// Every operation on every element type at every rank, on awkward shapes, with producers before it
// that may be fused into it or not. The operations are those of random programs; what is swept here
// in full is met there by chance.
#include "tests/conformance/tool/random/operations.hpp"

namespace hasten::conformance {
namespace {

using namespace random;

/// All primitive types, and groups as optionals, variants, arrays and structs are stored.
const std::vector<Type>& element_types() {
  static const std::vector<Type> types = [] {
    std::vector<Type> all;
    for (std::size_t t = 0; t < detail::scalar_type_count; ++t)
      all.push_back(detail::leaf_type(static_cast<ScalarType>(t)));
    using enum ScalarType;
    all.push_back(tuple_of({boolean, i16}));            // optional<int16_t>
    all.push_back(tuple_of({f32, i16, f64, boolean}));  // a struct
    all.push_back(tuple_of({i32, i32, i32, i32}));      // array<int32_t, 4>
    all.push_back(tuple_of({u32, u32, i64, i64}));      // two affine maps
    const std::array either{detail::leaf_type(u8), detail::leaf_type(i32),
                            tuple_of({f32, boolean})};
    all.push_back(detail::tuple_type(either));  // variant<int32_t, pair<float, bool>>
    const std::array nested{tuple_of({u8, f16}), detail::leaf_type(c64), tuple_of({bf16, u64})};
    all.push_back(detail::tuple_type(nested));
    return all;
  }();
  return types;
}

enum class Producer : std::uint8_t { none, fused, computed, count_ };

/// What one cell of the grid is: an operation on a type at a rank.
struct Cell {
  const Operation& operation;
  Type type;
  unsigned rank;
  std::uint32_t number;  // which axis, operator, amount...
  Producer producer;
};

/// The function of maps, zips and stencils: all its arguments, as one number.
Tree function_of(ScalarType type) {
  const auto variable = [&](std::uint32_t n) {
    Tree tree{Tree::Kind::variable, type};
    tree.number = n;
    return tree;
  };
  Tree tree{Tree::Kind::operation, type};
  tree.op = is_bool(type) ? ScalarOp::or_ : is_integral(type) ? ScalarOp::sub : ScalarOp::min;
  tree.children = {variable(0), variable(1)};
  return tree;
}

/// Nothing where the operation does not fit.
std::optional<Program> program_of(const Cell& cell) {
  const auto where = detail::Where::current();
  Program program{"", {}};
  detail::Traced& traced = program.traced;
  traced.array_params = {{cell.type, cell.rank}, {cell.type, cell.rank}};
  traced.scalar_params = {detail::leaf_type(ScalarType::i64), detail::leaf_type(ScalarType::f32)};
  traced.where = where;
  Scope scope(traced.array_params, traced.scalar_params);
  Context context{{}, scope.param(2), scope.param(3), where};
  const auto change = [&](const Term& a) {
    return map_by(context, a, [&](const Terms& v) { return changed(cell.number, v[0]); });
  };
  Sized a{scope.param(0)};
  if (cell.producer != Producer::none) a.term = change(a.term);
  if (cell.producer == Producer::computed) a.term = detail::compute(a.term, where);
  Step step;
  step.number = cell.number;
  step.function =
      function_of(is_complex(cell.type->leaves[0]) ? ScalarType::f32 : cell.type->leaves[0]);
  Terms results;
  for (const Sized& made : cell.operation.apply(context, step, a, {scope.param(1)}))
    results.push_back(cell.number % 3 == 0 ? change(made.term) : made.term);
  if (results.empty()) {
    scope.close({scope.param(0)}, "grid", where);
    return std::nullopt;
  }
  program.name = std::string(cell.operation.name) + " of " + cell.type->name + " rank " +
                 std::to_string(cell.rank) + ", number " + std::to_string(cell.number) +
                 ", producer " + std::to_string(static_cast<int>(cell.producer));
  traced.fn = scope.close(std::move(results), "grid", where);
  return program;
}

testing::AssertionResult agrees(const Cell& cell, const Program& program, const Options& target) {
  const Comparison comparison(program, target);
  std::vector<Shape> shapes = shapes_of_rank(cell.rank);
  // More than one tile and chunk, for a primitive and a group.
  const std::string& name = cell.type->name;
  const bool is_whole = !large_shapes_of_rank(1).empty();
  if (is_whole && cell.rank == 1 && (name == "i32" || name == "(u32, u32, i64, i64)"))
    shapes.push_back({65537});
  if (is_whole && cell.rank == 2 && (name == "f32" || name == "(f32, i16, f64, bool)"))
    shapes.push_back({257, 255});
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    // The second array has another shape every other time.
    const Shape& other = shapes[i % 2 == 0 ? i : shapes.size() - 1 - i];
    const Inputs inputs{{random_array(cell.type->leaves, shapes[i], i),
                         random_array(cell.type->leaves, other, i + 100)},
                        {{i % 6, 0}, {std::bit_cast<std::uint32_t>(1.5F), 0}}};
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
  std::uint32_t cells = 0, fitting = 0;
  for (const Type type : element_types())
    for (unsigned rank = 0; rank <= 4; ++rank) {
      // All axes, sides, operators and producers come in turn.
      const Cell cell{operations()[row], type, rank, cells * 7 % 36,
                      static_cast<Producer>(cells % static_cast<std::uint32_t>(Producer::count_))};
      ++cells;
      const std::optional<Program> program = program_of(cell);
      if (!program) continue;
      ++fitting;
      EXPECT_TRUE(agrees(cell, *program, target)) << program->name;
    }
  EXPECT_GE(fitting, 10U);
}

}  // namespace
}  // namespace hasten::conformance
