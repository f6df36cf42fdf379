// A kernel and its launch for one binding: maps, folds and scans.
#include "kernels/lowering/lowering.hpp"

#include "core/traverse.hpp"
#include "kernels/analysis/indices/own_reads.hpp"
#include "kernels/finish.hpp"
#include "kernels/stages.hpp"
#include "support/overloaded.hpp"

#include <algorithm>
#include <utility>

namespace hasten::kernels {

using namespace core;

Launch Lowering::launch_for(const Binding& binding) {
  Launch launch;
  launch.output = output_ == none ? binding.results[0] : output_;
  launch.output_extents = result_extents(binding);
  return launch;
}

// Starts the element function of a kernel over a space of this rank; returns the index.
std::vector<Value> Lowering::begin_element(KernelBuilder& builder, Skeleton skeleton,
                                           std::uint32_t rank) {
  builder.kernel.skeleton = skeleton;
  builder.kernel.rank = std::max(rank, 1u);
  std::vector<Value> index =
      builder.begin(std::vector<ScalarType>(builder.kernel.rank, ScalarType::i64));
  index.resize(rank);
  return index;
}

// Starts the epilogue of a fold or scan: returns the indices of a result, then these leaves.
std::vector<Value> Lowering::begin_epilogue(KernelBuilder& builder,
                                            const std::vector<ScalarType>& leaves) {
  const Kernel& kernel = builder.kernel;
  const std::uint32_t indices =
      kernel.skeleton == Skeleton::scan ? kernel.rank : outer_axes(kernel);
  std::vector<ScalarType> params(indices, ScalarType::i64);
  params.insert(params.end(), leaves.begin(), leaves.end());
  return builder.begin(params);
}

// An operator of two elements with these leaves.
Region Lowering::combine(KernelBuilder& builder, const Region& fn,
                         const std::vector<ScalarType>& leaves) {
  std::vector<ScalarType> pair = leaves;
  pair.insert(pair.end(), leaves.begin(), leaves.end());
  const std::vector<Value> sides = builder.begin(pair);
  return builder.end(builder.inline_region(fn, sides));
}

// Fixed indices are checked even if the result has no elements.
void Lowering::check_slice(const Slice& slice) {
  CheckInside check;
  const std::vector<Value>& source = extents(slice.source);
  for (std::size_t axis = 0; axis < slice.axes.size(); ++axis) {
    if (slice.axes[axis] == none) continue;
    check.index.push_back(slice.axes[axis]);
    check.extents.push_back(source[axis]);
  }
  push(std::move(check));
}

void Lowering::lower_elementwise(const Binding& binding) {
  in_stages({stages_of(env_, binding), &binding, binding.results[0]}, [&] {
    lower_elements(binding, [&](KernelBuilder& builder, const std::vector<Value>& index) {
      return builder.compute_at(binding, index);
    });
  });
}

// One launch with the delayed folds inside, or one more for each of them: a branch on extents
// decides. Where elements are checked each fold is a launch, checked by itself.
void Lowering::in_stages(const Staged& staged, FunctionRef<void()> launch) {
  if (staged.stages.empty()) return launch();
  const Binding* const outer_binding = binding_;
  const auto into = [&](ArrayId output) { output_ = output, launch(), output_ = none; };
  const auto apart = [&](ArrayId output) {
    for (const Binding* stage : staged.stages) {
      binding_ = stage;
      env_.launched_apart.insert(stage->results[0]);
      lower_fold(*stage, std::get<Fold>(stage->op));
    }
    binding_ = outer_binding;
    into(output);
    for (const Binding* stage : staged.stages) env_.launched_apart.erase(stage->results[0]);
  };
  if (checks_elements()) return apart(none);
  const ArrayType type = program_.array_types[staged.result];
  const Value one_pays = one_launch_pays(
      staged.stages, result_extents(*staged.home), std::holds_alternative<Fold>(staged.home->op),
      {[&](std::int64_t x) { return number(static_cast<std::uint64_t>(x)); },
       [&](ScalarOp op, Value a, Value b, ScalarType t) { return host(op, a, b, t); },
       [&](ArrayId a) { return extents(a); }});
  BranchStep step{one_pays, {}, {}, {new_array(type)}, {new_array(type)}, {staged.result}};
  inside(step.then_, [&] { into(step.then_results[0]); });
  inside(step.else_, [&] { apart(step.else_results[0]); });
  push(std::move(step));
}

// A map kernel that writes the binding's result.
void Lowering::lower_elements(const Binding& binding, ElementCode element, ArrayId copied) {
  Launch launch = launch_for(binding);
  launch.reused = copied;
  launch.space = launch.output_extents;
  check_elements(binding, launch.space, element);
  KernelBuilder builder(env_);
  const std::vector<Value> index = begin_element(builder, Skeleton::map, env_.rank(launch.output));
  builder.space_index = index;
  builder.kernel.element = builder.end(element(builder, index));
  builder.kernel.outputs = program_.array_types[launch.output].leaves;
  finish_launch(std::move(launch), builder, binding);
}

// Elements that may fail are found by a launch over their own space, without segments: it, and the
// launch after it, read the segment of each element.
void Lowering::lower_generate_segments(const Binding& binding, const GenerateSegments& op) {
  Launch launch = launch_for(binding);
  if (!checks_elements())
    return launch_segments(binding, op, std::move(launch),
                           [&](KernelBuilder& builder, const std::vector<Value>& index) {
                             return builder.inline_region(op.fn, index);
                           });
  const ArrayId numbers = new_array({1, {ScalarType::i64}});
  set_extents(numbers, launch.output_extents);
  launch.output = numbers;
  launch_segments(
      binding, op, std::move(launch),
      [](KernelBuilder&, const std::vector<Value>& index) { return std::vector<Value>{index[0]}; });
  lower_elements(binding, [&](KernelBuilder& builder, const std::vector<Value>& index) {
    return builder.inline_region(op.fn, {builder.element_at(numbers, index)[0], index[0]});
  });
}

// The space is segments by elements.
void Lowering::launch_segments(const Binding& binding, const GenerateSegments& op, Launch launch,
                               ElementCode element) {
  const Value offsets = extents(op.offsets)[0];
  launch.space = {clamped(host(ScalarOp::sub, offsets, number(1))), launch.output_extents[0]};
  check_source(binding, op.offsets, {offsets});
  KernelBuilder builder(env_);
  const std::vector<Value> index = begin_element(builder, Skeleton::segments, 2);
  builder.kernel.element = builder.end(element(builder, index));
  const std::vector<Value> segment = builder.begin(std::vector<ScalarType>{ScalarType::i64});
  builder.kernel.range = builder.end(builder.neighbours_at(op.offsets, segment[0]));
  builder.kernel.outputs = program_.array_types[launch.output].leaves;
  finish_launch(std::move(launch), builder, binding);
}

void Lowering::lower_fold(const Binding& binding, const Fold& fold) {
  in_stages({stages_of(env_, binding), &binding, binding.results[0]},
            [&] { lower_whole_fold(binding, fold); });
}

void Lowering::lower_whole_fold(const Binding& binding, const Fold& fold) {
  lower_accumulation(binding, Skeleton::fold, fold);
}

void Lowering::lower_scan(const Binding& binding, const Scan& scan) {
  lower_accumulation(binding, Skeleton::scan, scan);
}

// A fold or scan over the space of its source.
void Lowering::lower_accumulation(const Binding& binding, Skeleton skeleton, const auto& op) {
  Launch launch = launch_for(binding);
  launch.space = extents(op.source);
  check_source(binding, op.source, launch.space);
  KernelBuilder builder(env_);
  std::vector<Value> index = begin_element(builder, skeleton, env_.rank(op.source));
  if constexpr (requires { op.axes; }) begin_axes(builder, op, index);
  if constexpr (requires { op.inner_axes; }) index = begin_inner_axes(builder, launch, op, index);
  builder.kernel.element = builder.end(builder.element_at(op.source, index));
  finish_accumulation(std::move(launch), builder, binding, op);
}

// The space's last axis is the scanned one; returns the index of the source.
std::vector<Value> Lowering::begin_inner_axes(KernelBuilder& builder, Launch& launch,
                                              const Scan& scan, const std::vector<Value>& index) {
  builder.kernel.inner_axes = scan.inner_axes;
  const auto scanned = launch.space.begin() + std::ssize(launch.space) - 1 - scan.inner_axes;
  std::rotate(scanned, scanned + 1, launch.space.end());
  return index_of_result(builder.kernel, index);
}

// Reads at the element's own place may be run as one long row.
void Lowering::begin_axes(KernelBuilder& builder, const Fold& fold,
                          const std::vector<Value>& index) {
  builder.kernel.folded = fold.axes;
  if (fold.axes > 1) builder.space_index = index;
}

// The space has one axis more than the result: its rows are segments of the last one.
void Lowering::lower_fold_segments(const Binding& binding, const FoldSegments& fold) {
  Launch launch = launch_for(binding);
  check_source(binding, fold.source, extents(fold.source));
  check_source(binding, fold.offsets, extents(fold.offsets));
  KernelBuilder builder(env_);
  begin_segments(builder, launch, fold);
  finish_accumulation(std::move(launch), builder, binding, fold);
}

// Sets the space, the elements and the range.
void Lowering::begin_segments(KernelBuilder& builder, Launch& launch, const FoldSegments& fold) {
  launch.space = launch.output_extents;
  launch.space.push_back(extents(fold.source).back());
  std::vector<Value> index = begin_element(builder, Skeleton::fold, env_.rank(fold.source) + 1);
  index.erase(index.end() - 2);  // the segment's index
  builder.kernel.element = builder.end(builder.element_at(fold.source, index));
  const std::vector<Value> outer =
      builder.begin(std::vector<ScalarType>(builder.kernel.rank - 1, ScalarType::i64));
  builder.kernel.range = builder.end(builder.neighbours_at(fold.offsets, outer.back()));
}

// Adds the operator, the seed and the epilogue of a fold or scan.
void Lowering::finish_accumulation(Launch launch, KernelBuilder& builder, const Binding& binding,
                                   const auto& op) {
  Kernel& kernel = builder.kernel;
  const std::vector<ScalarType> leaves = program_.array_types[launch.output].leaves;
  kernel.combine = combine(builder, op.fn, leaves);
  kernel.in_order = op.in_order;
  for (Value seed : op.seed) kernel.seed.push_back(builder.capture_argument(seed));
  const std::vector<Value> params = begin_epilogue(builder, leaves);
  kernel.epilogue = builder.end({params.end() - std::ssize(leaves), params.end()});
  kernel.outputs = leaves;
  std::vector<const Binding*> folds;
  if (kernel.skeleton == Skeleton::fold) folds.push_back(&binding);
  finish_launch(std::move(launch), builder, binding, folds);
}

void Lowering::finish_launch(Launch launch, KernelBuilder& builder, const Binding& binding,
                             const std::vector<const Binding*>& folds) {
  finish(builder);
  if (builder.inner_axis != none) std::swap(launch.space[builder.inner_axis], launch.space.back());
  std::optional<Kernel> unlimited = without_limits(launch, builder);
  launch.inputs = std::move(builder.inputs);
  launch.arguments = std::move(builder.arguments);
  launch.is_condition = !folds.empty() && is_condition(folds, launch);
  stand_in(launch, builder.maybe_empty);
  // Arrays that are not in memory (reshapes) have no shape to compare when the kernel is launched.
  for (const ArrayId a : builder.arrays_in_place)
    if (env_.is_delayed(a) && env_.extents[a] != launch.space) builder.kernel.collapsible = false;
  if (builder.kernel.collapsible)
    launch.in_place.assign(builder.arrays_in_place.begin(), builder.arrays_in_place.end());
  std::erase_if(launch.in_place, [&](ArrayId a) { return env_.is_delayed(a); });
  for (const Binding* inlined : builder.inlined) launch.fused.push_back(describe(*inlined));
  launch.fused.push_back(describe(binding));
  note_overwritable(launch, builder.kernel);
  launch.flat_rows = flat_rows(builder.kernel);
  if (unlimited) launch.kernel = number_of(std::move(*unlimited));
  (unlimited ? launch.limited : launch.kernel) = number_of(std::move(builder.kernel));
  push(std::move(launch));
}

// Liveness removes those that are needed later. Arguments are the caller's, and copied arrays
// `reused`.
void Lowering::note_overwritable(Launch& launch, const Kernel& kernel) const {
  if (launch.reused != none) return;
  const auto is_argument = [&](ArrayId a) {
    const Binding* const producer = env_.producer[a];
    return producer && is_one_of<Use, Input>(producer->op);
  };
  const std::vector<bool> own = own_reads(kernel);
  for (std::uint32_t i = 0; i < own.size(); ++i)
    if (own[i] && !is_argument(launch.inputs[i].array)) launch.overwritable.push_back(i);
}

// The launch reads stand-ins in place of these arrays.
void Lowering::stand_in(Launch& launch, const std::set<ArrayId>& maybe_empty) {
  std::map<ArrayId, ArrayId> stand_ins;
  for (InputSource& input : launch.inputs) {
    if (!maybe_empty.contains(input.array)) continue;
    ArrayId& other = stand_ins.try_emplace(input.array, none).first->second;
    if (other == none) {
      other = new_array(program_.array_types[input.array]);
      push(StandIn{other, input.array});
    }
    input.array = other;
  }
}

std::uint32_t Lowering::number_of(Kernel kernel) {
  const support::Digest key = key_of(kernel);
  auto [it, is_new] = kernel_numbers_.try_emplace({key.lo, key.hi},
                                                  static_cast<std::uint32_t>(plan_.kernels.size()));
  if (is_new) {
    plan_.kernels.push_back(std::move(kernel));
    plan_.keys.push_back(key);
  }
  return it->second;
}

}  // namespace hasten::kernels
