// One kernel for the bindings of a group, and one launch.
#include "kernels/lowering/lowering.hpp"

#include "core/operators.hpp"
#include "core/traverse.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hasten::kernels {

using namespace core;

// One kernel, one launch, and its components handed out as the arrays of the group.
void Lowering::lower_group(std::span<const Binding> group) {
  std::vector<const Binding*> folds, stored;
  for (const Binding& binding : group) {
    binding_ = &binding;
    check(binding);
    if (std::holds_alternative<Fold>(binding.op) ||
        std::holds_alternative<FoldSegments>(binding.op))
      folds.push_back(&binding);
    set_extents(binding.results[0], result_extents(binding));
    if (binding.storage == Storage::delayed) continue;
    note_memory(binding);
    stored.push_back(&binding);
  }
  binding_ = stored.back();
  KernelBuilder builder(env_);
  Launch launch;
  launch.output_extents = env_.extents[stored[0]->results[0]];
  if (folds.empty())
    maps_of_group(builder, launch, stored);
  else
    folds_of_group(builder, launch, folds, stored);
  ArrayType type{env_.rank(stored[0]->results[0]), builder.kernel.outputs};
  launch.output = stored.size() == 1 ? stored[0]->results[0] : new_array(std::move(type));
  const ArrayId made = launch.output;
  for (const Binding* binding : stored)
    if (binding != stored.back()) launch.fused.push_back(describe(*binding));
  finish_launch(std::move(launch), builder, *stored.back());
  if (stored.size() == 1) return;
  std::uint32_t next = 0;
  for (const Binding* binding : stored) {
    std::vector<std::uint32_t> leaves(program_.array_types[binding->results[0]].leaves.size());
    std::iota(leaves.begin(), leaves.end(), next);
    next += static_cast<std::uint32_t>(leaves.size());
    push(View{binding->results[0], made, {}, true, std::move(leaves)});
  }
}

void Lowering::set_extents(ArrayId array, std::vector<Value> known) {
  extents_undo_.emplace_back(array, std::exchange(env_.extents[array], std::move(known)));
}

void Lowering::maps_of_group(KernelBuilder& builder, Launch& launch,
                             const std::vector<const Binding*>& stored) {
  launch.space = launch.output_extents;
  const std::vector<Value> index =
      begin_element(builder, Skeleton::map, env_.rank(stored[0]->results[0]));
  builder.space_index = index;
  builder.kernel.element = builder.end(outputs_at(builder, stored, index));
}

// What the stored bindings are at an index; each may read those before it there.
std::vector<Value> Lowering::outputs_at(KernelBuilder& builder,
                                        const std::vector<const Binding*>& stored,
                                        const std::vector<Value>& index) {
  std::vector<Value> results;
  for (const Binding* binding : stored) {
    const ArrayId array = binding->results[0];
    const std::vector<Value> element = builder.made_at(*binding, index);
    results.insert(results.end(), element.begin(), element.end());
    const auto& leaves = program_.array_types[array].leaves;
    builder.kernel.outputs.insert(builder.kernel.outputs.end(), leaves.begin(), leaves.end());
  }
  return results;
}

// The folds have one space, and go side by side; what is computed of their results is the
// epilogue.
void Lowering::folds_of_group(KernelBuilder& builder, Launch& launch,
                              const std::vector<const Binding*>& folds,
                              const std::vector<const Binding*>& stored) {
  Kernel& kernel = builder.kernel;
  if (const auto* segments = std::get_if<FoldSegments>(&folds[0]->op)) {
    begin_segments(builder, launch, *segments);
  } else {
    launch.space = extents(std::get<Fold>(folds[0]->op).source);
    const std::vector<Value> index =
        begin_element(builder, Skeleton::fold, static_cast<std::uint32_t>(launch.space.size()));
    std::vector<Value> elements;
    for (const Binding* fold : folds) {
      const std::vector<Value> element = builder.element_at(std::get<Fold>(fold->op).source, index);
      elements.insert(elements.end(), element.begin(), element.end());
    }
    kernel.element = builder.end(std::move(elements));
  }
  kernel.combine = combine_side_by_side(builder, folds);
  kernel.seed = seeds_of(builder, folds);
  std::vector<ScalarType> params(kernel.rank - 1, ScalarType::i64);
  for (const Binding* fold : folds) {
    const auto& leaves = program_.array_types[fold->results[0]].leaves;
    params.insert(params.end(), leaves.begin(), leaves.end());
  }
  std::vector<Value> values = builder.begin(params);
  const std::uint32_t rank = env_.rank(folds[0]->results[0]);
  const std::vector<Value> index(values.begin(), values.begin() + rank);
  auto next = values.begin() + (kernel.rank - 1);
  for (const Binding* fold : folds) {
    const auto end = next + std::ssize(program_.array_types[fold->results[0]].leaves);
    builder.set_element(fold->results[0], index, {next, end});
    next = end;
  }
  kernel.epilogue = builder.end(outputs_at(builder, stored, index));
}

Region Lowering::combine_side_by_side(KernelBuilder& builder,
                                      const std::vector<const Binding*>& folds) {
  std::vector<ScalarType> leaves;
  for (const Binding* fold : folds) {
    const auto& own = program_.array_types[fold->results[0]].leaves;
    leaves.insert(leaves.end(), own.begin(), own.end());
  }
  const std::ptrdiff_t count = std::ssize(leaves);
  leaves.insert(leaves.end(), leaves.begin(), leaves.begin() + count);
  const std::vector<Value> sides = builder.begin(leaves);
  std::vector<Value> results;
  auto at = sides.begin();
  for (const Binding* fold : folds) {
    const auto own = std::ssize(program_.array_types[fold->results[0]].leaves);
    std::vector<Value> pair(at, at + own);
    pair.insert(pair.end(), at + count, at + count + own);
    at += own;
    const std::vector<Value> result = builder.inline_region(*region_of(fold->op), pair);
    results.insert(results.end(), result.begin(), result.end());
  }
  return builder.end(std::move(results));
}

// If some have one, the others start with the identities of their operations.
std::vector<Value> Lowering::seeds_of(KernelBuilder& builder,
                                      const std::vector<const Binding*>& folds) {
  const auto seed_of = [](const Binding& fold) -> const std::vector<Value>& {
    const auto* segments = std::get_if<FoldSegments>(&fold.op);
    return segments ? segments->seed : std::get<Fold>(fold.op).seed;
  };
  std::vector<Value> seeds;
  if (std::ranges::all_of(folds, [&](const Binding* fold) { return seed_of(*fold).empty(); }))
    return seeds;
  for (const Binding* fold : folds) {
    std::vector<Value> own = seed_of(*fold);
    if (own.empty()) own = identities(*fold);
    for (const Value seed : own) seeds.push_back(builder.capture_argument(seed));
  }
  return seeds;
}

std::vector<Value> Lowering::identities(const Binding& fold) {
  const std::vector<ScalarType> leaves = program_.array_types[fold.results[0]].leaves;
  std::vector<Value> result;
  for (const Bits& bits : identity_of(*region_of(fold.op), leaves))
    result.push_back(constant(leaves[result.size()], bits));
  return result;
}

}  // namespace hasten::kernels
