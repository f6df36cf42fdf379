// Random scalar expressions over all operations, on arrays of awkward values.
#include "tests/conformance/tool/expression.hpp"

#include <algorithm>

namespace hasten::conformance {
namespace {

using detail::ScalarType, detail::Term, detail::Type;

class Expressions : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(Expressions);

/// A tuple with one member of each type: variable 0 or 1 of a type is the member of that type in
/// the first or second array.
/// arrays.
Type element_of_all_types() {
  std::vector<Type> members;
  for (const ScalarType type : expression_types()) members.push_back(detail::leaf_type(type));
  return detail::tuple_type(members);
}

unsigned member_of(ScalarType type) {
  const auto& types = expression_types();
  return static_cast<unsigned>(std::find(types.begin(), types.end(), type) - types.begin());
}

/// Two arrays -> one array, with one member per tree: a single kernel for all trees.
Program program_of(const std::vector<Tree>& trees) {
  const Type element = element_of_all_types();
  const auto where = detail::Where::current();
  detail::Traced traced;
  traced.array_params = {{element, 1}, {element, 1}};
  traced.where = where;
  detail::Scope scope(traced.array_params, {});
  detail::Scope function(std::array{element, element});
  std::vector<Term> values;
  std::vector<Type> types;
  for (const Tree& tree : trees) {
    values.push_back(build(tree, [&](ScalarType type, std::uint32_t number) {
      return detail::project(function.param(number), member_of(type));
    }));
    types.push_back(detail::leaf_type(tree.type));
  }
  const Type result = detail::tuple_type(types);
  detail::Function fn = function.close({detail::make_tuple(result, values)}, "zip_with", where);
  const Term zipped = detail::zip_with(std::move(fn), result, {scope.param(0), scope.param(1)},
                                       detail::Meet::intersection, "zip_with", where);
  traced.fn = scope.close({zipped}, "program", where);
  return {"random expressions", std::move(traced)};
}

testing::AssertionResult agrees(const Options& target, const std::vector<Tree>& trees,
                                Tolerance tolerance) {
  const Comparison comparison(program_of(trees), target, tolerance);
  const auto leaves = element_of_all_types()->leaves;
  for (const std::int64_t n : {67, 256}) {
    const Inputs inputs{{random_array(leaves, {n}, 1), random_array(leaves, {n + 1}, 2)}, {}};
    const testing::AssertionResult result = comparison.agrees_on(inputs);
    if (!result) return result;
  }
  return testing::AssertionSuccess();
}

void expect_agreement(const Options& target, const std::vector<Tree>& trees, Tolerance tolerance) {
  const testing::AssertionResult result = agrees(target, trees, tolerance);
  if (!result) RC_FAIL(result.message());
}

TEST_P(Expressions, AreExact) {
  EXPECT_TRUE(check_random("random expressions of exact operations", [] {
    const auto trees = *rc::gen::container<std::vector<Tree>>(4, expressions(Grammar{}));
    expect_agreement(GetParam(), trees, {});
  }));
}

TEST_P(Expressions, EveryTypeIsExact) {
  EXPECT_TRUE(check_random("small random expressions of one type", [] {
    const ScalarType type = *rc::gen::elementOf(expression_types());
    Grammar grammar;
    grammar.depth = 3;
    const auto trees = *rc::gen::container<std::vector<Tree>>(8, expressions(type, grammar));
    expect_agreement(GetParam(), trees, {});
  }));
}

Tree variable(ScalarType type, std::uint32_t number) {
  return {.kind = Tree::Kind::variable, .type = type, .number = number};
}
Tree constant(ScalarType type, std::int64_t x) {
  return {.kind = Tree::Kind::literal,
          .type = type,
          .bits = {static_cast<std::uint64_t>(x), 0},
          .mode = detail::LiteralMode::baked};
}
Tree apply(detail::ScalarOp op, ScalarType type, std::vector<Tree> children) {
  return {.kind = Tree::Kind::operation, .type = type, .op = op, .children = std::move(children)};
}

// ptxas of CUDA 13.0 assumed that these numbers do not overflow: it compared, converted and shifted
// the negated least number as a positive one.
TEST_P(Expressions, OppositesOfTheLeastNumber) {
  using enum detail::ScalarOp;
  for (const ScalarType type :
       {ScalarType::i8, ScalarType::i16, ScalarType::i32, ScalarType::i64}) {
    const Tree x = variable(type, 0), y = variable(type, 1);
    std::vector<Tree> trees;
    for (const Tree& opposite :
         {apply(neg, type, {x}), apply(abs, type, {x}), apply(sub, type, {constant(type, 0), x}),
          apply(mul, type, {x, constant(type, -1)}), apply(quot, type, {x, constant(type, -1)}),
          apply(idiv, type, {x, constant(type, -1)}),
          apply(add, type, {apply(not_, type, {x}), constant(type, 1)})}) {
      trees.push_back(apply(lt, ScalarType::boolean, {opposite, y}));
      trees.push_back(apply(min, type, {opposite, y}));
      trees.push_back(apply(shr, type, {opposite, constant(type, 1)}));
      trees.push_back(apply(cast, ScalarType::f64, {opposite}));
      trees.push_back(apply(cast, ScalarType::i64, {opposite}));
    }
    EXPECT_TRUE(agrees(GetParam(), trees, {})) << detail::name_of(type);
  }
  const Tree wide = apply(neg, ScalarType::i32, {variable(ScalarType::i32, 0)});
  const Tree narrow = apply(cast, ScalarType::i16, {wide});
  EXPECT_TRUE(agrees(GetParam(),
                     {apply(lt, ScalarType::boolean, {narrow, variable(ScalarType::i16, 1)})}, {}));
}

// The same ptxas answered without a test whether a clamped number that is at least zero equals its
// limit.
TEST_P(Expressions, LimitsThatAreReached) {
  using enum detail::ScalarOp;
  for (const ScalarType type :
       {ScalarType::i8, ScalarType::i16, ScalarType::i32, ScalarType::i64}) {
    const Tree x = variable(type, 0), y = variable(type, 1), zero = constant(type, 0);
    std::vector<Tree> trees;
    for (const Tree& limit : {constant(type, 3), constant(type, -5), y})
      for (const detail::ScalarOp limited : {min, max})
        for (const Tree& clamped : {apply(max, type, {apply(limited, type, {x, limit}), zero}),
                                    apply(min, type, {apply(max, type, {x, zero}), limit})})
          for (const Tree& other : {limit, x})
            trees.push_back(apply(select, type,
                                  {apply(eq, ScalarType::boolean, {clamped, other}), y, clamped}));
    EXPECT_TRUE(agrees(GetParam(), trees, {})) << detail::name_of(type);
  }
}

// The allowed error of a tree's function; shrinking may leave no function.
Tolerance tolerance_of_tree(const Tree& tree, const Options& target) {
  if (tree.kind != Tree::Kind::operation) return {};
  return tolerance_of(core::row(tree.op), tree.type, target);
}

// The accuracy tests measure each function by itself; here, functions receive unusual arguments.
// Each program has one tree, so that each function is held to its own bound.
TEST_P(Expressions, FunctionsOfTheMathLibraryAreNear) {
  EXPECT_TRUE(check_random("functions of random expressions", [] {
    for (const Tree& tree : *rc::gen::container<std::vector<Tree>>(4, inexact_calls(Grammar{})))
      expect_agreement(GetParam(), {tree}, tolerance_of_tree(tree, GetParam()));
  }));
}

}  // namespace
}  // namespace hasten::conformance
