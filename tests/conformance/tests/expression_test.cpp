// Random scalar expressions over all operations, on arrays of awkward values.
#include "tests/conformance/tool/expression.hpp"

#include <algorithm>

namespace hasten::conformance {
namespace {

using detail::ScalarType, detail::Term, detail::Type;

class Expressions : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(Expressions);

/// A tuple with one member of each type: variable 0 or 1 of a type is its member of one of the two
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

/// Two arrays -> one array, with one member per tree: one kernel for all.
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

void expect_agreement(const Options& target, const std::vector<Tree>& trees, Tolerance tolerance) {
  const Comparison comparison(program_of(trees), target, tolerance);
  const auto leaves = element_of_all_types()->leaves;
  for (const std::int64_t n : {67, 256}) {
    const Inputs inputs{{random_array(leaves, {n}, 1), random_array(leaves, {n + 1}, 2)}, {}};
    const testing::AssertionResult result = comparison.agrees_on(inputs);
    if (!result) RC_FAIL(result.message());
  }
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

// What the function of a tree may be off; shrinking may leave none.
Tolerance tolerance_of_tree(const Tree& tree, const Options& target) {
  if (tree.kind != Tree::Kind::operation) return {};
  return tolerance_of(core::row(tree.op), tree.type, target);
}

// Each function alone is measured by the accuracy tests; here they meet odd arguments. One tree a
// program, so that each function is held to its own bound.
TEST_P(Expressions, FunctionsOfTheMathLibraryAreNear) {
  EXPECT_TRUE(check_random("functions of random expressions", [] {
    for (const Tree& tree : *rc::gen::container<std::vector<Tree>>(4, inexact_calls(Grammar{})))
      expect_agreement(GetParam(), {tree}, tolerance_of_tree(tree, GetParam()));
  }));
}

}  // namespace
}  // namespace hasten::conformance
