// Walks the blocks in order; manifest bindings become steps, delayed ones only extents and checks.
#include "kernels/lower.hpp"

#include "kernels/finish.hpp"
#include "kernels/kernel_builder.hpp"
#include "kernels/liveness.hpp"
#include "kernels/stages.hpp"

#include <hasten/error.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace hasten::kernels {
namespace {

using namespace core;

std::string describe(const Binding& binding) {
  std::string file = binding.where.file_name();
  file = file.substr(file.find_last_of('/') + 1);
  return std::string(binding.operation) + " at " + file + ":" +
         std::to_string(binding.where.line());
}

class Lowering {
 public:
  Lowering(Program program, Checks checks) : program_(std::move(program)), checks_(checks) {
    env_.program = &program_;
    env_.producer.resize(program_.array_types.size());
    env_.extents.resize(program_.array_types.size());
    if (has(checks_, Checks::bounds) || has(checks_, Checks::arithmetic)) ungroup(program_.body);
    env_.survey(program_.body);
    lower(program_.body, plan_.steps);
  }

  Plan take() {
    insert_frees(plan_.steps, program_.body.results);
    plan_.array_types = std::move(program_.array_types);
    plan_.value_types = std::move(program_.value_types);
    plan_.inputs = std::move(program_.inputs);
    plan_.scalar_inputs = std::move(program_.scalar_inputs);
    plan_.results = std::move(program_.body.results);
    plan_.scalar_results = std::move(program_.scalar_results);
    plan_.checks = checks_;
    return std::move(plan_);
  }

 private:
  using HostKey = std::tuple<ScalarOp, Value, Value>;

  // Checks of elements stand before each kernel, and read what it reads.
  static void ungroup(Block& block) {
    for (Binding& binding : block.bindings) {
      edit_blocks(binding.op, [](Block& inner) { ungroup(inner); });
      if (std::exchange(binding.group, none) != none) binding.storage = Storage::manifest;
    }
  }

  // -- host scalars -----------------------------------------------------------------------------

  template <class Op>
  void push(Op op) {
    steps_->push_back({std::move(op), binding_->where, binding_->operation});
  }

  Value host(ScalarOp op, Value a, Value b, ScalarType type = ScalarType::i64) {
    auto [it, is_new] = host_values_.try_emplace({op, a, b}, none);
    if (is_new) {
      it->second = program_.new_value(type);
      push(HostScalars{{{it->second}, Prim{op, {a, b}}}});
      host_undo_.push_back({op, a, b});
    }
    return it->second;
  }

  Value constant(ScalarType type, Bits bits) {
    auto [it, is_new] = constants_.try_emplace({type, bits.lo, bits.hi}, none);
    if (is_new) {
      it->second = program_.new_value(type);
      env_.constants[it->second] = bits;
      plan_.steps.insert(plan_.steps.begin(),
                         {HostScalars{{{it->second}, Constant{bits, none}}}, {}, ""});
    }
    return it->second;
  }

  Value number(std::uint64_t n) { return constant(ScalarType::i64, {n, 0}); }

  Value clamped(Value extent) {
    if (not_negative_.contains(extent)) return extent;
    auto constant = env_.constants.find(extent);
    if (constant != env_.constants.end() && static_cast<std::int64_t>(constant->second.lo) >= 0)
      return extent;
    const Value result = host(ScalarOp::max, extent, number(0));
    not_negative_.insert(result);
    return result;
  }

  std::vector<Value> clamped(const std::vector<Value>& extents) {
    std::vector<Value> result;
    result.reserve(extents.size());
    for (Value e : extents) result.push_back(clamped(e));
    return result;
  }

  Value smaller(Value a, Value b) {
    if (a == b) return a;
    const Value result = host(ScalarOp::min, std::min(a, b), std::max(a, b));
    not_negative_.insert(result);
    return result;
  }

  // Of extents.
  Value sum(Value a, Value b) {
    if (a == number(0)) return b;
    const Value result = host(ScalarOp::add, std::min(a, b), std::max(a, b));
    not_negative_.insert(result);
    return result;
  }

  const std::vector<Value>& extents(ArrayId array) {
    std::vector<Value>& known = env_.extents[array];
    if (known.empty() && !env_.is_delayed(array)) {
      for (std::uint32_t axis = 0; axis < env_.rank(array); ++axis) {
        known.push_back(program_.new_value(ScalarType::i64));
        not_negative_.insert(known.back());
        push(HostScalars{{{known.back()}, Extent{array, axis}}});
      }
      extents_undo_.emplace_back(array, std::vector<Value>());
    }
    return known;
  }

  // -- blocks -----------------------------------------------------------------------------------

  void lower(const Block& block, Steps& steps) {
    inside(steps, [&] {
      const std::span<const Binding> bindings = block.bindings;
      for (std::size_t i = 0; i < bindings.size();) {
        binding_ = &bindings[i];
        const std::size_t count = group_at(bindings, i);
        if (count == 1)
          lower(bindings[i]);
        else
          lower_group(bindings.subspan(i, count));
        i += count;
      }
    });
  }

  // What f pushes goes there.
  void inside(Steps& steps, FunctionRef<void()> f) {
    Steps* outer_steps = std::exchange(steps_, &steps);
    const Binding* outer_binding = binding_;
    const std::size_t values = host_undo_.size(), arrays = extents_undo_.size();
    f();
    // What was computed inside a branch or loop is not known after it.
    for (; host_undo_.size() > values; host_undo_.pop_back()) host_values_.erase(host_undo_.back());
    for (; extents_undo_.size() > arrays; extents_undo_.pop_back())
      env_.extents[extents_undo_.back().first] = std::move(extents_undo_.back().second);
    steps_ = outer_steps;
    binding_ = outer_binding;
  }

  // Bindings from `first` on that one kernel makes.
  static std::size_t group_at(std::span<const Binding> bindings, std::size_t first) {
    std::size_t end = first + 1;
    if (bindings[first].group != none)
      while (end < bindings.size() && bindings[end].group == bindings[first].group) ++end;
    return end - first;
  }

  void lower(const Binding& binding) {
    if (auto* scalar = std::get_if<HostScalar>(&binding.op)) return lower_scalar(scalar->stmt);
    check(binding);
    if (binding.storage == Storage::delayed) {
      env_.extents[binding.results[0]] = result_extents(binding);
      return;
    }
    note_memory(binding);
    const ArrayId result = binding.results[0];
    if (auto* x = std::get_if<Use>(&binding.op)) return push(BindUse{result, x->index});
    if (auto* x = std::get_if<Input>(&binding.op)) return push(BindInput{result, x->index});
    if (auto* x = std::get_if<Unit>(&binding.op)) return push(MakeUnit{result, x->values});
    if (auto* x = std::get_if<Reshape>(&binding.op))
      return push(View{result, x->source, x->extent, false});
    if (auto* x = std::get_if<Compute>(&binding.op)) return push(View{result, x->source, {}, true});
    if (auto* x = std::get_if<ArrayIf>(&binding.op)) return lower_branch(binding, *x);
    if (auto* x = std::get_if<ArrayWhile>(&binding.op)) return lower_loop(binding, *x);
    if (auto* x = std::get_if<ForeignArrays>(&binding.op)) return lower_foreign(binding, *x);
    if (auto* x = std::get_if<Fold>(&binding.op)) return lower_fold(binding, *x);
    if (auto* x = std::get_if<FoldSegments>(&binding.op)) return lower_fold_segments(binding, *x);
    if (auto* x = std::get_if<Scan>(&binding.op)) return lower_scan(binding, *x);
    if (auto* x = std::get_if<Permute>(&binding.op)) return lower_permute(binding, *x);
    if (auto* x = std::get_if<Concat>(&binding.op)) return lower_concat(binding, *x);
    if (auto* x = std::get_if<SortPositions>(&binding.op)) return push(SortStep{result, x->source});
    if (auto* x = std::get_if<Demand>(&binding.op)) return push(View{result, x->source, {}, true});
    lower_map(binding);
  }

  void note_memory(const Binding& binding) {
    if (*binding.reason != '\0')
      plan_.memory.push_back(
          {binding.results[0], binding.operation, binding.reason, binding.where});
  }

  void lower_scalar(Stmt stmt) {
    if (std::holds_alternative<Extent>(stmt.op)) not_negative_.insert(stmt.results[0]);
    env_.replace_extents(stmt);
    push(HostScalars{std::move(stmt)});
  }

  void lower_branch(const Binding& binding, const ArrayIf& branch) {
    BranchStep step{branch.condition, {}, {}, branch.then_.results, branch.else_.results,
                    binding.results};
    lower(branch.then_, step.then_);
    lower(branch.else_, step.else_);
    push(std::move(step));
  }

  void lower_loop(const Binding& binding, const ArrayWhile& loop) {
    LoopStep step;
    step.init = loop.init;
    step.results = binding.results;
    step.condition_state = loop.condition.params;
    step.body_state = loop.body.params;
    step.value = loop.condition.value;
    step.next = loop.body.results;
    lower(loop.condition, step.condition);
    lower(loop.body, step.body);
    push(std::move(step));
  }

  void lower_foreign(const Binding& binding, const ForeignArrays& call) {
    if (call.functions.size() != 1 || !call.fallback.results.empty())
      throw InternalError("kernels: no foreign function was chosen");
    push(ForeignStep{call.functions[0].index, call.functions[0].name, call.args, binding.results});
  }

  // -- extents and conditions -------------------------------------------------------------------

  std::vector<Value> result_extents(const Binding& binding) {
    if (auto* x = std::get_if<Generate>(&binding.op)) return clamped(x->extent);
    if (auto* x = std::get_if<Backpermute>(&binding.op)) return clamped(x->extent);
    if (auto* x = std::get_if<Reshape>(&binding.op)) return clamped(x->extent);
    if (auto* x = std::get_if<Map>(&binding.op)) return extents(x->source);
    if (auto* x = std::get_if<ZipWith>(&binding.op)) return intersection(x->sources);
    std::vector<Value> result;
    if (auto* x = std::get_if<Replicate>(&binding.op)) {
      const std::vector<Value> source = extents(x->source);
      std::size_t next = 0;
      for (Value axis : x->axes) result.push_back(axis == none ? source[next++] : clamped(axis));
    }
    if (auto* x = std::get_if<Slice>(&binding.op)) {
      const std::vector<Value> source = extents(x->source);
      for (std::size_t axis = 0; axis < source.size(); ++axis)
        if (x->axes[axis] == none) result.push_back(source[axis]);
    }
    if (auto* x = std::get_if<Fold>(&binding.op)) {
      result = extents(x->source);
      result.pop_back();
    }
    if (auto* x = std::get_if<FoldSegments>(&binding.op)) {
      result = extents(x->source);
      const Value offsets = extents(x->offsets)[0];
      result.back() = clamped(host(ScalarOp::sub, offsets, number(1)));
    }
    if (auto* x = std::get_if<Scan>(&binding.op)) {
      result = extents(x->source);
      if (!x->seed.empty()) result.back() = sum(result.back(), number(1));
    }
    if (auto* x = std::get_if<Permute>(&binding.op)) return extents(x->defaults);
    if (auto* x = std::get_if<Demand>(&binding.op)) return extents(x->source);
    if (auto* x = std::get_if<Concat>(&binding.op)) {
      result = intersection(x->sources);
      result[x->axis] = number(0);
      for (ArrayId source : x->sources)
        result[x->axis] = sum(result[x->axis], extents(source)[x->axis]);
    }
    return result;
  }

  std::vector<Value> intersection(const std::vector<ArrayId>& sources) {
    std::vector<Value> result = extents(sources[0]);
    for (ArrayId source : sources) {
      const std::vector<Value> other = extents(source);
      for (std::size_t axis = 0; axis < result.size(); ++axis)
        result[axis] = smaller(result[axis], other[axis]);
    }
    return result;
  }

  void check(const Binding& binding) {
    if (auto* x = std::get_if<Fold>(&binding.op); x && x->seed.empty())
      push(CheckNonEmpty{extents(x->source)});
    // A reshape in memory is checked by its View.
    if (auto* x = std::get_if<Reshape>(&binding.op); x && binding.storage == Storage::delayed)
      push(CheckSameSize{extents(x->source), clamped(x->extent)});
    if (auto* x = std::get_if<Slice>(&binding.op); x && has(checks_, Checks::bounds))
      check_slice(*x);
    if (auto* x = std::get_if<Demand>(&binding.op))
      push(CheckDemand{x->condition, x->message, x->shown});
    if (auto* x = std::get_if<ZipWith>(&binding.op);
        x && (x->equal || has(checks_, Checks::extents)))
      for (ArrayId source : x->sources) check_equal(*x, source);
  }

  // From here on they are known to be equal.
  void check_equal(const ZipWith& zip, ArrayId source) {
    const std::vector<Value> first = extents(zip.sources[0]);
    if (extents(source) == first) return;
    push(CheckEqualExtents{first, extents(source), zip.equal});
    extents_undo_.emplace_back(source, std::exchange(env_.extents[source], first));
  }

  // -- kernels ----------------------------------------------------------------------------------

  Launch launch_for(const Binding& binding) {
    Launch launch;
    launch.output = output_ == none ? binding.results[0] : output_;
    launch.output_extents = result_extents(binding);
    return launch;
  }

  // Starts the element function of a kernel over a space of this rank; gives the index.
  static std::vector<Value> begin_element(KernelBuilder& builder, Skeleton skeleton,
                                          std::uint32_t rank) {
    builder.kernel.skeleton = skeleton;
    builder.kernel.rank = std::max(rank, 1u);
    std::vector<Value> index =
        builder.begin(std::vector<ScalarType>(builder.kernel.rank, ScalarType::i64));
    index.resize(rank);
    return index;
  }

  // An operator of two elements with these leaves.
  static Region combine(KernelBuilder& builder, const Region& fn,
                        const std::vector<ScalarType>& leaves) {
    std::vector<ScalarType> pair = leaves;
    pair.insert(pair.end(), leaves.begin(), leaves.end());
    const std::vector<Value> sides = builder.begin(pair);
    return builder.end(builder.inline_region(fn, sides));
  }

  // Fixed indices are checked even if the result has no elements.
  void check_slice(const Slice& slice) {
    CheckInside check;
    const std::vector<Value>& source = extents(slice.source);
    for (std::size_t axis = 0; axis < slice.axes.size(); ++axis) {
      if (slice.axes[axis] == none) continue;
      check.index.push_back(slice.axes[axis]);
      check.extents.push_back(source[axis]);
    }
    push(std::move(check));
  }

  // -- checks of elements ----------------------------------------------------------------------

  // Before the kernel over this space: does any of its elements fail? `element` inlines them.
  template <class F>
  void check_elements(const Binding& binding, const std::vector<Value>& space, F element) {
    if (!has(checks_, Checks::bounds) && !has(checks_, Checks::arithmetic)) return;
    KernelBuilder builder(env_, checks_);
    Kernel& kernel = builder.kernel;
    const auto rank = static_cast<std::uint32_t>(space.size());
    element(builder, begin_element(builder, Skeleton::fold, rank));
    const Value failed = builder.failed();
    if (failed == none) return;
    kernel.element = builder.end({failed});
    const std::vector<Value> sides =
        builder.begin(std::vector<ScalarType>{ScalarType::boolean, ScalarType::boolean});
    kernel.combine = builder.end({builder.either(sides[0], sides[1])});
    kernel.seed = {builder.capture_argument(constant(ScalarType::boolean, {}))};
    std::vector<ScalarType> after(kernel.rank - 1, ScalarType::i64);
    after.push_back(ScalarType::boolean);
    const std::vector<Value> params = builder.begin(after);
    kernel.epilogue = builder.end({params.back()});
    kernel.outputs = {ScalarType::boolean};
    Launch launch;
    launch.space = space;
    launch.output_extents = space;
    if (rank > 0) launch.output_extents.pop_back();
    launch.output = new_array({kernel.rank - 1, {ScalarType::boolean}});
    const ArrayId flags = launch.output;
    finish_launch(std::move(launch), builder, binding);
    push(CheckFlags{flags});
  }

  void check_source(const Binding& binding, ArrayId source, const std::vector<Value>& space) {
    check_elements(binding, space, [&](KernelBuilder& builder, const std::vector<Value>& index) {
      return builder.element_at(source, index);
    });
  }

  ArrayId new_array(ArrayType type) {
    const ArrayId result = program_.new_array(std::move(type));
    env_.producer.resize(program_.array_types.size());
    env_.extents.resize(program_.array_types.size());
    return result;
  }

  // -- skeletons -------------------------------------------------------------------------------

  void lower_map(const Binding& binding) {
    in_stages(binding, [&] {
      lower_elements(binding, [&](KernelBuilder& builder, const std::vector<Value>& index) {
        return builder.compute_at(binding, index);
      });
    });
  }

  // One launch with the delayed folds inside, or one more for each of them: extents decide. Where
  // elements are checked the folds are, too, each by itself.
  void in_stages(const Binding& binding, FunctionRef<void()> launch) {
    const std::vector<const Binding*> stages = stages_of(env_, binding);
    if (stages.empty()) return launch();
    const auto into = [&](ArrayId output) { output_ = output, launch(), output_ = none; };
    const auto apart = [&](ArrayId output) {
      for (const Binding* stage : stages) {
        binding_ = stage;
        env_.in_memory.insert(stage->results[0]);
        lower_fold(*stage, std::get<Fold>(stage->op));
      }
      binding_ = &binding;
      into(output);
      for (const Binding* stage : stages) env_.in_memory.erase(stage->results[0]);
    };
    if (has(checks_, Checks::bounds) || has(checks_, Checks::arithmetic)) return apart(none);
    const ArrayType type = program_.array_types[binding.results[0]];
    const Value one_pays = one_launch_pays(
        stages, result_extents(binding), std::holds_alternative<Fold>(binding.op),
        {[&](std::int64_t x) { return number(static_cast<std::uint64_t>(x)); },
         [&](ScalarOp op, Value a, Value b, ScalarType t) { return host(op, a, b, t); },
         [&](ArrayId a) { return extents(a); }});
    BranchStep step{one_pays, {}, {}, {new_array(type)}, {new_array(type)}, binding.results};
    inside(step.then_, [&] { into(step.then_results[0]); });
    inside(step.else_, [&] { apart(step.else_results[0]); });
    push(std::move(step));
  }

  // A map kernel that writes the binding's result.
  template <class F>
  void lower_elements(const Binding& binding, F element) {
    Launch launch = launch_for(binding);
    launch.space = launch.output_extents;
    check_elements(binding, launch.space, element);
    KernelBuilder builder(env_);
    const std::vector<Value> index =
        begin_element(builder, Skeleton::map, env_.rank(launch.output));
    builder.space_index = index;
    builder.kernel.element = builder.end(element(builder, index));
    builder.kernel.outputs = program_.array_types[launch.output].leaves;
    finish_launch(std::move(launch), builder, binding);
  }

  void lower_fold(const Binding& binding, const Fold& fold) {
    in_stages(binding, [&] { lower_whole_fold(binding, fold); });
  }

  void lower_whole_fold(const Binding& binding, const Fold& fold) {
    Launch launch = launch_for(binding);
    launch.space = extents(fold.source);
    check_source(binding, fold.source, launch.space);
    KernelBuilder builder(env_);
    const std::vector<Value> index = begin_element(builder, Skeleton::fold, env_.rank(fold.source));
    builder.kernel.element = builder.end(builder.element_at(fold.source, index));
    finish_fold(std::move(launch), builder, binding, fold);
  }

  // The space has an axis more than the result: its rows are segments of the last one.
  void lower_fold_segments(const Binding& binding, const FoldSegments& fold) {
    Launch launch = launch_for(binding);
    check_source(binding, fold.source, extents(fold.source));
    check_source(binding, fold.offsets, extents(fold.offsets));
    KernelBuilder builder(env_);
    begin_segments(builder, launch, fold);
    finish_fold(std::move(launch), builder, binding, fold);
  }

  // The space, the elements and the range.
  void begin_segments(KernelBuilder& builder, Launch& launch, const FoldSegments& fold) {
    launch.space = launch.output_extents;
    launch.space.push_back(extents(fold.source).back());
    std::vector<Value> index = begin_element(builder, Skeleton::fold, env_.rank(fold.source) + 1);
    index.erase(index.end() - 2);  // the segment's
    builder.kernel.element = builder.end(builder.element_at(fold.source, index));
    const std::vector<Value> outer =
        builder.begin(std::vector<ScalarType>(builder.kernel.rank - 1, ScalarType::i64));
    builder.kernel.range = builder.end(builder.neighbours_at(fold.offsets, outer.back()));
  }

  // The operator, the seed and the epilogue of a fold.
  void finish_fold(Launch launch, KernelBuilder& builder, const Binding& binding,
                   const auto& fold) {
    Kernel& kernel = builder.kernel;
    const std::vector<ScalarType> leaves = program_.array_types[launch.output].leaves;
    kernel.combine = combine(builder, fold.fn, leaves);
    for (Value seed : fold.seed) kernel.seed.push_back(builder.capture_argument(seed));
    std::vector<ScalarType> after(kernel.rank - 1, ScalarType::i64);
    after.insert(after.end(), leaves.begin(), leaves.end());
    const std::vector<Value> params = builder.begin(after);
    kernel.epilogue = builder.end({params.begin() + (kernel.rank - 1), params.end()});
    kernel.outputs = leaves;
    finish_launch(std::move(launch), builder, binding);
  }

  // -- groups -----------------------------------------------------------------------------------

  // One kernel, one launch, and its components handed out as the arrays of the group.
  void lower_group(std::span<const Binding> group) {
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
    Unzip parts{made, {}};
    for (const Binding* binding : stored) parts.results.push_back(binding->results[0]);
    push(std::move(parts));
  }

  void set_extents(ArrayId array, std::vector<Value> known) {
    extents_undo_.emplace_back(array, std::exchange(env_.extents[array], std::move(known)));
  }

  void maps_of_group(KernelBuilder& builder, Launch& launch,
                     const std::vector<const Binding*>& stored) {
    launch.space = launch.output_extents;
    const std::vector<Value> index =
        begin_element(builder, Skeleton::map, env_.rank(stored[0]->results[0]));
    builder.space_index = index;
    builder.kernel.element = builder.end(outputs_at(builder, stored, index));
  }

  // What the stored bindings are at an index; each may read those before it there.
  std::vector<Value> outputs_at(KernelBuilder& builder, const std::vector<const Binding*>& stored,
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
  void folds_of_group(KernelBuilder& builder, Launch& launch,
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
        const std::vector<Value> element =
            builder.element_at(std::get<Fold>(fold->op).source, index);
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

  Region combine_side_by_side(KernelBuilder& builder, const std::vector<const Binding*>& folds) {
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
  std::vector<Value> seeds_of(KernelBuilder& builder, const std::vector<const Binding*>& folds) {
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

  std::vector<Value> identities(const Binding& fold) {
    const LaneOperator op = lane_operator(*region_of(fold.op));
    const std::vector<ScalarType> leaves = program_.array_types[fold.results[0]].leaves;
    std::vector<Value> result;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
      result.push_back(constant(leaves[leaf], identity_of(op.leaves.at(leaf), leaves[leaf])));
    return result;
  }

  void lower_scan(const Binding& binding, const Scan& scan) {
    Launch launch = launch_for(binding);
    const std::vector<ScalarType> leaves = program_.array_types[launch.output].leaves;
    launch.space = extents(scan.source);
    check_source(binding, scan.source, launch.space);
    KernelBuilder builder(env_);
    const std::vector<Value> index = begin_element(builder, Skeleton::scan, env_.rank(scan.source));
    builder.kernel.element = builder.end(builder.element_at(scan.source, index));
    builder.kernel.combine = combine(builder, scan.fn, leaves);
    for (Value seed : scan.seed) builder.kernel.seed.push_back(builder.capture_argument(seed));
    builder.kernel.outputs = leaves;
    finish_launch(std::move(launch), builder, binding);
  }

  // The defaults, then the updates.
  void lower_permute(const Binding& binding, const Permute& permute) {
    const bool covers = permute.mode == detail::PermuteMode::covering;
    if (!covers)
      lower_elements(binding, [&](KernelBuilder& builder, const std::vector<Value>& index) {
        return builder.element_at(permute.defaults, index);
      });
    Launch launch = launch_for(binding);
    const std::vector<ScalarType> leaves = program_.array_types[launch.output].leaves;
    launch.into = !covers;
    launch.space = intersection({permute.targets, permute.source});
    check_elements(binding, launch.space,
                   [&](KernelBuilder& builder, const std::vector<Value>& index) {
                     builder.element_at(permute.targets, index);
                     return builder.element_at(permute.source, index);
                   });
    KernelBuilder builder(env_);
    const std::vector<Value> index =
        begin_element(builder, Skeleton::scatter, env_.rank(permute.source));
    builder.kernel.element = builder.end(builder.update_at(permute, launch.output, index));
    builder.kernel.combine = combine(builder, permute.fn, leaves);
    builder.kernel.outputs = leaves;
    builder.kernel.unique = permute.mode != detail::PermuteMode::combine;
    finish_launch(std::move(launch), builder, binding);
  }

  // One launch for each part, all on one output.
  void lower_concat(const Binding& binding, const Concat& concat) {
    Value offset = number(0);
    for (std::size_t part = 0; part < concat.sources.size(); ++part) {
      const ArrayId source = concat.sources[part];
      Launch launch = launch_for(binding);
      launch.into = part > 0;
      launch.space = launch.output_extents;
      launch.space[concat.axis] = extents(source)[concat.axis];
      lower_part(binding, concat, source, offset, std::move(launch));
      offset = sum(offset, extents(source)[concat.axis]);
    }
  }

  void lower_part(const Binding& binding, const Concat& concat, ArrayId source, Value offset,
                  Launch launch) {
    const std::vector<ScalarType> leaves = program_.array_types[launch.output].leaves;
    check_source(binding, source, launch.space);
    KernelBuilder builder(env_);
    const std::vector<Value> index =
        begin_element(builder, Skeleton::scatter, env_.rank(launch.output));
    builder.kernel.element =
        builder.end(builder.update_at(concat, source, offset, launch.output, index));
    std::vector<ScalarType> pair = leaves;
    pair.insert(pair.end(), leaves.begin(), leaves.end());
    std::vector<Value> sides = builder.begin(pair);
    sides.resize(leaves.size());  // the new element
    builder.kernel.combine = builder.end(std::move(sides));
    builder.kernel.outputs = leaves;
    builder.kernel.unique = true;
    finish_launch(std::move(launch), builder, binding);
  }

  void finish_launch(Launch launch, KernelBuilder& builder, const Binding& binding) {
    finish(builder);
    launch.inputs = std::move(builder.inputs);
    launch.arguments = std::move(builder.arguments);
    // What is not in memory (a reshape) has no shape to compare when the kernel is launched.
    for (const ArrayId a : builder.arrays_in_place)
      if (env_.is_delayed(a) && env_.extents[a] != launch.space) builder.kernel.collapsible = false;
    if (builder.kernel.collapsible)
      launch.in_place.assign(builder.arrays_in_place.begin(), builder.arrays_in_place.end());
    std::erase_if(launch.in_place, [&](ArrayId a) { return env_.is_delayed(a); });
    for (const Binding* inlined : builder.inlined) launch.fused.push_back(describe(*inlined));
    launch.fused.push_back(describe(binding));
    launch.kernel = number_of(std::move(builder.kernel));
    push(std::move(launch));
  }

  std::uint32_t number_of(Kernel kernel) {
    const Key key = key_of(kernel);
    auto [it, is_new] = kernel_numbers_.try_emplace(
        {key.lo, key.hi}, static_cast<std::uint32_t>(plan_.kernels.size()));
    if (is_new) {
      plan_.kernels.push_back(std::move(kernel));
      plan_.keys.push_back(key);
    }
    return it->second;
  }

  Program program_;
  Checks checks_;
  Environment env_;
  Plan plan_;
  Steps* steps_ = nullptr;
  const Binding* binding_ = nullptr;
  std::map<std::tuple<ScalarType, std::uint64_t, std::uint64_t>, Value> constants_;
  ArrayId output_ = none;  // in place of the result of the binding at hand
  std::set<Value> not_negative_;
  std::map<HostKey, Value> host_values_;
  std::vector<HostKey> host_undo_;
  std::vector<std::pair<ArrayId, std::vector<Value>>> extents_undo_;  // what was known before
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> kernel_numbers_;
};

}  // namespace

Plan lower(Program program, Checks checks) { return Lowering(std::move(program), checks).take(); }

}  // namespace hasten::kernels
