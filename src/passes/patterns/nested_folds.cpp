// One walk forward: the fold that is reached last has all axes.
#include "passes/patterns/nested_folds.hpp"

#include "core/operators.hpp"
#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "passes/patterns/read_order.hpp"
#include "passes/patterns/short_folds.hpp"
#include "passes/shapes.hpp"
#include "passes/writing.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hasten::passes {
namespace {

using namespace core;

class NestedFolds {
 public:
  explicit NestedFolds(Program& program)
      : program_(program),
        shapes_(program),
        uses_(program.array_types.size()) {
    for_each_use(program.body, [](Value) {}, [&](ArrayId a) { ++uses_[a]; });
    note_constants(program.body);
  }

  void run(Block& block) {
    std::unordered_map<ArrayId, std::size_t> folds;  // of this block, by result
    std::vector<Binding> bindings;
    bindings.reserve(block.bindings.size());
    std::vector<bool> is_gone;
    for (Binding& binding : block.bindings) {
      edit_blocks(binding.op, [&](Block& inner) { run(inner); });
      order_.note(binding);
      if (const auto* generate = std::get_if<Generate>(&binding.op))
        generated_[binding.results[0]] = generate->fn;
      if (auto* fold = std::get_if<Fold>(&binding.op)) {
        const std::vector<std::size_t> inner = chain(*fold, folds, bindings);
        is_gone.resize(bindings.size());
        if (!inner.empty()) merge(*fold, inner, binding, bindings, is_gone);
        folds[binding.results[0]] = bindings.size();
      }
      bindings.push_back(std::move(binding));
    }
    is_gone.resize(bindings.size());
    block.bindings.clear();
    for (std::size_t i = 0; i < bindings.size(); ++i)
      if (!is_gone[i]) block.bindings.push_back(std::move(bindings[i]));
  }

 private:
  void note_constants(const Block& block) {
    for (const Binding& binding : block.bindings) {
      visit_blocks(binding.op, [&](const Block& inner) { note_constants(inner); });
      const auto* host = std::get_if<HostScalar>(&binding.op);
      const auto* constant = host ? std::get_if<Constant>(&host->stmt.op) : nullptr;
      if (constant) constants_[host->stmt.results[0]] = constant->bits;
    }
  }

  // The folds that this one folds further by its own operation, the innermost last.
  [[nodiscard]] std::vector<std::size_t> chain(
      const Fold& fold, const std::unordered_map<ArrayId, std::size_t>& folds,
      const std::vector<Binding>& bindings) const {
    std::vector<std::size_t> all;
    for (const Fold* outer = &fold;;) {
      const auto inner = folds.find(outer->source);
      if (inner == folds.end()) return all;
      const auto& next = std::get<Fold>(bindings[inner->second].op);
      if (!is_one(*outer, next)) return all;
      all.push_back(inner->second);
      outer = &next;
    }
  }

  void merge(Fold& fold, const std::vector<std::size_t>& inner, const Binding& binding,
             std::vector<Binding>& bindings, std::vector<bool>& is_gone) {
    const auto fold_at = [&](std::size_t i) -> const Fold& {
      return std::get<Fold>(bindings[i].op);
    };
    const ArrayId root = fold_at(inner.back()).source;
    std::uint32_t axes = fold.axes;
    for (const std::size_t i : inner) axes += fold_at(i).axes;
    if (order_.is_by_index(root) && reads_along_results(root, axes) &&
        !are_written_out(root, axes)) {
      for (const std::size_t i : inner) is_gone[i] = true;
      fold.source = root;
      fold.axes = axes;
      return;
    }
    const Fold& next = fold_at(inner[0]);
    if (order_.is_by_index(next.source) || next.axes > 1) return;
    is_gone[inner[0]] = true;
    fold.source = flattened(next.source, binding, bindings);
  }

  // Whether neighbours along the last axis that is not folded read the same elements, or
  // neighbours: the axis occurs in no index but the last.
  [[nodiscard]] bool reads_along_results(ArrayId root, std::uint32_t axes) const {
    const auto fn = generated_.find(root);
    const std::uint32_t rank = program_.array_types[root].rank;
    if (fn == generated_.end() || rank <= axes) return false;
    std::vector<bool> depends(program_.value_types.size());
    depends[fn->second.params[rank - axes - 1]] = true;
    return reads_along(fn->second, depends);
  }
  [[nodiscard]] static bool reads_along(const Region& region, std::vector<bool>& depends) {
    bool is_along = true;
    for (const Stmt& stmt : region.body) {
      const auto is_moved = [&](Value v) { return depends[v]; };
      if (const auto* load = std::get_if<Load>(&stmt.op))
        is_along &= load->index.empty() ||
                    std::none_of(load->index.begin(), load->index.end() - 1, is_moved);
      else if (std::holds_alternative<LoadLinear>(stmt.op))
        is_along = false;
      if (std::holds_alternative<While>(stmt.op)) return false;
      visit_regions(stmt, [&](const Region& inner) { is_along &= reads_along(inner, depends); });
      bool any = false;
      for_each_use(stmt, [&](Value v) { any |= depends[v]; }, [](ArrayId) {});
      for (const Value v : stmt.results) depends[v] = any;
    }
    return is_along;
  }

  // Whether all the axes are ones of which `short_folds` makes code.
  [[nodiscard]] bool are_written_out(ArrayId root, std::uint32_t axes) const {
    const std::span<const Symbol> extents = shapes_.of(root);
    return std::ranges::all_of(extents.last(axes), [&](const Symbol& extent) {
      const auto number = shapes_.number(shapes_.known(extent, root));
      return number && *number <= short_fold_max;
    });
  }

  // Whether both fold by one operation. Seeds may count any number of times.
  [[nodiscard]] bool is_one(const Fold& outer, const Fold& inner) const {
    if (uses_[outer.source] != 1 || outer.axes != 1) return false;
    if (outer.in_order || inner.in_order || outer.seed.size() != inner.seed.size()) return false;
    const LaneOperator by = lane_operator(inner.fn), same = lane_operator(outer.fn);
    if (!by.commutative || !same.commutative || by.leaves != same.leaves) return false;
    const std::vector<ScalarType>& leaves = program_.array_types[inner.source].leaves;
    for (std::size_t leaf = 0; leaf < inner.seed.size(); ++leaf) {
      const auto seed = constants_.find(inner.seed[leaf]),
                 other = constants_.find(outer.seed[leaf]);
      if (seed == constants_.end() || other == constants_.end() || seed->second != other->second)
        return false;
      const ScalarType types[] = {leaves[leaf], leaves[leaf]};
      const Bits twice[] = {seed->second, seed->second};
      if (evaluate(by.leaves[leaf], leaves[leaf], types, twice) != seed->second) return false;
    }
    return true;
  }

  // The last two axes as one.
  ArrayId flattened(ArrayId source, const Binding& like, std::vector<Binding>& before) {
    ArrayType type = program_.array_types[source];
    BlockWriter writer(program_, like, before);
    std::vector<Value> extents;
    for (std::uint32_t axis = 0; axis < type.rank; ++axis)
      extents.push_back(writer.host(ScalarType::i64, Extent{source, axis}));
    const Value inner = extents.back();
    extents.pop_back();
    extents.back() = writer.host(ScalarOp::mul, extents.back(), inner);
    --type.rank;
    const ArrayId result = writer.add(type, Reshape{std::move(extents), source});
    uses_.resize(program_.array_types.size(), 1);
    return result;
  }

  Program& program_;
  const Shapes shapes_;
  ReadOrder order_{shapes_};
  std::vector<std::uint32_t> uses_;
  std::unordered_map<Value, Bits> constants_;
  std::unordered_map<ArrayId, Region> generated_;  // elements
};

}  // namespace

Program flatten_nested_folds(Program program) {
  NestedFolds(program).run(program.body);
  return program;
}

}  // namespace hasten::passes
