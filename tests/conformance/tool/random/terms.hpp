// The parts of steps of random programs: arrays with a bound on their size, functions of elements
// of any type, associative operators.
#pragma once

#include "tests/conformance/tool/random/program.hpp"

#include <hasten/detail/terms/array.hpp>
#include <hasten/detail/terms/scalar.hpp>

namespace hasten::conformance::random {

using detail::Function, detail::ScalarOp, detail::ScalarType, detail::Scope, detail::Term,
    detail::Type;
using Terms = std::vector<Term>;

// Arrays stay small: each is stored with an upper bound on its size.
inline constexpr std::int64_t largest_extent = 9, largest_length = 65, largest_size = 6'000;

struct Sized {
  Term term;
  std::int64_t size = 0;  // at most
};

/// The values that every step may use.
struct Context {
  std::vector<Sized> arrays;  // so far
  Term amount;                // an i64 parameter of the program, small
  Term factor;                // an f32 parameter
  detail::Where where;
};

// --- elements -----------------------------------------------------------------------------------

Term number(std::int64_t n);
Type tuple_of(std::initializer_list<ScalarType> leaves);
bool has_complex(Type type);

/// All leaves of a scalar term, depth first; for complex leaves, their parts.
Terms real_leaves(const Term& value);
/// Applies f to the leaves of several values of one type, and assembles the results.
Term leafwise(const Terms& values, const std::function<Term(const Terms&)>& f);
Term zero_like(Type type);
/// Another value of the same type, which depends on the operator.
Term changed(std::uint32_t op, const Term& x);
/// An i64 that depends on the value.
Term as_number(std::uint32_t which, const Term& value);

/// An associative operator, by number. None of them sums floats, since such sums depend on the
/// grouping; most of them do not commute.
Term combine(std::uint32_t op, const Term& x, const Term& y);
/// An operator that commutes, too.
Term meet(std::uint32_t op, const Term& x, const Term& y);

// --- functions ----------------------------------------------------------------------------------

using Body = std::function<Term(const Terms&)>;

Function function(const std::vector<Type>& params, const Body& body, const detail::Where& where);
Type result_of(const Function& fn);
/// A tree over the leaves of some values and the program's numbers.
Body tree_of(const Context& context, const Step& step);

Term map_by(const Context& context, const Term& source, const Body& body);
Term zip_by(const Context& context, const Term& a, const Term& b, const Body& body);
/// The body receives the index, one i64 per axis.
Term generate_by(const Context& context, Terms extents, const Body& body);
/// Each element as an i64.
Term numbers_of(const Context& context, const Step& step, const Term& source);

}  // namespace hasten::conformance::random
