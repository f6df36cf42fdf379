// Converts symbols of extents and scalar code to sums, statement by statement.
#include "passes/bounds/index_values.hpp"

#include "support/overloaded.hpp"

#include <algorithm>
#include <limits>

namespace hasten::passes {

using namespace core;
using Bounds = Inequalities::Bounds;

namespace {

/// The range of a type that fits into 32 bits.
std::optional<Interval> range_of(ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return Interval{0, 1};
    case ScalarType::i8: return Interval{-128, 127};
    case ScalarType::u8: return Interval{0, 255};
    case ScalarType::i16: return Interval{-32768, 32767};
    case ScalarType::u16: return Interval{0, 65535};
    case ScalarType::i32:
      return Interval{std::numeric_limits<std::int32_t>::min(),
                      std::numeric_limits<std::int32_t>::max()};
    case ScalarType::u32: return Interval{0, std::numeric_limits<std::uint32_t>::max()};
    default: return std::nullopt;
  }
}

/// The divisor of a quotient, or of a shift that is one.
std::optional<std::int64_t> divisor_of(ScalarOp op, const Sum& by) {
  if (!by.is_number() || by.number() < 0) return std::nullopt;
  if (op != ScalarOp::shr) return by.number();
  return by.number() < 40 ? std::optional(std::int64_t{1} << by.number()) : std::nullopt;
}

// No loop reaches this many rounds: it would run for a year.
constexpr std::int64_t rounds_max = std::int64_t{1} << 55;

bool is_within_limit(std::int64_t x) { return x <= Sum::limit && x >= -Sum::limit; }

}  // namespace

Sum IndexValues::fresh(Bounds bounds, Interval interval) {
  intervals_.push_back(interval);
  return Sum::of(inequalities.add(std::move(bounds)));
}

// Nothing if the sum may exceed 64 bits. Factors and numbers are small, so 128 bits suffice.
std::optional<Interval> IndexValues::interval_of(const Sum& sum) const {
  __extension__ using Wide = __int128;
  Wide least = sum.number(), greatest = sum.number();
  for (const auto& [unknown, factor] : sum.terms()) {
    const Wide low = intervals_[unknown].least, high = intervals_[unknown].greatest;
    least += factor * (factor > 0 ? low : high);
    greatest += factor * (factor > 0 ? high : low);
  }
  constexpr Interval all;
  if (least < all.least || greatest > all.greatest) return std::nullopt;
  return Interval{static_cast<std::int64_t>(least), static_cast<std::int64_t>(greatest)};
}

Interval IndexValues::exact_interval(const Sum& sum) const {
  return interval_of(sum).value_or(Interval{});
}

Sum IndexValues::exact(const Sum& sum) { return interval_of(sum) ? sum : anything(); }

// -- symbols --------------------------------------------------------------------------------------

Sum IndexValues::extent(Symbol symbol) {
  if (!shapes_.is_never_negative(symbol)) return anything();
  const Interval interval{0, shapes_.greatest(symbol)};
  return fresh({{{Sum()}}, {}, {}}, interval);
}

Sum IndexValues::of_symbol(Symbol symbol) {
  symbol = shapes_.known(symbol, at_);
  if (const auto known = symbols_.find(symbol); known != symbols_.end()) return known->second;
  Sum sum;
  if (const auto number = shapes_.number(symbol); number && is_within_limit(*number))
    sum = Sum::of_number(*number);
  else if (const Shapes::Expression* made = shapes_.expression(symbol))
    made_.push_back(symbol), sum = expression(*made, symbol);
  else
    sum = extent(symbol);
  return symbols_[symbol] = sum;
}

// The expression stays known after the current facts are forgotten, so it must not rely on them.
Sum IndexValues::expression(const Shapes::Expression& made, Symbol symbol) {
  const Sum a = of_symbol(made.a), b = of_symbol(made.b);
  std::optional<Sum> sum;
  switch (made.op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::min:
    case ScalarOp::max: sum = arithmetic(made.op, a, b); break;
    case ScalarOp::quot:
    case ScalarOp::idiv:
    case ScalarOp::shr:
      if (const auto divisor = divisor_of(made.op, b); divisor && shapes_.is_never_negative(made.a))
        sum = quotient(exact(a), *divisor);
      break;
    default: break;
  }
  return sum ? *sum : extent(symbol);
}

Sum IndexValues::of_extent(ArrayId array, std::uint32_t axis) {
  const Symbol symbol = shapes_.known(shapes_.of(array)[axis], at_);
  const Shapes::Expression* made = shapes_.expression(symbol);
  if (made && made->op == ScalarOp::max) {
    if (shapes_.number(made->b) == 0) return exact(of_symbol(made->a));
    if (shapes_.number(made->a) == 0) return exact(of_symbol(made->b));
  }
  return exact(of_symbol(symbol));
}

// -- values ---------------------------------------------------------------------------------------

Sum IndexValues::of(Value value) {
  if (const auto known = values_.find(value); known != values_.end()) return known->second;
  // Not stored with the value: what is known of a symbol here may not hold elsewhere.
  if (const std::optional<Symbol> symbol = shapes_.of_host(value)) return of_symbol(*symbol);
  return values_[value] = anything();
}

void IndexValues::define_index(Value value, const Sum& extent) {
  Bounds bounds{{{Sum()}}, {}, {}};
  if (const auto last = extent.plus(Sum::of_number(-1))) bounds.at_most.push_back({*last});
  const std::int64_t most = exact_interval(extent).greatest;
  values_[value] = fresh(std::move(bounds), {0, std::max<std::int64_t>(most, 1) - 1});
}

void IndexValues::define(Value value, Bounds bounds) {
  values_[value] = of_bounds(std::move(bounds));
}

Sum IndexValues::of_bounds(Bounds bounds) {
  Interval interval;
  for (const auto& [sum, times] : bounds.at_least)
    if (times == 1) interval.least = std::max(interval.least, exact_interval(sum).least);
  for (const auto& [sum, times] : bounds.at_most)
    if (times == 1) interval.greatest = std::min(interval.greatest, exact_interval(sum).greatest);
  return fresh(std::move(bounds), interval);
}

void IndexValues::define_counter(Value value, Value first, std::int64_t step) {
  const Sum begin = exact(first);
  const Interval before = exact_interval(begin);
  constexpr Interval all;
  __extension__ using Wide = __int128;
  const Wide end =
      (step > 0 ? Wide{before.greatest} : Wide{before.least}) + Wide{step} * rounds_max;
  Bounds bounds;
  (step > 0 ? bounds.at_least : bounds.at_most).push_back({begin});
  const Interval reached =
      step > 0
          ? Interval{before.least, static_cast<std::int64_t>(std::min<Wide>(end, all.greatest))}
          : Interval{static_cast<std::int64_t>(std::max<Wide>(end, all.least)), before.greatest};
  values_[value] = fresh(std::move(bounds), reached);
}

void IndexValues::define_either(Value value, Value a, Value b) {
  if (!is_index(value)) return;
  const Sum x = exact(of(a)), y = exact(of(b));
  const Interval left = exact_interval(x), right = exact_interval(y);
  values_[value] = fresh({{}, {}, {x, y}}, {std::min(left.least, right.least),
                                            std::max(left.greatest, right.greatest)});
}

void IndexValues::define(const Stmt& stmt) {
  const Value result = stmt.results[0];
  if (const auto* constant = std::get_if<Constant>(&stmt.op)) {
    const auto number = static_cast<std::int64_t>(constant->bits.lo);
    if (constant->slot == none && types_[result] == ScalarType::boolean)
      truths_[result] = number != 0;
    if (detail::is_integral(types_[result]) && constant->slot == none && is_within_limit(number))
      values_[result] = Sum::of_number(number);
  }
  if (const auto* extent = std::get_if<Extent>(&stmt.op))
    values_[result] = of_symbol(shapes_.of(extent->array)[extent->axis]);
  const auto* prim = std::get_if<Prim>(&stmt.op);
  if (!prim) return;
  if (types_[result] == ScalarType::boolean) conditions_[result] = prim;
  if (!is_index(result)) return;
  if (prim->op == ScalarOp::cast) values_[result] = converted(prim->args[0]);
  if (prim->op == ScalarOp::neg)
    if (const auto sum = of(prim->args[0]).times(-1)) values_[result] = *sum;
  if (prim->op == ScalarOp::select) define_either(result, prim->args[1], prim->args[2]);
  if (prim->args.size() != 2 || !is_index(prim->args[0])) return;
  const bool shifts = prim->op == ScalarOp::shl || prim->op == ScalarOp::shr;
  if (!shifts && !is_index(prim->args[1])) return;
  if (const auto sum = arithmetic(prim->op, of(prim->args[0]), of(prim->args[1])))
    values_[result] = *sum;
}

// Conversions from floats saturate, and yield an arbitrary number.
Sum IndexValues::converted(Value from) {
  if (is_index(from)) return of(from);
  const std::optional<Interval> range = range_of(types_[from]);
  if (!range) return anything();
  return fresh({{{Sum::of_number(range->least)}}, {{Sum::of_number(range->greatest)}}, {}}, *range);
}

std::optional<Sum> IndexValues::arithmetic(ScalarOp op, const Sum& a, const Sum& b) {
  switch (op) {
    case ScalarOp::add: return a.plus(b);
    case ScalarOp::sub: return a.plus(b, -1);
    case ScalarOp::mul:
      if (b.is_number()) return a.times(b.number());
      if (a.is_number()) return b.times(a.number());
      return std::nullopt;
    case ScalarOp::shl:
      if (!b.is_number() || b.number() < 0 || b.number() >= 40) return std::nullopt;
      return a.times(std::int64_t{1} << b.number());
    case ScalarOp::min: return least(a, b);
    case ScalarOp::max: return greatest(a, b);
    case ScalarOp::quot:
    case ScalarOp::idiv:
    case ScalarOp::shr: return shown_quotient(a, divisor_of(op, b));
    case ScalarOp::rem:
    case ScalarOp::mod: return remainder(a, b);
    default: return std::nullopt;
  }
}

Sum IndexValues::least(const Sum& a, const Sum& b) {
  const Sum x = exact(a), y = exact(b);
  const Interval left = exact_interval(x), right = exact_interval(y);
  return fresh({{}, {{x}, {y}}, {x, y}},
               {std::min(left.least, right.least), std::min(left.greatest, right.greatest)});
}

Sum IndexValues::greatest(const Sum& a, const Sum& b) {
  const Sum x = exact(a), y = exact(b);
  const Interval left = exact_interval(x), right = exact_interval(y);
  return fresh({{{x}, {y}}, {}, {x, y}},
               {std::max(left.least, right.least), std::max(left.greatest, right.greatest)});
}

std::optional<Sum> IndexValues::shown_quotient(const Sum& a, std::optional<std::int64_t> divisor) {
  const Sum x = exact(a);
  if (!divisor || !inequalities.is_never_negative(x)) return std::nullopt;
  return quotient(x, *divisor);
}

// Requires a number that is not negative.
std::optional<Sum> IndexValues::quotient(const Sum& a, std::int64_t divisor) {
  const auto above = a.plus(Sum::of_number(1 - divisor));
  if (divisor <= 0 || !above) return std::nullopt;
  return fresh({{{Sum()}, {*above, divisor}}, {{a, divisor}}, {}},
               {0, std::max<std::int64_t>(exact_interval(a).greatest, 0) / divisor});
}

// Requires numbers that are not negative; the divisor may be 0: the result is below it, or 0.
std::optional<Sum> IndexValues::remainder(const Sum& a, const Sum& b) {
  const Sum x = exact(a), y = exact(b);
  if (!inequalities.is_never_negative(x) || !inequalities.is_never_negative(y)) return std::nullopt;
  Bounds bounds{{{Sum()}}, {{x}}, {}};
  const auto last = y.plus(Sum::of_number(-1));
  if (last && inequalities.is_never_negative(*last)) bounds.at_most.push_back({*last});
  return fresh(std::move(bounds), counted);
}

// -- conditions -----------------------------------------------------------------------------------

bool IndexValues::is_constant(Value condition, bool value) const {
  const auto known = truths_.find(condition);
  return known != truths_.end() && known->second == value;
}

void IndexValues::assume(Value condition, bool holds) {
  if (const auto branch = branches_.find(condition); branch != branches_.end())
    return assume(*branch->second, holds);
  if (const auto prim = conditions_.find(condition); prim != conditions_.end())
    assume(*prim->second, holds);
}

// C++'s a && b is `if a then b else false`, a || b `if a then true else b`.
void IndexValues::assume(const If& branch, bool holds) {
  const Value then_ = branch.then_.results[0], else_ = branch.else_.results[0];
  if (holds && is_constant(else_, false)) {
    assume(branch.condition, true);
    assume(then_, true);
  }
  if (!holds && is_constant(then_, true)) {
    assume(branch.condition, false);
    assume(else_, false);
  }
}

void IndexValues::assume(const Prim& prim, bool holds) {
  const Value a = prim.args[0];
  if (prim.op == ScalarOp::not_) return assume(a, !holds);
  if (prim.op == ScalarOp::select) {
    if (holds && is_constant(prim.args[2], false)) assume(a, true), assume(prim.args[1], true);
    if (!holds && is_constant(prim.args[1], true)) assume(a, false), assume(prim.args[2], false);
    return;
  }
  if (prim.args.size() != 2) return;
  const Value b = prim.args[1];
  if ((prim.op == ScalarOp::and_ && holds) || (prim.op == ScalarOp::or_ && !holds)) {
    assume(a, holds);
    assume(b, holds);
    return;
  }
  if (is_index(a) && is_index(b)) compare(prim.op, exact(a), exact(b), holds);
}

void IndexValues::compare(ScalarOp op, const Sum& a, const Sum& b, bool holds) {
  const auto not_less = [&](const Sum& x, const Sum& y, std::int64_t by) {
    const std::optional<Sum> difference = x.plus(y, -1);
    if (difference) inequalities.assume_not_negative(difference->plus(Sum::of_number(-by)));
  };
  switch (op) {
    case ScalarOp::lt: return holds ? not_less(b, a, 1) : not_less(a, b, 0);
    case ScalarOp::le: return holds ? not_less(b, a, 0) : not_less(a, b, 1);
    case ScalarOp::gt: return holds ? not_less(a, b, 1) : not_less(b, a, 0);
    case ScalarOp::ge: return holds ? not_less(a, b, 0) : not_less(b, a, 1);
    case ScalarOp::eq:
    case ScalarOp::ne:
      if ((op == ScalarOp::eq) != holds) return;
      not_less(a, b, 0);
      return not_less(b, a, 0);
    default: return;
  }
}

}  // namespace hasten::passes
