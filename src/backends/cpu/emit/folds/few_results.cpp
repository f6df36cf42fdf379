// Products of many points and a small matrix, and the like: results that are few along the last but
// one axis, each folded from a few elements, are computed as elements of a map with short rows;
// products of many small matrices, as elements of a map with small blocks.
#include "backends/cpu/emit/rows/short_rows.hpp"
#include "backends/cpu/emit/skeletons.hpp"
#include "core/traverse.hpp"

#include <utility>

namespace hasten::backends::cpu {

using namespace core;
using kernels::Kernel;

namespace {

struct FoldedElements {
  Kernel map;
  Value depth;  // a value of the map's: the extent of the folded axis
};

// The map whose elements are the fold's results.
FoldedElements elements_of(const Kernel& fold) {
  Kernel map = fold;
  map.skeleton = kernels::Skeleton::map;
  map.rank = fold.rank - 1;
  map.combine = map.epilogue = map.element = {};
  map.seed.clear();
  map.lane_operator = {};
  map.recomputed.clear();
  const auto new_index = [&] {
    map.value_types.push_back(ScalarType::i64);
    return static_cast<Value>(map.value_types.size() - 1);
  };
  const Value zero = new_index(), depth = new_index();
  map.element.params = fold.element.params;
  map.element.params.pop_back();
  Reduce reduce{zero, depth, fold.element, fold.combine, fold.seed};
  reduce.element.params = {fold.element.params.back()};
  Region after = fold.epilogue;
  Renaming indices;
  for (std::size_t axis = 0; axis < map.rank; ++axis)
    indices[after.params[axis]] = map.element.params[axis];
  rename_uses(after, indices);
  map.element.body.push_back({{zero}, Constant{{}, none}});
  map.element.body.push_back(
      {{after.params.begin() + map.rank, after.params.end()}, std::move(reduce)});
  for (Stmt& stmt : after.body) map.element.body.push_back(std::move(stmt));
  map.element.results = after.results;
  return {std::move(map), depth};
}

// The same where each result is folded from so many elements, which are written out.
class WrittenOut {
 public:
  WrittenOut(const Kernel& fold, std::int64_t depth) : fold_(fold), map_(elements_of(fold).map) {
    map_.element.body.clear();
    names_.value_types = map_.value_types;
    std::vector<Value> folded = fold.seed;
    for (std::int64_t step = 0; step < depth; ++step) {
      const std::vector<Value> element = element_at(step);
      folded = folded.empty() ? element : combined(folded, element);
    }
    std::vector<Value> after = map_.element.params;
    after.insert(after.end(), folded.begin(), folded.end());
    map_.element.results = inlined(fold.epilogue, after);
    map_.value_types = names_.value_types;
  }

  [[nodiscard]] const Kernel& map() const { return map_; }

 private:
  // Returns the results.
  std::vector<Value> inlined(const Region& region, const std::vector<Value>& arguments) {
    Renaming renaming;
    Region copy = clone(region, renaming, names_);
    Renaming params;
    for (std::size_t i = 0; i < arguments.size(); ++i) params[copy.params[i]] = arguments[i];
    rename_uses(copy, params);
    for (Stmt& stmt : copy.body) map_.element.body.push_back(std::move(stmt));
    return copy.results;
  }

  std::vector<Value> element_at(std::int64_t step) {
    const auto index = static_cast<Value>(names_.value_types.size());
    names_.value_types.push_back(ScalarType::i64);
    map_.element.body.push_back({{index}, Constant{{static_cast<std::uint64_t>(step), 0}, none}});
    std::vector<Value> place = map_.element.params;
    place.push_back(index);
    return inlined(fold_.element, place);
  }

  std::vector<Value> combined(std::vector<Value> left, const std::vector<Value>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return inlined(fold_.combine, left);
  }

  const Kernel& fold_;
  Kernel map_;
  Program names_;  // types of the map's values
};

}  // namespace

void emit_known_results(const KernelModule& module, const kernels::Schedule& schedule, Form form) {
  const KnownNumbers known = known_numbers(module.kernel, schedule, form);
  const WrittenOut elements(module.kernel, known.number);
  const KernelModule turned{module.llvm,    elements.map(), module.machine,
                            module.options, module.layout,  known};
  emit_across_blocks(turned, declare_run(turned, form), schedule.lanes_outside / 2,
                     {1, block_results_max});
}

void emit_few_results(const KernelModule& module, llvm::Function* function, unsigned lanes) {
  const FoldedElements elements = elements_of(module.kernel);
  const KernelModule turned{module.llvm, elements.map, module.machine, module.options,
                            module.layout};
  emit_short_rows_across(turned, function, lanes, elements.depth);
}

void emit_blocks_of_results(const KernelModule& module, llvm::Function* function,
                            const kernels::Schedule& schedule) {
  const FoldedElements elements = elements_of(module.kernel);
  const KernelModule turned{module.llvm, elements.map, module.machine, module.options,
                            module.layout};
  emit_across_blocks(turned, function, schedule.lanes_outside, {2, block_results_max},
                     elements.depth);
}

}  // namespace hasten::backends::cpu
