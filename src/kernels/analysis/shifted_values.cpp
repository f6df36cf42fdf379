// Operations are numbered by their operands' numbers and by the shifts relative to the first one.
#include "kernels/analysis/shifted_values.hpp"

#include <tuple>

namespace hasten::kernels {

using namespace core;

namespace {
constexpr std::int64_t shift_most = 1 << 20;
}

ShiftedValues::ShiftedValues(const Kernel& kernel, const Region& element)
    : kernel_(kernel),
      of_(kernel.value_types.size()) {
  for (std::size_t axis = 0; axis < element.params.size(); ++axis)
    of_[element.params[axis]] = index(axis, element);
  for (const Stmt& stmt : element.body) place(stmt);
}

const ShiftedValue& ShiftedValues::operator[](Value v) {
  if (of_[v].shape == none) of_[v].shape = number({{free_value, v}});  // an argument
  return of_[v];
}

std::uint32_t ShiftedValues::number(const Head& head, Key operands) {
  for (const auto& [a, b] : head) operands.push_back({a, b, 0});
  return numbers_.try_emplace(std::move(operands), static_cast<std::uint32_t>(numbers_.size()))
      .first->second;
}

ShiftedValue ShiftedValues::index(std::size_t axis, const Region& element) {
  ShiftedValue result{number({{free_value, element.params[axis]}})};
  const std::size_t rank = element.params.size();
  result.has_row = axis + 2 == rank;
  result.has_column = result.is_linear = axis + 1 == rank;
  return result;
}

void ShiftedValues::place(const Stmt& stmt) {
  if (const auto* constant = std::get_if<Constant>(&stmt.op)) return place(stmt, *constant);
  if (const auto* prim = std::get_if<Prim>(&stmt.op)) return place(stmt, *prim);
  if (const auto* load = std::get_if<LoadLinear>(&stmt.op)) {
    of_[stmt.results[0]] = made({{read, load->array}, {load->leaf, 0}}, {load->index}, false);
    return;
  }
  for (const Value v : stmt.results) {
    of_[v].shape = number({{free_value, v}});
    of_[v].is_movable = false;
  }
}

void ShiftedValues::place(const Stmt& stmt, const Constant& constant) {
  const Value v = stmt.results[0];
  of_[v].shape = number(
      {{literal, static_cast<std::int64_t>(kernel_.value_types[v])},
       {static_cast<std::int64_t>(constant.bits.lo), static_cast<std::int64_t>(constant.bits.hi)}});
  if (kernel_.value_types[v] == ScalarType::i64)
    numbers_of_[v] = static_cast<std::int64_t>(constant.bits.lo);
}

void ShiftedValues::place(const Stmt& stmt, const Prim& prim) {
  const Value v = stmt.results[0];
  if (const auto moved = moved_index(prim)) {
    of_[v] = *moved;
    return;
  }
  const bool commutes = prim.op == ScalarOp::add || prim.op == ScalarOp::mul;
  of_[v] = made({{operation, static_cast<std::int64_t>(prim.op)},
                 {static_cast<std::int64_t>(kernel_.value_types[v]), 0}},
                prim.args, commutes);
  if (prim.op != ScalarOp::add || kernel_.value_types[v] != ScalarType::i64) return;
  const ShiftedValue &a = (*this)[prim.args[0]], &b = (*this)[prim.args[1]];
  of_[v].is_linear = (a.is_linear && !b.has_column) || (b.is_linear && !a.has_column);
}

// An index, or a value that an index is added to, plus a number.
std::optional<ShiftedValue> ShiftedValues::moved_index(const Prim& prim) {
  if (prim.op != ScalarOp::add && prim.op != ScalarOp::sub) return {};
  for (const std::size_t i : {0U, 1U}) {
    const auto by = numbers_of_.find(prim.args[i]);
    if (by == numbers_of_.end() || (prim.op == ScalarOp::sub && i == 0)) continue;
    if (by->second > shift_most || by->second < -shift_most) continue;
    ShiftedValue moved = (*this)[prim.args[1 - i]];
    const std::int64_t step = prim.op == ScalarOp::sub ? -by->second : by->second;
    if (moved.is_linear)
      moved.column += step;
    else if (moved.has_row && is_index(moved.shape))
      moved.row += step;
    else
      continue;
    return moved;
  }
  return {};
}
// Operands of commutative operations are put in a canonical order.
ShiftedValue ShiftedValues::made(const Head& head, const std::vector<Value>& args, bool commutes) {
  std::vector<ShiftedValue> from;
  for (const Value arg : args) from.push_back((*this)[arg]);
  const auto order = [](const ShiftedValue& a) { return std::tuple(a.shape, a.row, a.column); };
  if (commutes && order(from[1]) < order(from[0])) std::swap(from[0], from[1]);
  ShiftedValue result;
  for (const ShiftedValue& a : from) {
    if (a.has_row && !result.has_row) result.row = a.row;
    if (a.has_column && !result.has_column) result.column = a.column;
    result.has_row |= a.has_row;
    result.has_column |= a.has_column;
    result.is_movable &= a.is_movable;
  }
  Key operands;
  for (const ShiftedValue& a : from)
    operands.push_back(
        {a.shape, a.has_row ? a.row - result.row : 0, a.has_column ? a.column - result.column : 0});
  result.shape = number(head, std::move(operands));
  return result;
}

}  // namespace hasten::kernels
