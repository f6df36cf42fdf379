// Which rows a function reads: sums with numbers and limits to the axis are followed.
#include "passes/fission/row_reads.hpp"

#include "core/traverse.hpp"

#include <algorithm>

namespace hasten::passes::fission {

using namespace core;

namespace {

// Beyond this a border is no border.
constexpr std::int64_t rows_max = 1 << 16;

}  // namespace

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
    if (program_.value_types[result] == ScalarType::i64) {
      if (const auto range = value_of(*prim)) ranges_[result] = *range;
      const auto extent = prim->args.size() == 2 ? beyond_.find(prim->args[0]) : beyond_.end();
      const auto n = extent == beyond_.end() ? std::nullopt : number(prim->args[1]);
      if (n && *n >= -rows_max && *n <= rows_max) {
        if (prim->op == ScalarOp::add) beyond_[result] = extent->second + *n;
        if (prim->op == ScalarOp::sub) beyond_[result] = extent->second - *n;
      }
    }
  if (const auto* branch = std::get_if<If>(&stmt.op))
    for (std::size_t i = 0; i < stmt.results.size(); ++i) {
      const auto a = of(branch->then_.results[i]), b = of(branch->else_.results[i]);
      if (a && b)
        ranges_[stmt.results[i]] = {std::min(a->first, b->first), std::max(a->last, b->last)};
    }
}

// i is at least 0 and at most the extent less 1.
std::optional<RowRange> RowReads::value_of(const Prim& prim) const {
  if (prim.args.size() != 2) return std::nullopt;
  Value a = prim.args[0], b = prim.args[1];
  const bool commutes =
      prim.op == ScalarOp::add || prim.op == ScalarOp::min || prim.op == ScalarOp::max;
  if (commutes && !ranges_.contains(a)) std::swap(a, b);
  const auto range = of(a);
  if (!range) return std::nullopt;
  const auto n = number(b);
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
      if (const auto other = of(b))
        return RowRange{std::max(range->first, other->first), std::max(range->last, other->last)};
      if (!n || *n > 0) return std::nullopt;
      return RowRange{range->first, std::max<std::int64_t>(range->last, 0)};
    case ScalarOp::min:
      if (const auto other = of(b))
        return RowRange{std::min(range->first, other->first), std::min(range->last, other->last)};
      if (!is_last_or_beyond(b)) return std::nullopt;
      return RowRange{std::min<std::int64_t>(range->first, 0), range->last};
    default: return std::nullopt;
  }
}

std::optional<Symbol> RowReads::symbol_of(Value value) const {
  return value < host_values_ ? shapes_.of_host(value) : std::nullopt;
}

std::optional<std::int64_t> RowReads::number(Value value) const {
  if (const auto own = numbers_.find(value); own != numbers_.end()) return own->second;
  const auto symbol = symbol_of(value);
  return symbol ? shapes_.number(*symbol) : std::nullopt;
}

bool RowReads::is_last_or_beyond(Value value) const {
  if (const auto own = beyond_.find(value); own != beyond_.end()) return own->second >= -1;
  const auto symbol = symbol_of(value);
  if (!symbol) return false;
  if (*symbol == extent_) return true;
  const Shapes::Expression* const made = shapes_.expression(*symbol);
  if (!made) return false;
  Symbol axis = made->a, other = made->b;
  if (made->op == ScalarOp::add && axis != extent_) std::swap(axis, other);
  const auto n = shapes_.number(other);
  if (axis != extent_ || !n) return false;
  return made->op == ScalarOp::sub ? *n == 1 : made->op == ScalarOp::add && *n == -1;
}

}  // namespace hasten::passes::fission
