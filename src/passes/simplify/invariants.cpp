// Each value has the level of the loop that defines it; a statement without operands of a loop's
// level leaves that loop.
#include "passes/simplify/invariants.hpp"

#include "core/scalar_ops.hpp"

#include <utility>

namespace hasten::passes {

using namespace core;

void InvariantHoister::set_level(const std::vector<Value>& values, unsigned level) {
  if (level_.size() < types_.size()) level_.resize(types_.size(), 0);
  for (const Value v : values) level_[v] = level;
}

void InvariantHoister::run(Region& region, unsigned level) {
  Code body = std::move(region.body);
  region.body.clear();
  region.body.reserve(body.size());
  set_level(region.params, level);
  for (Stmt& stmt : body) {
    if (auto* loop = std::get_if<While>(&stmt.op))
      run(*loop, level, region.body);
    else
      edit_regions(stmt, [&](Region& inner) { run(inner, level); });
    if (const auto* constant = std::get_if<Constant>(&stmt.op); constant && constant->slot == none)
      constants_[stmt.results[0]] = constant->bits;
    set_level(stmt.results, level);
    region.body.push_back(std::move(stmt));
  }
}

// Statements that leave the loop are appended to `out`.
void InvariantHoister::run(While& loop, unsigned level, Code& out) {
  run(loop.condition, level + 1);
  run(loop.body, level + 1);
  const bool is_certain = begins(loop);
  take(loop.condition, level + 1, true, out);
  take(loop.body, level + 1, is_certain, out);
}

void InvariantHoister::take(Region& region, unsigned level, bool is_certain, Code& out) {
  Code kept;
  kept.reserve(region.body.size());
  for (Stmt& stmt : region.body) {
    const bool leaves = may_leave(stmt, is_certain) && is_outside(stmt, level);
    if (leaves) set_level(stmt.results, level - 1);
    (leaves ? out : kept).push_back(std::move(stmt));
  }
  region.body = std::move(kept);
}

bool InvariantHoister::is_outside(const Stmt& stmt, unsigned inside) const {
  bool result = true;
  visit_operands(stmt, [&](Value v) { result = result && level(v) < inside; }, [](ArrayId) {});
  return result;
}

bool InvariantHoister::may_leave(const Stmt& stmt, bool is_certain) const {
  bool has_code = false;  // which may use anything
  visit_regions(stmt, [&](const Region& inner) { has_code = has_code || !inner.results.empty(); });
  if (has_code) return false;
  if (is_certain || std::holds_alternative<Constant>(stmt.op) ||
      std::holds_alternative<Extent>(stmt.op))
    return true;
  if (const auto* load = std::get_if<Load>(&stmt.op)) return load->index.empty();
  const auto* prim = std::get_if<Prim>(&stmt.op);
  if (!prim || row(prim->op).expensive) return false;
  if (!row(prim->op).partial) return true;
  const auto divisor = constants_.find(prim->args[1]);
  return divisor != constants_.end() && divisor->second.lo != 0;
}

// Whether the first round is certain: the condition holds for initial values that are constants.
bool InvariantHoister::begins(const While& loop) const {
  std::unordered_map<Value, Bits> known;
  for (std::size_t i = 0; i < loop.init.size(); ++i)
    if (const auto it = constants_.find(loop.init[i]); it != constants_.end())
      known[loop.condition.params[i]] = it->second;
  const auto number = [&](Value v) -> const Bits* {
    if (const auto it = known.find(v); it != known.end()) return &it->second;
    const auto it = constants_.find(v);
    return it == constants_.end() ? nullptr : &it->second;
  };
  for (const Stmt& stmt : loop.condition.body) {
    const auto* prim = std::get_if<Prim>(&stmt.op);
    if (const auto bits = prim ? value_of(*prim, stmt.results[0], number) : std::nullopt)
      known[stmt.results[0]] = *bits;
  }
  const Bits* result = number(loop.condition.results[0]);
  return result && result->lo != 0;
}

std::optional<Bits> InvariantHoister::value_of(const Prim& prim, Value result,
                                               FunctionRef<const Bits*(Value)> number) const {
  std::vector<Bits> args;
  std::vector<ScalarType> arg_types;
  for (const Value arg : prim.args) {
    const Bits* bits = number(arg);
    if (!bits) return std::nullopt;
    args.push_back(*bits);
    arg_types.push_back(types_[arg]);
  }
  return evaluate(prim.op, types_[result], arg_types, args);
}

}  // namespace hasten::passes
