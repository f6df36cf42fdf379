// Enumerates all types and ranks; other parameters vary in turn.
#include "tests/conformance/tool/random/grid.hpp"

#include <array>
#include <bit>

namespace hasten::conformance::random {
namespace {

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

/// The function for maps, zips and stencils: combines all arguments into one number.
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

}  // namespace

std::vector<Cell> cells_of(const Operation& operation) {
  std::vector<Cell> cells;
  for (const Type type : element_types())
    for (unsigned rank = 0; rank <= 4; ++rank) {
      const auto i = static_cast<std::uint32_t>(cells.size());
      cells.push_back({operation, type, rank, i * 7 % 36,
                       static_cast<Producer>(i % static_cast<std::uint32_t>(Producer::count_))});
    }
  return cells;
}

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

Inputs inputs_of(const Cell& cell, const std::vector<Shape>& shapes, std::size_t i) {
  const Shape& other = shapes[i % 2 == 0 ? i : shapes.size() - 1 - i];
  return {{random_array(cell.type->leaves, shapes[i], i),
           random_array(cell.type->leaves, other, i + 100)},
          {{i % 6, 0}, {std::bit_cast<std::uint32_t>(1.5F), 0}}};
}

}  // namespace hasten::conformance::random
