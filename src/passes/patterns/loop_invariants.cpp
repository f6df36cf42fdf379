// One walk over a loop's body finds what depends on its state; of the rest, what costs most, and
// what that is made of, is copied to before the loop.
#include "passes/patterns/loop_invariants.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "support/overloaded.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <vector>

namespace hasten::passes {
namespace {

using namespace core;

/// Values and arrays.
struct Names {
  std::unordered_set<Value> values;
  std::unordered_set<ArrayId> arrays;
};

void for_each_definition(const Binding& binding, FunctionRef<void(Value)> value,
                         FunctionRef<void(ArrayId)> array) {
  for (const ArrayId result : binding.results) array(result);
  if (const auto* scalar = std::get_if<HostScalar>(&binding.op))
    for (const Value result : scalar->stmt.results) value(result);
}

bool uses_any(const Binding& binding, const Names& names) {
  bool result = false;
  for_each_use(
      binding, [&](Value v) { result = result || names.values.contains(v); },
      [&](ArrayId a) { result = result || names.arrays.contains(a); });
  return result;
}

// Its calls may be counted, or have other effects.
bool is_foreign(const Binding& binding) {
  if (std::holds_alternative<ForeignArrays>(binding.op)) return true;
  bool result = false;
  const auto look = [&](auto& self, const Region& region) -> void {
    for (const Stmt& stmt : region.body) {
      result = result || std::holds_alternative<ForeignCall>(stmt.op);
      visit_regions(stmt, [&](const Region& inner) { self(self, inner); });
    }
  };
  if (const Region* const fn = region_of(binding.op)) look(look, *fn);
  visit_blocks(binding.op, [&](const Block& inner) {
    result = result || std::ranges::any_of(inner.bindings, is_foreign);
  });
  return result;
}

// Whether an element takes longer than reading it would.
bool is_costly(const Region& fn) {
  return std::ranges::any_of(fn.body, [](const Stmt& stmt) {
    if (std::holds_alternative<While>(stmt.op)) return true;
    const auto* prim = std::get_if<Prim>(&stmt.op);
    bool result = prim && row(prim->op).expensive;
    visit_regions(stmt, [&](const Region& inner) { result = result || is_costly(inner); });
    return result;
  });
}

bool is_worth_an_array(const ArrayOp& op) {
  if (is_one_of<GenerateSegments, Fold, FoldSegments, Scan, Permute, Compact, SortPositions,
                Compute, ArrayIf, ArrayWhile>(op))
    return true;
  const Region* const fn = is_one_of<Generate, Map, ZipWith>(op) ? region_of(op) : nullptr;
  return fn && is_costly(*fn);
}

class LoopHoister {
 public:
  explicit LoopHoister(Program& program) : program_(program) {}

  void run(Block& block) {
    std::vector<Binding> bindings;
    bindings.reserve(block.bindings.size());
    for (Binding& binding : block.bindings) {
      edit_blocks(binding.op, [&](Block& inner) { run(inner); });
      if (std::holds_alternative<ArrayWhile>(binding.op)) hoist(binding, bindings);
      bindings.push_back(std::move(binding));
    }
    block.bindings = std::move(bindings);
  }

 private:
  // By binding of the loop's body.
  [[nodiscard]] static std::vector<bool> unchanged(const Block& body) {
    Names changed;
    changed.arrays.insert(body.params.begin(), body.params.end());
    std::vector<bool> result;
    for (const Binding& binding : body.bindings) {
      result.push_back(!uses_any(binding, changed) && !is_foreign(binding));
      if (result.back()) continue;
      for_each_definition(
          binding, [&](Value v) { changed.values.insert(v); },
          [&](ArrayId a) { changed.arrays.insert(a); });
    }
    return result;
  }

  // What is worth it, and, in `made_of`, that with all it is made of.
  [[nodiscard]] static std::vector<bool> chosen(const Block& body,
                                                const std::vector<bool>& unchanged,
                                                std::vector<bool>& made_of) {
    std::vector<bool> result(body.bindings.size());
    made_of.assign(body.bindings.size(), false);
    Names needed;
    for (std::size_t i = body.bindings.size(); i-- > 0;) {
      const Binding& binding = body.bindings[i];
      result[i] = unchanged[i] && is_worth_an_array(binding.op);
      made_of[i] = result[i];
      for_each_definition(
          binding, [&](Value v) { made_of[i] = made_of[i] || needed.values.contains(v); },
          [&](ArrayId a) { made_of[i] = made_of[i] || needed.arrays.contains(a); });
      if (!made_of[i]) continue;
      for_each_use(
          binding, [&](Value v) { needed.values.insert(v); },
          [&](ArrayId a) { needed.arrays.insert(a); });
    }
    return result;
  }

  void hoist(Binding& binding, std::vector<Binding>& before) {
    auto& loop = std::get<ArrayWhile>(binding.op);
    std::vector<bool> made_of;
    const std::vector<bool> roots = chosen(loop.body, unchanged(loop.body), made_of);
    if (std::ranges::count(roots, true) == 0) return;
    const Value condition = condition_at_first(loop, before);
    Block then_ = copies(loop.body, roots, made_of);
    Renaming arrays;
    std::size_t next = 0;
    for (std::size_t i = 0; i < roots.size(); ++i)
      for (const ArrayId a : loop.body.bindings[i].results)
        if (roots[i]) arrays[a] = then_.results[next++];
    rename_uses(loop.body, {}, arrays);
    drop_unused(loop.body, made_of);
    Block else_{{}, {}, loop.init};
    then_.results = new_arrays(binding.results);
    Binding inner = binding;
    inner.results = then_.results;
    then_.bindings.push_back(std::move(inner));
    binding.op = ArrayIf{condition, std::move(then_), std::move(else_)};
  }

  Value condition_at_first(const ArrayWhile& loop, std::vector<Binding>& before) {
    Renaming values, arrays;
    for (std::size_t i = 0; i < loop.init.size(); ++i)
      arrays[loop.condition.params[i]] = loop.init[i];
    Block block = loop.condition;
    block.params.clear();
    block = clone(block, values, arrays, program_);
    std::ranges::move(block.bindings, std::back_inserter(before));
    return block.value;
  }

  // Copies of what the roots are made of; the results are the roots'.
  Block copies(const Block& body, const std::vector<bool>& roots,
               const std::vector<bool>& made_of) {
    Block part;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      if (made_of[i]) part.bindings.push_back(body.bindings[i]);
      if (!roots[i]) continue;
      const std::vector<ArrayId>& results = body.bindings[i].results;
      part.results.insert(part.results.end(), results.begin(), results.end());
    }
    Renaming values, arrays;
    return clone(part, values, arrays, program_);
  }

  std::vector<ArrayId> new_arrays(const std::vector<ArrayId>& like) {
    std::vector<ArrayId> result;
    for (const ArrayId a : like)
      result.push_back(program_.new_array(ArrayType(program_.array_types[a])));
    return result;
  }

  // Of what was copied; conditions on arrays are checked by the copies.
  static void drop_unused(Block& body, const std::vector<bool>& copied) {
    Names used;
    const auto use = [&](Value v) { used.values.insert(v); };
    const auto use_array = [&](ArrayId a) { used.arrays.insert(a); };
    std::ranges::for_each(body.results, use_array);
    std::vector<Binding> kept;
    for (std::size_t i = body.bindings.size(); i-- > 0;) {
      Binding& binding = body.bindings[i];
      bool is_used = !copied[i];
      for_each_definition(
          binding, [&](Value v) { is_used = is_used || used.values.contains(v); },
          [&](ArrayId a) { is_used = is_used || used.arrays.contains(a); });
      if (!is_used) continue;
      for_each_use(binding, use, use_array);
      kept.push_back(std::move(binding));
    }
    std::ranges::reverse(kept);
    body.bindings = std::move(kept);
  }

  Program& program_;
};

}  // namespace

Program hoist_from_loops(Program program) {
  LoopHoister(program).run(program.body);
  return program;
}

}  // namespace hasten::passes
