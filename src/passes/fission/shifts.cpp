// Rows of arrays with other cuts. Where each row of a result comes from the row a number of the
// host further (take, drop, tail, init, slit), its parts are those of the source by a cut that is
// moved. A function's reads within a fixed distance of its index take rows of the whole.
#include "passes/fission/rewriter.hpp"

#include <algorithm>

namespace hasten::passes::fission {

using namespace core;

namespace {

// What a sum adds or subtracts.
struct Summand {
  ScalarOp op;
  Value value;
  std::optional<std::int64_t> number;  // of a constant in the function
};

const Stmt* definition(const Region& fn, Value value) {
  const auto defines = [&](const Stmt& stmt) { return stmt.results.front() == value; };
  const auto found = std::ranges::find_if(fn.body, defines);
  return found == fn.body.end() ? nullptr : &*found;
}

const Prim* sum_that_is(const Region& fn, Value value) {
  const Stmt* const stmt = definition(fn, value);
  const auto* const prim = stmt ? std::get_if<Prim>(&stmt->op) : nullptr;
  return prim && (prim->op == ScalarOp::add || prim->op == ScalarOp::sub) ? prim : nullptr;
}

std::optional<std::int64_t> constant_that_is(const Region& fn, Value value) {
  const Stmt* const stmt = definition(fn, value);
  const auto* const constant = stmt ? std::get_if<Constant>(&stmt->op) : nullptr;
  if (!constant || constant->slot != none) return std::nullopt;
  return static_cast<std::int64_t>(constant->bits.lo);
}

}  // namespace

// The index less the function's first parameter, if that is a number of the host.
std::optional<Value> Rewriter::rows_moved_by(const Region& fn, Value index) {
  std::vector<Summand> summands;
  const auto add = [&](ScalarOp op, Value value) {
    const auto number = constant_that_is(fn, value);
    const bool is_host = value < from_.value_types.size() && shapes_.of_host(value);
    if (!number && !is_host) return false;
    summands.push_back({op, value, number});
    return true;
  };
  while (index != fn.params[0]) {
    const Prim* const sum = sum_that_is(fn, index);
    if (!sum) return std::nullopt;
    if (add(sum->op, sum->args[1])) {
      index = sum->args[0];
    } else if (sum->op == ScalarOp::add && add(sum->op, sum->args[0])) {
      index = sum->args[1];
    } else {
      return std::nullopt;
    }
  }
  BlockWriter code = writer();
  Value by = code.number(0);
  for (const Summand& each : summands)
    by = code.host(each.op, by, each.number ? code.number(*each.number) : mapped(each.value));
  return by;
}

std::optional<Rewriter::Cut> Rewriter::cut_of_moved(const Backpermute& op, Cut cut) {
  if (op.fn.results.empty() || !contains(op.inside, 0)) return std::nullopt;
  if (at_firsts_.contains(op.source)) return std::nullopt;
  if (named_cut(known(symbol(op.source))) == cut) return std::nullopt;
  const std::pair key{cut, &op};
  const auto before = moved_.find(key);
  if (before != moved_.end() && is_open(cuts_[before->second].scope)) return before->second;
  const auto by = rows_moved_by(op.fn, op.fn.results[0]);
  if (!by) return std::nullopt;
  return moved_[key] = moved_cut(cut, *by, op.source);
}

// Parts without rows may begin anywhere.
Rewriter::Cut Rewriter::moved_cut(Cut cut, Value by, ArrayId array) {
  const Value rows = extent(array, 0);
  BlockWriter code = writer();
  const Value zero = code.number(0);
  std::vector<Value> at = cuts_[cut].at;
  for (Value& point : at) {
    const Value moved = code.host(ScalarOp::max, code.host(ScalarOp::add, point, by), zero);
    point = code.host(ScalarOp::min, moved, rows);
  }
  return add_cut(std::move(at));
}

Rewriter::Near Rewriter::near_of_other(ArrayId array, Cut cut, std::size_t part,
                                       const RowRange& range) {
  const auto moved = [&](std::int64_t by) {
    const std::tuple key{cut, known(symbol(array)), by};
    const auto before = near_.find(key);
    if (before != near_.end() && is_open(cuts_[before->second].scope)) return before->second;
    return near_[key] = moved_cut(cut, writer().number(by), array);
  };
  const Cut first = moved(range.first);
  Near result;
  result.begin = cuts_[first].at[part];
  if (range.first == range.last) {
    result.own = parts_in(array, first)[part];
  } else {
    const Value end = cuts_[moved(range.last)].at[part + 1];
    result.own = writer().add(to_.array_types[array], Rows{whole(array), result.begin, end});
  }
  return result;
}

}  // namespace hasten::passes::fission
