// One kernel for the bindings of a group, and one launch.
#include "kernels/lowering/lowering.hpp"

#include "core/operators.hpp"
#include "core/traverse.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hasten::kernels {

using namespace core;

namespace {

// Null: it is neither a fold nor a scan.
const std::vector<Value>* seed_of(const ArrayOp& op) {
  if (const auto* fold = std::get_if<Fold>(&op)) return &fold->seed;
  if (const auto* scan = std::get_if<Scan>(&op)) return &scan->seed;
  const auto* segments = std::get_if<FoldSegments>(&op);
  return segments ? &segments->seed : nullptr;
}

ArrayId source_of(const ArrayOp& op) {
  const auto* scan = std::get_if<Scan>(&op);
  return scan ? scan->source : std::get<Fold>(op).source;
}

std::vector<ScalarType> leaves_of(const Program& program,
                                  const std::vector<const Binding*>& bindings) {
  std::vector<ScalarType> result;
  for (const Binding* binding : bindings) {
    const auto& own = program.array_types[binding->results[0]].leaves;
    result.insert(result.end(), own.begin(), own.end());
  }
  return result;
}

}  // namespace

// One kernel, one launch, and its components handed out as the arrays of the group.
void Lowering::lower_group(std::span<const Binding> group) {
  std::vector<const Binding*> accumulations, stored;
  for (const Binding& binding : group) {
    binding_ = &binding;
    check(binding);
    if (seed_of(binding.op)) accumulations.push_back(&binding);
    set_extents(binding.results[0], result_extents(binding));
    if (binding.storage == Storage::delayed) continue;
    note_memory(binding);
    stored.push_back(&binding);
  }
  binding_ = stored.back();
  KernelBuilder builder(env_);
  Launch launch;
  launch.output_extents = env_.extents[stored[0]->results[0]];
  if (accumulations.empty())
    maps_of_group(builder, launch, stored);
  else
    accumulations_of_group(builder, launch, accumulations, stored);
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

// Folds, or scans, have one space, and go side by side; what is computed of their results is the
// epilogue.
void Lowering::accumulations_of_group(KernelBuilder& builder, Launch& launch,
                                      const std::vector<const Binding*>& members,
                                      const std::vector<const Binding*>& stored) {
  Kernel& kernel = builder.kernel;
  const ArrayOp& first = members[0]->op;
  if (const auto* segments = std::get_if<FoldSegments>(&first)) {
    begin_segments(builder, launch, *segments);
  } else {
    launch.space = extents(source_of(first));
    const auto rank = static_cast<std::uint32_t>(launch.space.size());
    const bool scans = std::holds_alternative<Scan>(first);
    const std::vector<Value> index =
        begin_element(builder, scans ? Skeleton::scan : Skeleton::fold, rank);
    kernel.element = elements_side_by_side(builder, members, index);
  }
  kernel.combine = combine_side_by_side(builder, members);
  kernel.seed = seeds_of(builder, members);
  const std::vector<ScalarType> leaves = leaves_of(program_, members);
  const std::vector<Value> params = begin_epilogue(builder, leaves);
  const std::uint32_t rank = env_.rank(members[0]->results[0]);
  const std::vector<Value> index(params.begin(), params.begin() + rank);
  auto next = params.end() - std::ssize(leaves);
  for (const Binding* member : members) {
    const auto end = next + std::ssize(program_.array_types[member->results[0]].leaves);
    builder.set_element(member->results[0], index, {next, end});
    next = end;
  }
  kernel.epilogue = builder.end(outputs_at(builder, stored, index));
}

Region Lowering::elements_side_by_side(KernelBuilder& builder,
                                       const std::vector<const Binding*>& members,
                                       const std::vector<Value>& index) {
  std::vector<Value> elements;
  for (const Binding* member : members) {
    const std::vector<Value> element = builder.element_at(source_of(member->op), index);
    elements.insert(elements.end(), element.begin(), element.end());
  }
  return builder.end(std::move(elements));
}

Region Lowering::combine_side_by_side(KernelBuilder& builder,
                                      const std::vector<const Binding*>& members) {
  std::vector<ScalarType> leaves = leaves_of(program_, members);
  const std::ptrdiff_t count = std::ssize(leaves);
  leaves.insert(leaves.end(), leaves.begin(), leaves.begin() + count);
  const std::vector<Value> sides = builder.begin(leaves);
  std::vector<Value> results;
  auto at = sides.begin();
  for (const Binding* member : members) {
    const auto own = std::ssize(program_.array_types[member->results[0]].leaves);
    std::vector<Value> pair(at, at + own);
    pair.insert(pair.end(), at + count, at + count + own);
    at += own;
    const std::vector<Value> result = builder.inline_region(*region_of(member->op), pair);
    results.insert(results.end(), result.begin(), result.end());
  }
  return builder.end(std::move(results));
}

// If some have one, the others start with the identities of their operations.
std::vector<Value> Lowering::seeds_of(KernelBuilder& builder,
                                      const std::vector<const Binding*>& members) {
  std::vector<Value> seeds;
  if (std::ranges::all_of(members, [](const Binding* m) { return seed_of(m->op)->empty(); }))
    return seeds;
  for (const Binding* member : members) {
    std::vector<Value> own = *seed_of(member->op);
    if (own.empty()) own = identities(*member);
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
