// Walks backward: the uses of a definition are known before it is reached.
#include "passes/dead_code.hpp"

#include "core/traverse.hpp"

#include <algorithm>

namespace hasten::passes {
namespace {

using namespace core;

class Sweeper {
 public:
  Sweeper(std::size_t values, std::size_t arrays) : live_(values), live_arrays_(arrays) {}

  void mark(const std::vector<Value>& values) {
    for (Value v : values) mark(v);
  }
  void mark(Value v) {
    if (v != none) live_[v] = true;
  }
  void mark_arrays(const std::vector<ArrayId>& arrays) {
    for (ArrayId a : arrays) mark_array(a);
  }
  std::vector<bool> take_live() { return std::move(live_); }

  void sweep(Region& region) {
    mark(region.results);
    sweep_backwards(region.body, [&](Stmt& stmt) { return keep(stmt); });
  }

  void sweep(Block& block) {
    mark_arrays(block.results);
    mark(block.value);
    sweep_backwards(block.bindings, [&](Binding& binding) { return keep(binding); });
  }

 private:
  template <class T, class Keep>
  static void sweep_backwards(std::vector<T>& list, Keep keep) {
    std::vector<T> kept;
    for (auto it = list.rbegin(); it != list.rend(); ++it)
      if (keep(*it)) kept.push_back(std::move(*it));
    std::reverse(kept.begin(), kept.end());
    list = std::move(kept);
  }

  void mark_array(ArrayId a) {
    if (a < live_arrays_.size()) live_arrays_[a] = true;
  }

  bool keep(Stmt& stmt) {
    if (std::none_of(stmt.results.begin(), stmt.results.end(), [&](Value v) { return live_[v]; }))
      return false;
    if (auto* branch = std::get_if<If>(&stmt.op)) drop_results(stmt.results, *branch);
    edit_regions(stmt, [&](Region& inner) { sweep(inner); });
    mark_operands(stmt);
    return true;
  }

  void drop_results(std::vector<Value>& results, If& branch) const {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!live_[results[i]]) continue;
      results[kept] = results[i];
      branch.then_.results[kept] = branch.then_.results[i];
      branch.else_.results[kept] = branch.else_.results[i];
      ++kept;
    }
    results.resize(kept);
    branch.then_.results.resize(kept);
    branch.else_.results.resize(kept);
  }

  void drop_carried(std::vector<ArrayId>& results, SortPositions& sort) const {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sort.carried.size(); ++i) {
      if (!live_arrays_[results[1 + i]]) continue;
      results[1 + kept] = results[1 + i];
      sort.carried[kept++] = sort.carried[i];
    }
    results.resize(1 + kept);
    sort.carried.resize(kept);
    sort.only_carried = !live_arrays_[results[0]];
  }

  void mark_operands(const auto& node) {
    visit_operands(node, [&](Value v) { mark(v); }, [&](ArrayId a) { mark_array(a); });
  }

  // A condition on whole arrays is checked even if the array that it guards is dead.
  static bool has_condition(const Binding& binding) {
    if (std::holds_alternative<Demand>(binding.op)) return true;
    bool found = false;
    visit_blocks(binding.op, [&](const Block& inner) {
      found = found || std::ranges::any_of(inner.bindings, has_condition);
    });
    return found;
  }

  bool keep(Binding& binding) {
    if (auto* scalar = std::get_if<HostScalar>(&binding.op)) return keep(scalar->stmt);
    const auto& results = binding.results;
    if (std::none_of(results.begin(), results.end(), [&](ArrayId a) { return live_arrays_[a]; }) &&
        !has_condition(binding))
      return false;
    const bool parts = std::holds_alternative<Compact>(binding.op) && results.size() == 2;
    if (parts && !live_arrays_[results[1]]) binding.results.pop_back();
    if (auto* sort = std::get_if<SortPositions>(&binding.op)) drop_carried(binding.results, *sort);
    edit_blocks(binding.op, [&](Block& inner) { sweep(inner); });
    if (Region* fn = region_of(binding.op)) sweep(*fn);
    mark_operands(binding.op);
    return true;
  }

  std::vector<bool> live_, live_arrays_;
};

}  // namespace

Program remove_dead_code(Program program) {
  Sweeper sweeper(program.value_types.size(), program.array_types.size());
  sweeper.mark(program.scalar_results);
  sweeper.sweep(program.body);
  return program;
}

std::vector<bool> remove_dead_code(Region& region, std::size_t value_count) {
  Sweeper sweeper(value_count, 0);
  sweeper.sweep(region);
  return sweeper.take_live();
}

}  // namespace hasten::passes
