// Equal code is found by value numbering: an operation of a reduction's element gets the number of
// the map's operation that does the same to equal operands, with the step as the inner index.
#include "kernels/analysis/stages/kept_elements.hpp"

#include "core/operators.hpp"
#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "kernels/finish.hpp"
#include "kernels/stages.hpp"
#include "passes/dead_code.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <variant>

namespace hasten::kernels {
namespace {

using namespace core;

/// What an operation does, independent of where its result goes.
struct Operation {
  ScalarType type;
  std::uint64_t what;
  std::vector<Value> operands;
  auto operator<=>(const Operation&) const = default;
};

class Finder {
 public:
  explicit Finder(const Kernel& map)
      : kernel_(map),
        element_(map.element),
        varies_(varies_inside_rows(map, map.element)) {}

  std::optional<KeptElements> run() {
    for (const Stmt& stmt : element_.body)
      if (const auto operation = operation_of(stmt, {}))
        if (varies_[stmt.results[0]]) values_.emplace(*operation, stmt.results[0]);
    KeptElements result;
    for (const Stmt& stmt : element_.body)
      if (const auto* reduce = std::get_if<Reduce>(&stmt.op); reduce && folds_whole_row(stmt))
        if (const auto kept = kept_of(*reduce, stmt)) result.kept.push_back(*kept);
    if (result.kept.empty()) return {};
    result.element = rest(result.kept);
    return result;
  }

 private:
  // None unless the statement is a plain operation. `known`: values with another value's number.
  [[nodiscard]] std::optional<Operation> operation_of(const Stmt& stmt,
                                                      const std::map<Value, Value>& known) const {
    const auto number = [&](Value v) {
      const auto found = known.find(v);
      return found == known.end() ? v : found->second;
    };
    const ScalarType type = kernel_.value_types[stmt.results[0]];
    if (const auto* load = std::get_if<LoadLinear>(&stmt.op))
      return Operation{
          type, ~(std::uint64_t{load->array} << 8 | load->leaf), {number(load->index)}};
    const auto* prim = std::get_if<Prim>(&stmt.op);
    if (!prim) return {};
    Operation operation{type, static_cast<std::uint64_t>(prim->op), {}};
    for (Value v : prim->args) operation.operands.push_back(number(v));
    if (row(prim->op).commutative) std::ranges::sort(operation.operands);
    return operation;
  }

  // Whether the reduction begins with the row's first element, in lanes, anew for every row.
  [[nodiscard]] bool folds_whole_row(const Stmt& stmt) const {
    const auto& reduce = std::get<Reduce>(stmt.op);
    const bool is_of_row = !varies_[stmt.results[0]] && depends_on_rows(stmt);
    return is_of_row && lane_operator(reduce.combine).commutative && is_zero(reduce.begin) &&
           std::ranges::count(kernel_.scalars, reduce.end) == 1;
  }

  [[nodiscard]] bool depends_on_rows(const Stmt& reduce) const {
    std::set<Value> of_rows(element_.params.begin(), element_.params.end() - 1);
    const auto depends = [&](const Stmt& stmt) {
      bool some = false;
      for_each_use(stmt, [&](Value v) { some = some || of_rows.contains(v); }, [](ArrayId) {});
      return some;
    };
    for (const Stmt& stmt : element_.body) {
      if (&stmt == &reduce) return depends(stmt);
      if (depends(stmt)) of_rows.insert(stmt.results.begin(), stmt.results.end());
    }
    return false;
  }

  [[nodiscard]] bool is_zero(Value v) const {
    return std::ranges::any_of(element_.body, [&](const Stmt& stmt) {
      const auto* constant = std::get_if<Constant>(&stmt.op);
      return constant && stmt.results[0] == v && constant->bits == Bits{};
    });
  }

  // Of the values that both compute, the one that leaves the least to be computed again.
  std::optional<KeptElement> kept_of(const Reduce& reduce, const Stmt& stmt) {
    std::optional<KeptElement> best;
    std::size_t least = costly_operations(element_);
    for (const auto& [folded, element] : common_values(reduce)) {
      const auto output = output_for(element);
      if (!output || taken_values_.contains(element)) continue;
      const KeptElement kept{stmt.results[0], reduce.end, folded, element, *output};
      const std::size_t left = costly_operations(rest({kept}));
      if (left >= least) continue;
      least = left;
      best = kept;
    }
    if (!best) return {};
    taken_outputs_.insert(best->output);
    taken_values_.insert(best->element);
    return best;
  }

  // Pairs of a value of the reduction and its equal of the map.
  [[nodiscard]] std::vector<std::pair<Value, Value>> common_values(const Reduce& reduce) const {
    std::map<Value, Value> known{{reduce.element.params[0], element_.params.back()}};
    std::vector<std::pair<Value, Value>> common;
    for (const Stmt& inner : reduce.element.body) {
      const auto operation = operation_of(inner, known);
      const auto same = operation ? values_.find(*operation) : values_.end();
      if (same == values_.end()) continue;
      known.emplace(inner.results[0], same->second);
      if (std::holds_alternative<Prim>(inner.op))
        common.emplace_back(inner.results[0], same->second);
    }
    return common;
  }

  // Counts only operations that change along a row.
  [[nodiscard]] std::size_t costly_operations(const Region& region) const {
    return static_cast<std::size_t>(std::ranges::count_if(region.body, [&](const Stmt& stmt) {
      const auto* prim = std::get_if<Prim>(&stmt.op);
      return prim && row(prim->op).expensive && varies_[stmt.results[0]];
    }));
  }

  // The output that can hold the value: its type must be represented in memory as in registers.
  [[nodiscard]] std::optional<std::size_t> output_for(Value v) const {
    const ScalarType type = kernel_.value_types[v];
    if (type == ScalarType::f16 || type == ScalarType::bf16 || detail::is_bool(type)) return {};
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i)
      if (kernel_.outputs[i] == type && !taken_outputs_.contains(i)) return i;
    return {};
  }

  [[nodiscard]] Region rest(const std::vector<KeptElement>& kept) const {
    Region region{element_.params, {}, element_.results};
    std::set<Value> given;
    for (const KeptElement& k : kept) given.insert(k.element);
    for (const Stmt& stmt : element_.body)
      if (!given.contains(stmt.results[0])) region.body.push_back(stmt);
    passes::remove_dead_code(region, kernel_.value_types.size());
    for (const KeptElement& k : kept) region.params.push_back(k.element);
    return region;
  }

  const Kernel& kernel_;
  const Region& element_;
  std::vector<bool> varies_;
  std::map<Operation, Value> values_;  // of the map's element, those that change along a row
  std::set<std::size_t> taken_outputs_;
  std::set<Value> taken_values_;
};

}  // namespace

std::optional<KeptElements> find_kept_elements(const Kernel& map) {
  if (map.rank < 2 || map.interior || !has_row_reductions(map)) return {};
  return Finder(map).run();
}

}  // namespace hasten::kernels
