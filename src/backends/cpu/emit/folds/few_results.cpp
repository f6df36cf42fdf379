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

}  // namespace

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
