// One kernel and one launch for the bindings of a group.
#include "kernels/lowering/lowering.hpp"

#include "core/operators.hpp"
#include "core/traverse.hpp"
#include "kernels/stages.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hasten::kernels {

using namespace core;

namespace {

// Null if the operation is neither a fold nor a scan.
const std::vector<Value>* seed_of(const ArrayOp& op) {
  if (const auto* fold = std::get_if<Fold>(&op)) return &fold->seed;
  if (const auto* scan = std::get_if<Scan>(&op)) return &scan->seed;
  const auto* segments = std::get_if<FoldSegments>(&op);
  return segments ? &segments->seed : nullptr;
}

bool goes_in_order(const ArrayOp& op) {
  if (const auto* fold = std::get_if<Fold>(&op)) return fold->in_order;
  if (const auto* scan = std::get_if<Scan>(&op)) return scan->in_order;
  return std::get<FoldSegments>(op).in_order;
}

ArrayId source_of(const ArrayOp& op) {
  if (const auto* scan = std::get_if<Scan>(&op)) return scan->source;
  const auto* segments = std::get_if<FoldSegments>(&op);
  return segments ? segments->source : std::get<Fold>(op).source;
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

// One kernel and one launch, whose components are handed out as the arrays of the group.
void Lowering::lower_group(std::span<const Binding> bindings) {
  Group group = members_of(bindings);
  if (checks_elements() && !can_be_checked_before(group)) return lower_apart(bindings);
  const ArrayId first = group.stored[0]->results[0];
  group.made = group.stored.size() == 1
                   ? first
                   : new_array({env_.rank(first), leaves_of(program_, group.stored)});
  binding_ = group.stored.back();
  const Binding& home = *(group.accumulations.empty() ? group.stored : group.accumulations)[0];
  in_stages({stages_of_group(group), &home, group.made}, [&] { launch_group(group); });
  if (group.stored.size() > 1) hand_out(group.made, group.stored);
}

// One kernel per binding; their conditions have been checked.
void Lowering::lower_apart(std::span<const Binding> bindings) {
  for (const Binding& binding : bindings) {
    binding_ = &binding;
    env_.launched_apart.insert(binding.results[0]);
    make(binding);
  }
}

// Finds the accumulated bindings, and what reaches memory: results, and elements beside them. The
// bindings' conditions are checked, their extents known.
Lowering::Group Lowering::members_of(std::span<const Binding> bindings) {
  Group group;
  for (const Binding& binding : bindings) {
    binding_ = &binding;
    check(binding);
    if (seed_of(binding.op)) group.accumulations.push_back(&binding);
    set_extents(binding.results[0], result_extents(binding));
    if (binding.storage == Storage::delayed) continue;
    note_memory(binding);
    group.stored.push_back(&binding);
  }
  if (!group.accumulations.empty()) {  // stored elements have one more axis than the folds' results
    const std::uint32_t rank = env_.rank(group.accumulations[0]->results[0]);
    const auto is_beside = [&](const Binding* binding) {
      return env_.rank(binding->results[0]) != rank;
    };
    std::ranges::copy_if(group.stored, std::back_inserter(group.beside), is_beside);
    std::erase_if(group.stored, is_beside);
  }
  return group;
}

// Under Checks::bounds and Checks::arithmetic: the readers of fold and scan results are known not
// to fail, so that everything that could fail is available before the launch.
bool Lowering::can_be_checked_before(const Group& group) {
  if (group.accumulations.empty()) return true;
  KernelBuilder builder(env_, checks_);
  const ArrayOp& first = group.accumulations[0]->op;
  builder.kernel.skeleton = std::holds_alternative<Scan>(first) ? Skeleton::scan : Skeleton::fold;
  builder.kernel.rank = std::max(env_.rank(source_of(first)), 1u);
  if (std::holds_alternative<FoldSegments>(first)) ++builder.kernel.rank;
  if (const auto* const fold = std::get_if<Fold>(&first)) builder.kernel.folded = fold->axes;
  if (const auto* const scan = std::get_if<Scan>(&first))
    builder.kernel.inner_axes = scan->inner_axes;
  builder.kernel.seed = seeds_of(builder, group.accumulations);
  (void)begun_epilogue(builder, group);
  return builder.failed() == none;
}

// Checks whether any element of any member fails.
void Lowering::check_group(const Group& group) {
  if (!checks_elements()) return;
  const bool maps = group.accumulations.empty();
  if (!maps)
    if (const auto* segments = std::get_if<FoldSegments>(&group.accumulations[0]->op))
      check_source(*group.accumulations[0], segments->offsets, extents(segments->offsets));
  check_elements(
      *group.stored.back(),
      extents(maps ? group.stored[0]->results[0] : source_of(group.accumulations[0]->op)),
      [&](KernelBuilder& builder, const std::vector<Value>& index) {
        if (maps) return outputs_at(builder, group.stored, index);
        return side_by_side_at(builder, group, index);
      });
}

// Makes views of an array that holds all components.
void Lowering::hand_out(ArrayId made, const std::vector<const Binding*>& bindings) {
  std::uint32_t next = 0;
  for (const Binding* binding : bindings) {
    std::vector<std::uint32_t> leaves(program_.array_types[binding->results[0]].leaves.size());
    std::iota(leaves.begin(), leaves.end(), next);
    next += static_cast<std::uint32_t>(leaves.size());
    push(View{binding->results[0], made, {}, true, std::move(leaves)});
  }
}

// Epilogues have no stages: the delayed folds they read are the group's own.
std::vector<const Binding*> Lowering::stages_of_group(const Group& group) const {
  std::vector<const Binding*> stages;
  for (const Binding* member : group.accumulations.empty() ? group.stored : group.accumulations)
    for (const Binding* stage : stages_of(env_, *member)) stages.push_back(stage);
  std::ranges::sort(stages);
  stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
  return stages;
}

void Lowering::launch_group(const Group& group) {
  check_group(group);
  KernelBuilder builder(env_);
  Launch launch;
  launch.output = output_ == none ? group.made : output_;
  launch.output_extents = env_.extents[group.stored[0]->results[0]];
  if (group.accumulations.empty())
    maps_of_group(builder, launch, group);
  else
    accumulations_of_group(builder, launch, group);
  for (const Binding* binding : group.beside) launch.fused.push_back(describe(*binding));
  for (const Binding* binding : group.stored)
    if (binding != group.stored.back()) launch.fused.push_back(describe(*binding));
  const bool folds = builder.kernel.skeleton == Skeleton::fold;
  finish_launch(std::move(launch), builder, *group.stored.back(),
                folds ? group.stored : std::vector<const Binding*>());
}

void Lowering::set_extents(ArrayId array, std::vector<Value> known) {
  extents_undo_.emplace_back(array, std::exchange(env_.extents[array], std::move(known)));
}

void Lowering::maps_of_group(KernelBuilder& builder, Launch& launch, const Group& group) {
  launch.space = launch.output_extents;
  const std::vector<Value> index =
      begin_element(builder, Skeleton::map, env_.rank(group.stored[0]->results[0]));
  builder.space_index = index;
  builder.kernel.element = builder.end(outputs_at(builder, group.stored, index));
}

// The elements of the stored bindings at an index; each may read the ones before it there.
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

// The folds, or scans, have one space and run side by side, over the rows that are needed; the
// epilogue computes from their results.
void Lowering::accumulations_of_group(KernelBuilder& builder, Launch& launch, const Group& group) {
  Kernel& kernel = builder.kernel;
  const std::vector<const Binding*>& members = group.accumulations;
  const ArrayOp& first = members[0]->op;
  if (const auto* segments = std::get_if<FoldSegments>(&first)) {
    begin_segments(builder, launch, *segments);
  } else {
    const bool scans = std::holds_alternative<Scan>(first);
    launch.space = extents(source_of(first));
    if (!scans) {  // only the rows that are needed
      const auto folded = launch.space.end() - std::get<Fold>(first).axes;
      std::ranges::copy(launch.output_extents, launch.space.begin());
      launch.space.erase(launch.space.begin() + std::ssize(launch.output_extents), folded);
    }
    const auto rank = static_cast<std::uint32_t>(launch.space.size());
    std::vector<Value> index =
        begin_element(builder, scans ? Skeleton::scan : Skeleton::fold, rank);
    if (scans)
      index = begin_inner_axes(builder, launch, std::get<Scan>(first), index);
    else
      begin_axes(builder, std::get<Fold>(first), index);
    kernel.element = builder.end(side_by_side_at(builder, group, index));
  }
  kernel.combine = combine_side_by_side(builder, members);
  kernel.in_order = goes_in_order(first);
  kernel.seed = seeds_of(builder, members);
  kernel.epilogue = builder.end(begun_epilogue(builder, group));
  kernel.stored = 0;
  for (const Binding* binding : group.beside) {
    const ArrayId array = binding->results[0];
    launch.beside.push_back({array, env_.extents[array]});
    const auto& own = program_.array_types[array].leaves;
    kernel.outputs.insert(kernel.outputs.end(), own.begin(), own.end());
    kernel.stored += static_cast<std::uint32_t>(own.size());
  }
}

// Starts the epilogue and returns what is computed from the results of the group's folds or scans.
std::vector<Value> Lowering::begun_epilogue(KernelBuilder& builder, const Group& group) {
  const std::vector<const Binding*>& members = group.accumulations;
  const std::vector<ScalarType> leaves = leaves_of(program_, members);
  const std::vector<Value> params = begin_epilogue(builder, leaves);
  const std::uint32_t rank = env_.rank(members[0]->results[0]);
  const std::vector<Value> index =
      index_of_result(builder.kernel, {params.begin(), params.begin() + rank});
  auto next = params.end() - std::ssize(leaves);
  for (const Binding* member : members) {
    const auto end = next + std::ssize(program_.array_types[member->results[0]].leaves);
    std::vector<Value> folded(next, end);
    // The folded rows have elements: otherwise another fold of the group would be an error.
    if (builder.kernel.seed.empty()) folded = after_seed(builder, *member, std::move(folded));
    builder.set_element(member->results[0], index, folded);
    next = end;
  }
  return outputs_at(builder, group.stored, index);
}

// The operands of the folds or scans, then the elements stored beside them; both may be the same.
std::vector<Value> Lowering::side_by_side_at(KernelBuilder& builder, const Group& group,
                                             const std::vector<Value>& index) {
  std::vector<Value> elements, stored;
  const auto append = [](std::vector<Value>& to, const std::vector<Value>& element) {
    to.insert(to.end(), element.begin(), element.end());
  };
  for (const Binding* binding : group.beside) append(stored, builder.made_at(*binding, index));
  for (const Binding* member : group.accumulations)
    append(elements, builder.element_at(source_of(member->op), index));
  append(elements, stored);
  return elements;
}

// Combines the seed, if there is one, with the result of a fold without it.
std::vector<Value> Lowering::after_seed(KernelBuilder& builder, const Binding& member,
                                        std::vector<Value> folded) {
  std::vector<Value> both;
  for (const Value seed : *seed_of(member.op)) both.push_back(builder.capture(seed));
  if (both.empty()) return folded;
  both.insert(both.end(), folded.begin(), folded.end());
  return builder.inline_region(*region_of(member.op), both);
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

// If some members have a seed, the others start with the identities of their operations; empty if
// one of these has no identity.
std::vector<Value> Lowering::seeds_of(KernelBuilder& builder,
                                      const std::vector<const Binding*>& members) {
  std::vector<Value> seeds;
  if (std::ranges::all_of(members, [](const Binding* m) { return seed_of(m->op)->empty(); }))
    return seeds;
  for (const Binding* member : members) {
    std::vector<Value> own = *seed_of(member->op);
    if (own.empty()) own = identities(*member);
    if (own.empty()) return {};
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
