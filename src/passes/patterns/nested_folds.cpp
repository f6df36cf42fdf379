// One walk forward: the fold that is reached last has all axes.
#include "passes/patterns/nested_folds.hpp"

#include "core/operators.hpp"
#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "passes/patterns/read_order.hpp"
#include "passes/shapes.hpp"
#include "passes/writing.hpp"

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
      if (auto* fold = std::get_if<Fold>(&binding.op)) {
        const auto inner = folds.find(fold->source);
        if (inner != folds.end() && is_one(*fold, std::get<Fold>(bindings[inner->second].op))) {
          const ArrayId source = std::get<Fold>(bindings[inner->second].op).source;
          is_gone.resize(bindings.size());
          is_gone[inner->second] = true;
          fold->source = flattened(source, binding, bindings);
        }
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

  // Whether both fold by one operation. Seeds may count any number of times.
  [[nodiscard]] bool is_one(const Fold& outer, const Fold& inner) const {
    if (uses_[outer.source] != 1 || outer.axes != 1 || inner.axes != 1) return false;
    if (order_.is_by_index(inner.source)) return false;
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
};

}  // namespace

Program flatten_nested_folds(Program program) {
  NestedFolds(program).run(program.body);
  return program;
}

}  // namespace hasten::passes
