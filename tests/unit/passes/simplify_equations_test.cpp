// Every equation of the simplifier's table, for every type that it claims; wrong equations are
// detected.
#include "tests/unit/passes/simplify_equations.hpp"

#include "passes/simplify/table.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace hasten::test {
namespace {

using namespace passes::types;
using passes::Equation;

TEST(Equations, BothSidesAreTheSame) {
  for (const Equation* equation : passes::equations()) EXPECT_EQ(fault_of(*equation), "");
}

TEST(Equations, NoneStandsTwice) {
  std::set<std::string> seen;
  for (const Equation* e : passes::equations())
    EXPECT_TRUE(seen.insert(std::to_string(e->types) + std::string(e->left) +
                            std::to_string(static_cast<int>(e->fact)) + std::string(e->right))
                    .second)
        << e->left;
}

TEST(Equations, WrongOnesAreFound) {
  constexpr Equation wrong[] = {
      {floats, "(mul x 0)", "0"},  // infinity, NaN, -0
      {floats, "(sub x x)", "0"},  // infinity, NaN
      {floats, "(add x 0)", "x"},  // -0
      {numbers, "(sub 0 x)", "(neg x)"},
      {real, "(eq x x)", "1"},  // NaN
      {real, "(not (lt x y))", "(ge x y)"},
      {floats, "(min (max x y) y)", "y"},
      {floats, "(add (add x c) d)", "(add x (add c d))"},  // reassociation
      {integers,
       "(quot x c)",
       "(shr x (ctz c))",
       {.when = "(and (gt c 0) (eq (and c (sub c 1)) 0))"}},        // rounds towards zero
      {integers, "(quot (mul x c) c)", "x", {.when = "(ne c 0)"}},  // wraps
      {integers, "(quot x -1)", "(neg x)"},                         // unsigned
      {integers, "(shl (shr x c) c)", "x"},
      {integers, "(abs x)", "x"},
      {integers,
       "(shl (shl x c) d)",
       "(shl x (add c d))",
       {.relation = passes::Relation::same_amounts}},  // amounts wrap
      {real, "(cast (cast x))", "(cast x)"},
      {floats, "(div x c)", "(mul x (div 1 c))"},
      {boolean, "(select b x 0)", "(or b x)"},
      {boolean, "(select x 1 0)", "x"},  // literals that are no bools
      {bits, "(xor (xor x y) y)", "y"},
  };
  for (const Equation& equation : wrong) EXPECT_NE(fault_of(equation), "") << equation.left;
}

TEST(Equations, WhatNeverAppliesIsFound) {
  constexpr Equation never{integers, "(add x c)", "x", {.when = "(ne c c)"}};
  EXPECT_NE(fault_of(never).find("never applies"), std::string::npos);
}

}  // namespace
}  // namespace hasten::test
