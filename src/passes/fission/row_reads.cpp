// Finds the rows that a function reads: sums with numbers, limits to the axis, remainders and
// reflections.
#include "passes/fission/row_reads.hpp"

#include "core/traverse.hpp"

#include <algorithm>
#include <cstdlib>

namespace hasten::passes::fission {

using namespace core;

namespace {

// A larger border is no border.
constexpr std::int64_t rows_max = 1 << 16;

}  // namespace

void RowRange::include(const RowRange& other) {
  first = std::min(first, other.first);
  last = std::max(last, other.last);
  wraps |= other.wraps;
}

void RowReads::walk(const Region& fn, const std::vector<Value>& indices) {
  for (const Value index : indices) ranges_[index] = {};
  visit(fn);
}

std::optional<RowRange> RowReads::of(Value value) const {
  const auto found = ranges_.find(value);
  return found == ranges_.end() ? std::nullopt : std::optional(found->second);
}

void RowReads::visit(const Region& region) {
  for (const Stmt& stmt : region.body) visit(stmt);
}

void RowReads::visit(const Stmt& stmt) {
  visit_regions(stmt, [&](const Region& inner) { visit(inner); });
  const Value result = stmt.results.front();
  if (const auto* constant = std::get_if<Constant>(&stmt.op))
    if (constant->slot == none && program_.value_types[result] == ScalarType::i64)
      numbers_[result] = static_cast<std::int64_t>(constant->bits.lo);
  if (const auto* of = std::get_if<Extent>(&stmt.op))
    if (shapes_.of(of->array)[of->axis] == extent_) beyond_[result] = 0;
  if (const auto* prim = std::get_if<Prim>(&stmt.op))
    if (program_.value_types[result] == ScalarType::i64) visit(result, *prim);
  if (const auto* branch = std::get_if<If>(&stmt.op))
    for (std::size_t i = 0; i < stmt.results.size(); ++i) {
      const auto a = of(branch->then_.results[i]), b = of(branch->else_.results[i]);
      if (!a || !b) continue;
      RowRange& all = ranges_[stmt.results[i]] = *a;
      all.include(*b);
    }
}

void RowReads::visit(Value result, const Prim& prim) {
  if (prim.args.size() != 2) return;
  if (const auto range = value_of(prim)) ranges_[result] = *range;
  note_reflection(result, prim);
  const auto extent = beyond(prim.args[0]), n = number(prim.args[1]);
  if (!extent || !n || *n < -rows_max || *n > rows_max) return;
  if (prim.op == ScalarOp::add) beyond_[result] = *extent + *n;
  if (prim.op == ScalarOp::sub) beyond_[result] = *extent - *n;
}

// i is at least 0 and at most the extent less 1.
std::optional<RowRange> RowReads::value_of(const Prim& prim) const {
  Value a = prim.args[0], b = prim.args[1];
  if (prim.op == ScalarOp::min)
    if (const auto reflected = least_of(a, b)) return reflected;
  const bool commutes =
      prim.op == ScalarOp::add || prim.op == ScalarOp::min || prim.op == ScalarOp::max;
  if (commutes && !ranges_.contains(a)) std::swap(a, b);
  const auto range = of(a);
  if (!range || range->wraps) return std::nullopt;
  const auto n = number(b);
  const auto other = of(b);
  switch (prim.op) {
    case ScalarOp::add:
    case ScalarOp::sub: {
      if (!n || *n < -rows_max || *n > rows_max) return std::nullopt;
      const std::int64_t by = prim.op == ScalarOp::add ? *n : -*n;
      const RowRange moved{range->first + by, range->last + by};
      if (moved.first < -rows_max || moved.last > rows_max) return std::nullopt;
      return moved;
    }
    case ScalarOp::max:
      if (other && !other->wraps)
        return RowRange{std::max(range->first, other->first), std::max(range->last, other->last)};
      if (!n || *n > 0) return std::nullopt;
      return RowRange{range->first, std::max<std::int64_t>(range->last, 0)};
    case ScalarOp::min:
      if (other && !other->wraps)
        return RowRange{std::min(range->first, other->first), std::min(range->last, other->last)};
      if (beyond(b).value_or(-2) < -1) return std::nullopt;
      return RowRange{std::min<std::int64_t>(range->first, 0), range->last};
    case ScalarOp::mod:
      if (beyond(b) != 0) return std::nullopt;
      return RowRange{range->first, range->last, true};
    default: return std::nullopt;
  }
}

// -- reflections ----------------------------------------------------------------------------------

// min(r, p - r), r = (i + c) mod p, p = max(2 * (n - 1), 1): i + c itself if that is an index, and
// never farther from i than i + c beyond the ends.
std::optional<RowRange> RowReads::least_of(Value a, Value b) const {
  const auto there = left_.contains(a) ? b : a, left = there == a ? b : a;
  const auto remainder = remainders_.find(there);
  const auto back = left_.find(left);
  if (remainder == remainders_.end() || back == left_.end() || back->second != there)
    return std::nullopt;
  const RowRange& sum = remainder->second;
  const std::int64_t most = std::max(std::abs(sum.first), std::abs(sum.last));
  return RowRange{-most, most};
}

void RowReads::note_reflection(Value result, const Prim& prim) {
  const Value a = prim.args[0], b = prim.args[1];
  const auto both = [&](std::int64_t n, auto is) {
    return (number(a) == n && is(b)) || (number(b) == n && is(a));
  };
  switch (prim.op) {
    case ScalarOp::mul:
      if (both(2, [&](Value v) { return beyond(v) == -1; })) twice_last_.insert(result);
      break;
    case ScalarOp::max:
      if (both(1, [&](Value v) { return is_twice_last(v); })) periods_.insert(result);
      break;
    case ScalarOp::mod:
      if (const auto sum = of(a); sum && !sum->wraps && is_period(b)) remainders_[result] = *sum;
      break;
    case ScalarOp::sub:
      if (is_period(a) && remainders_.contains(b)) left_[result] = b;
      break;
    default: break;
  }
}

bool RowReads::is_twice_last(Value value) const {
  const auto symbol = symbol_of(value);
  return twice_last_.contains(value) || (symbol && is_twice_last_symbol(*symbol));
}

bool RowReads::is_twice_last_symbol(Symbol symbol) const {
  const Shapes::Expression* const made = shapes_.expression(symbol);
  if (!made || made->op != ScalarOp::mul) return false;
  return (shapes_.number(made->a) == 2 && beyond_of(made->b) == -1) ||
         (shapes_.number(made->b) == 2 && beyond_of(made->a) == -1);
}

bool RowReads::is_period(Value value) const {
  if (periods_.contains(value)) return true;
  const auto symbol = symbol_of(value);
  const Shapes::Expression* const made = symbol ? shapes_.expression(*symbol) : nullptr;
  if (!made || made->op != ScalarOp::max) return false;
  return (shapes_.number(made->a) == 1 && is_twice_last_symbol(made->b)) ||
         (shapes_.number(made->b) == 1 && is_twice_last_symbol(made->a));
}

// -- numbers --------------------------------------------------------------------------------------

std::optional<Symbol> RowReads::symbol_of(Value value) const {
  return value < host_values_ ? shapes_.of_host(value) : std::nullopt;
}

std::optional<std::int64_t> RowReads::number(Value value) const {
  if (const auto own = numbers_.find(value); own != numbers_.end()) return own->second;
  const auto symbol = symbol_of(value);
  return symbol ? shapes_.number(*symbol) : std::nullopt;
}

// How far the value exceeds the extent, if that is known.
std::optional<std::int64_t> RowReads::beyond(Value value) const {
  if (const auto own = beyond_.find(value); own != beyond_.end()) return own->second;
  const auto symbol = symbol_of(value);
  return symbol ? beyond_of(*symbol) : std::nullopt;
}

std::optional<std::int64_t> RowReads::beyond_of(Symbol symbol) const {
  if (symbol == extent_) return 0;
  const Shapes::Expression* const made = shapes_.expression(symbol);
  if (!made || (made->op != ScalarOp::add && made->op != ScalarOp::sub)) return std::nullopt;
  Symbol axis = made->a, other = made->b;
  if (made->op == ScalarOp::add && axis != extent_) std::swap(axis, other);
  const auto n = shapes_.number(other);
  if (axis != extent_ || !n || *n < -rows_max || *n > rows_max) return std::nullopt;
  return made->op == ScalarOp::sub ? -*n : *n;
}

}  // namespace hasten::passes::fission
