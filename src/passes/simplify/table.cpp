// THE table of equations. Each holds bit for bit for all values that it claims (any NaN equals any
// other): integers wrap, zeros have signs, shifts may be too wide, divisors may be -1. The unit
// tests walk this table and evaluate both sides, so that a new row is tested.
//
// A row may drop a partial operation that nobody needs any more, but never adds one: where it
// removes a division, the divisor is a constant other than 0.
#include "passes/simplify/table.hpp"

namespace hasten::passes {
namespace {

using namespace types;
using enum Relation;
using enum Fact;

// Conditions on constants that several rows share.
constexpr const char* power = "(and (gt c 0) (eq (and c (sub c 1)) 0))";
constexpr const char* product_fits =
    "(and (and (gt c 0) (gt d 0)) (and (gt (mul c d) 0) (eq (quot (mul c d) d) c)))";
constexpr const char* sum_of_amounts = "(and (and (ge c 0) (ge d 0)) (and (lt c 64) (lt d 64)))";

// Several tables, because Clang limits the steps of an initializer.

constexpr Equation arithmetic[] = {
    {integers, "(add x 0)", "x"},
    {floats, "(add x -0)", "x"},
    {numbers, "(add x (neg y))", "(sub x y)"},
    {integers, "(add (sub x y) y)", "x"},
    {integers, "(add (add x c) d)", "(add x (add c d))"},
    {integers, "(add (sub x c) d)", "(add x (sub d c))"},
    {integers, "(add (sub c x) d)", "(sub (add c d) x)"},
    {numbers, "(sub x 0)", "x"},
    {integers, "(sub 0 x)", "(neg x)"},
    {floats, "(sub -0 x)", "(neg x)"},
    {integers, "(sub x x)", "0"},
    {numbers, "(sub x (neg y))", "(add x y)"},
    {integers, "(sub (add x y) y)", "x"},
    {integers, "(sub (add (add x y) c) y)", "(add x c)"},
    {integers, "(sub x (add x y))", "(neg y)"},
    {integers, "(sub x (sub x y))", "y"},
    {integers, "(sub (sub x y) x)", "(neg y)"},
    {integers, "(sub (add x y) (add x z))", "(sub y z)"},
    {integers, "(sub (add x c) d)", "(add x (sub c d))"},
    {integers, "(sub (sub x c) d)", "(sub x (add c d))"},
    {integers, "(sub (sub c x) d)", "(sub (sub c d) x)"},
    {integers, "(sub c (sub d x))", "(add x (sub c d))"},
    {integers, "(sub c (add x d))", "(sub (sub c d) x)"},
    {integers, "(mul x 0)", "0"},
    {numbers, "(mul x 1)", "x"},
    {signed_ints | floats, "(mul x -1)", "(neg x)"},
    {integers, "(mul (mul x c) d)", "(mul x (mul c d))"},
    {numbers, "(mul (neg x) (neg y))", "(mul x y)"},
    // Signed numbers keep their multiplications: later passes read strides of indices off them.
    {unsigned_ints, "(mul x c)", "(shl x (ctz c))", {.when = power}},
    {numbers, "(neg (neg x))", "x"},
    {integers, "(neg (sub x y))", "(sub y x)"},
    {numbers, "(abs (abs x))", "(abs x)"},
    {signed_ints | floats, "(abs (neg x))", "(abs x)"},
    {integers, "(abs x)", "x", {.fact = not_negative}},
    {floats, "(abs (copysign x y))", "(abs x)"},
    {floats, "(copysign x x)", "x"},
    {floats, "(copysign (copysign x y) z)", "(copysign x z)"},
    {floats, "(copysign (neg x) y)", "(copysign x y)"},
    {floats, "(copysign (abs x) y)", "(copysign x y)"},
    {wide_floats, "(fma x 1 y)", "(add x y)"},
    {wide_floats, "(fma x y -0)", "(mul x y)"},
    {floats, "(floor (floor x))", "(floor x)"},
    {floats, "(ceil (ceil x))", "(ceil x)"},
    {floats, "(round (round x))", "(round x)"},
    {floats, "(trunc (trunc x))", "(trunc x)"},
    {floats, "(nearbyint (nearbyint x))", "(nearbyint x)"},
};

constexpr Equation division[] = {
    {floats, "(div x 1)", "x"},
    {floats, "(div x -1)", "(neg x)"},
    {floats, "(div x c)", "(mul x (div 1 c))", {.fact = exact_reciprocal}},
    {integers, "(quot x 1)", "x"},
    {signed_ints, "(quot x -1)", "(neg x)"},
    {integers, "(quot x c)", "(shr x (ctz c))", {.when = power, .fact = not_negative}},
    {integers, "(quot (quot x c) d)", "(quot x (mul c d))", {.when = product_fits}},
    {integers, "(rem x 1)", "0"},
    {signed_ints, "(rem x -1)", "0"},
    {integers, "(rem x c)", "(and x (sub c 1))", {.when = power, .fact = not_negative}},
    {integers, "(rem (rem x y) y)", "(rem x y)"},
    {integers, "(idiv x 1)", "x"},
    {signed_ints, "(idiv x -1)", "(neg x)"},
    {integers, "(idiv x c)", "(shr x (ctz c))", {.when = power}},
    {integers, "(idiv (idiv x c) d)", "(idiv x (mul c d))", {.when = product_fits}},
    {integers, "(idiv x y)", "(quot x y)", {.fact = none_negative}},
    {integers, "(mod x 1)", "0"},
    {signed_ints, "(mod x -1)", "0"},
    {integers, "(mod x c)", "(and x (sub c 1))", {.when = power}},
    {integers, "(mod (mod x y) y)", "(mod x y)"},
    {integers, "(mod x y)", "(rem x y)", {.fact = none_negative}},
};

constexpr Equation order[] = {
    {real, "(min x x)", "x"},
    {real, "(min (min x y) y)", "(min x y)"},
    {bits, "(min (max x y) y)", "y"},
    {real, "(min (min x c) d)", "(min x (min c d))"},
    {integers, "(min x c)", "c", {.when = "(le c 0)", .fact = not_negative}},
    {real, "(max x x)", "x"},
    {real, "(max (max x y) y)", "(max x y)"},
    {bits, "(max (min x y) y)", "y"},
    {real, "(max (max x c) d)", "(max x (max c d))"},
    {integers, "(max x c)", "x", {.when = "(le c 0)", .fact = not_negative}},
    {bits, "(eq x x)", "1"},
    {boolean, "(eq x 1)", "x"},
    {boolean, "(eq x 0)", "(not x)"},
    {boolean, "(eq (cast x) 0)", "(not x)"},
    {integers, "(eq (add x c) d)", "(eq x (sub d c))"},
    {integers, "(eq (sub x c) d)", "(eq x (add c d))"},
    {integers, "(eq (sub x y) 0)", "(eq x y)"},
    {integers, "(eq (add x y) (add x z))", "(eq y z)"},
    {signed_ints, "(eq x c)", "0", {.when = "(lt c 0)", .fact = not_negative}},
    {real, "(eq (cast x) (cast y))", "(eq x y)", {.relation = loses_nothing}},
    {bits, "(ne x x)", "0"},
    {boolean, "(ne x 0)", "x"},
    {boolean, "(ne x 1)", "(not x)"},
    {boolean, "(ne (cast x) 0)", "x"},
    {integers, "(ne (add x c) d)", "(ne x (sub d c))"},
    {integers, "(ne (sub x c) d)", "(ne x (add c d))"},
    {integers, "(ne (sub x y) 0)", "(ne x y)"},
    {integers, "(ne (add x y) (add x z))", "(ne y z)"},
    {signed_ints, "(ne x c)", "1", {.when = "(lt c 0)", .fact = not_negative}},
    {real, "(ne (cast x) (cast y))", "(ne x y)", {.relation = loses_nothing}},
    {real, "(lt x x)", "0"},
    {real, "(lt c x)", "(gt x c)"},
    {integers, "(lt x c)", "0", {.when = "(le c 0)", .fact = not_negative}},
    {real, "(lt (cast x) (cast y))", "(lt x y)", {.relation = loses_nothing}},
    {bits, "(le x x)", "1"},
    {real, "(le c x)", "(ge x c)"},
    {signed_ints, "(le x c)", "0", {.when = "(lt c 0)", .fact = not_negative}},
    {real, "(le (cast x) (cast y))", "(le x y)", {.relation = loses_nothing}},
    {real, "(gt x x)", "0"},
    {real, "(gt c x)", "(lt x c)"},
    {signed_ints, "(gt x c)", "1", {.when = "(lt c 0)", .fact = not_negative}},
    {real, "(gt (cast x) (cast y))", "(gt x y)", {.relation = loses_nothing}},
    {bits, "(ge x x)", "1"},
    {real, "(ge c x)", "(le x c)"},
    {integers, "(ge x c)", "1", {.when = "(le c 0)", .fact = not_negative}},
    {real, "(ge (cast x) (cast y))", "(ge x y)", {.relation = loses_nothing}},
};

constexpr Equation logic[] = {
    {bits, "(and x 0)", "0"},
    {bits, "(and x -1)", "x"},
    {bits, "(and x x)", "x"},
    {bits, "(and x (not x))", "0"},
    {bits, "(and (and x y) y)", "(and x y)"},
    {bits, "(and (or x y) y)", "y"},
    {bits, "(and (and x c) d)", "(and x (and c d))"},
    {bits, "(or x 0)", "x"},
    {bits, "(or x -1)", "-1"},
    {bits, "(or x x)", "x"},
    {bits, "(or x (not x))", "-1"},
    {bits, "(or (or x y) y)", "(or x y)"},
    {bits, "(or (and x y) y)", "y"},
    {bits, "(or (or x c) d)", "(or x (or c d))"},
    {bits, "(xor x 0)", "x"},
    {bits, "(xor x -1)", "(not x)"},
    {bits, "(xor x x)", "0"},
    {bits, "(xor x (not x))", "-1"},
    {bits, "(xor (xor x y) y)", "x"},
    {bits, "(xor (xor x c) d)", "(xor x (xor c d))"},
    {bits, "(not (not x))", "x"},
    {bits, "(not (and (not x) (not y)))", "(or x y)"},
    {bits, "(not (or (not x) (not y)))", "(and x y)"},
    {real, "(not (eq x y))", "(ne x y)"},
    {real, "(not (ne x y))", "(eq x y)"},
    {bits, "(not (lt x y))", "(ge x y)"},  // floats: NaN
    {bits, "(not (le x y))", "(gt x y)"},
    {bits, "(not (gt x y))", "(le x y)"},
    {bits, "(not (ge x y))", "(lt x y)"},
    {integers, "(shl x 0)", "x"},
    {integers, "(shl x c)", "0", {.when = "(or (lt c 0) (ge c 64))"}},
    {integers,
     "(shl (shl x c) d)",
     "(shl x (add c d))",
     {.when = sum_of_amounts, .relation = same_amounts}},
    {integers, "(shr x 0)", "x"},
    {unsigned_ints, "(shr x c)", "0", {.when = "(or (lt c 0) (ge c 64))"}},
    {integers,
     "(shr (shr x c) d)",
     "(shr x (add c d))",
     {.when = sum_of_amounts, .relation = same_amounts}},
    {integers, "(rotl x 0)", "x"},
    {integers, "(rotl (rotr x y) y)", "x"},
    {integers, "(rotr x 0)", "x"},
    {integers, "(rotr (rotl x y) y)", "x"},
};

constexpr Equation choice[] = {
    {any, "(select b x x)", "x"},
    {any, "(select 1 x y)", "x"},
    {any, "(select 0 x y)", "y"},
    {boolean, "(select x 1 0)", "x", {.relation = same}},
    {boolean, "(select x 0 1)", "(not x)", {.relation = same}},
    {boolean, "(select b x 0)", "(and b x)"},
    {boolean, "(select b 1 x)", "(or b x)"},
    {any, "(select (not b) x y)", "(select b y x)"},
    {any, "(select b (select b x y) z)", "(select b x z)"},
    {any, "(select b x (select b y z))", "(select b x z)"},
    {bits, "(select (eq x y) x y)", "y"},
    {bits, "(select (ne x y) x y)", "x"},
    {bits, "(select (lt x y) x y)", "(min x y)"},  // floats: NaN and zeros
    {bits, "(select (le x y) x y)", "(min x y)"},
    {bits, "(select (gt x y) y x)", "(min x y)"},
    {bits, "(select (ge x y) y x)", "(min x y)"},
    {bits, "(select (gt x y) x y)", "(max x y)"},
    {bits, "(select (ge x y) x y)", "(max x y)"},
    {bits, "(select (lt x y) y x)", "(max x y)"},
    {bits, "(select (le x y) y x)", "(max x y)"},
};

constexpr Equation conversion[] = {
    {real, "(cast x)", "x", {.relation = same}},
    {real, "(cast (cast x))", "(cast x)", {.relation = composes}},
    {real, "(bit_cast x)", "x", {.relation = same}},
    {real, "(bit_cast (bit_cast x))", "(bit_cast x)", {.relation = keeps_bits}},
    {wide_floats, "(complex_real (complex_make x y))", "x"},
    {wide_floats, "(complex_imag (complex_make y x))", "x"},
    {complex, "(complex_make (complex_real x) (complex_imag x))", "x"},
};

std::vector<const Equation*> together() {
  std::vector<const Equation*> all;
  const auto add = [&](std::span<const Equation> table) {
    for (const Equation& equation : table) all.push_back(&equation);
  };
  add(arithmetic), add(division), add(order), add(logic), add(choice), add(conversion);
  return all;
}

}  // namespace

std::span<const Equation* const> equations() {
  // Never destroyed: destructors of statics compile programs, too.
  static const std::vector<const Equation*>& all = *new std::vector(together());
  return all;
}

EquationIndex::EquationIndex(std::span<const Equation* const> equations) {
  for (const Equation* equation : equations)
    by_operation_[static_cast<std::size_t>(equation->from.nodes[0].op)].push_back(equation);
}

const EquationIndex& known_equations() {
  static const EquationIndex& index = *new EquationIndex(equations());
  return index;
}

}  // namespace hasten::passes
