// Walks the blocks in order; manifest bindings become steps, delayed ones only extents and checks.
#include "kernels/lower.hpp"

#include "kernels/finish.hpp"
#include "kernels/kernel_builder.hpp"
#include "kernels/liveness.hpp"

#include <hasten/error.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace hasten::kernels {
namespace {

using namespace core;

class Lowering {
 public:
  Lowering(Program program, Checks checks) : program_(std::move(program)), checks_(checks) {
    env_.program = &program_;
    env_.producer.resize(program_.array_types.size());
    env_.extents.resize(program_.array_types.size());
    survey(program_.body);
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

  void survey(const Block& block) {
    for (const Binding& binding : block.bindings) {
      for (ArrayId a : binding.results) env_.producer[a] = &binding;
      if (auto* scalar = std::get_if<HostScalar>(&binding.op))
        if (auto* constant = std::get_if<Constant>(&scalar->stmt.op))
          env_.constants[scalar->stmt.results[0]] = constant->bits;
      visit_blocks(binding.op, [&](const Block& inner) { survey(inner); });
    }
  }

  // -- host scalars -----------------------------------------------------------------------------

  template <class Op>
  void push(Op op) {
    steps_->push_back({std::move(op), binding_->where, binding_->operation});
  }

  Value host(ScalarOp op, Value a, Value b) {
    auto [it, is_new] = host_values_.try_emplace({op, a, b}, none);
    if (is_new) {
      it->second = program_.new_value(ScalarType::i64);
      push(HostScalars{{{it->second}, Prim{op, {a, b}}}});
      host_undo_.push_back({op, a, b});
    }
    return it->second;
  }

  Value number(std::uint64_t n) {
    auto [it, is_new] = numbers_.try_emplace(n, none);
    if (is_new) {
      it->second = program_.new_value(ScalarType::i64);
      env_.constants[it->second] = {n, 0};
      plan_.steps.insert(plan_.steps.begin(),
                         {HostScalars{{{it->second}, Constant{{n, 0}, none}}}, {}, ""});
    }
    return it->second;
  }

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
      extents_undo_.push_back(array);
    }
    return known;
  }

  // -- blocks -----------------------------------------------------------------------------------

  void lower(const Block& block, Steps& steps) {
    Steps* outer_steps = std::exchange(steps_, &steps);
    const Binding* outer_binding = binding_;
    const std::size_t values = host_undo_.size(), arrays = extents_undo_.size();
    for (const Binding& binding : block.bindings) {
      binding_ = &binding;
      lower(binding);
    }
    // What was computed inside a branch or loop is not known after it.
    for (; host_undo_.size() > values; host_undo_.pop_back()) host_values_.erase(host_undo_.back());
    for (; extents_undo_.size() > arrays; extents_undo_.pop_back())
      env_.extents[extents_undo_.back()].clear();
    steps_ = outer_steps;
    binding_ = outer_binding;
  }

  void lower(const Binding& binding) {
    if (auto* scalar = std::get_if<HostScalar>(&binding.op)) return lower_scalar(scalar->stmt);
    check(binding);
    if (binding.storage == Storage::delayed) {
      env_.extents[binding.results[0]] = result_extents(binding);
      return;
    }
    if (*binding.reason != '\0')
      plan_.memory.push_back(
          {binding.results[0], binding.operation, binding.reason, binding.where});
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
    if (auto* x = std::get_if<Compact>(&binding.op)) return lower_compact(binding, *x);
    if (auto* x = std::get_if<Concat>(&binding.op)) return lower_concat(binding, *x);
    if (auto* x = std::get_if<SortPositions>(&binding.op)) return push(SortStep{result, x->source});
    if (auto* x = std::get_if<Demand>(&binding.op)) return push(View{result, x->source, {}, true});
    if (auto* x = std::get_if<Map>(&binding.op); x && env_.in_memory(x->source) != none)
      if (std::vector<std::uint32_t> leaves = chosen_leaves(x->fn); !leaves.empty())
        return push(View{result, env_.in_memory(x->source), {}, true, std::move(leaves)});
    lower_map(binding);
  }

  void lower_scalar(Stmt stmt) {
    if (std::holds_alternative<Extent>(stmt.op)) not_negative_.insert(stmt.results[0]);
    replace_extents(stmt);
    push(HostScalars{std::move(stmt)});
  }

  // Extents of delayed arrays are host values by now: max(x, x) is a copy.
  void replace_extents(Stmt& stmt) {
    if (auto* extent = std::get_if<Extent>(&stmt.op)) {
      if (!env_.is_delayed(extent->array)) return;
      const Value value = env_.extents[extent->array][extent->axis];
      stmt.op = Prim{ScalarOp::max, {value, value}};
    } else if (auto* branch = std::get_if<If>(&stmt.op)) {
      for (Stmt& inner : branch->then_.body) replace_extents(inner);
      for (Stmt& inner : branch->else_.body) replace_extents(inner);
    } else if (auto* loop = std::get_if<While>(&stmt.op)) {
      for (Stmt& inner : loop->condition.body) replace_extents(inner);
      for (Stmt& inner : loop->body.body) replace_extents(inner);
    }
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
    if (auto* x = std::get_if<Compact>(&binding.op); x && has(checks_, Checks::extents))
      push(CheckEqualExtents{extents(x->mask), extents(x->source)});
    if (auto* x = std::get_if<ZipWith>(&binding.op); x && has(checks_, Checks::extents))
      for (ArrayId source : x->sources)
        if (source != x->sources[0])
          push(CheckEqualExtents{extents(x->sources[0]), extents(source)});
  }

  // -- kernels ----------------------------------------------------------------------------------

  Launch launch_for(const Binding& binding) {
    Launch launch;
    launch.output = binding.results[0];
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
    kernel.seed = {builder.capture_argument(no())};
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

  // A host value: false.
  Value no() {
    if (no_ == none) {
      no_ = program_.new_value(ScalarType::boolean);
      plan_.steps.insert(plan_.steps.begin(), {HostScalars{{{no_}, Constant{}}}, {}, ""});
    }
    return no_;
  }

  // -- skeletons -------------------------------------------------------------------------------

  void lower_map(const Binding& binding) {
    lower_elements(binding, [&](KernelBuilder& builder, const std::vector<Value>& index) {
      return builder.compute_at(binding, index);
    });
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
    launch.space = launch.output_extents;
    launch.space.push_back(extents(fold.source).back());
    check_source(binding, fold.source, extents(fold.source));
    check_source(binding, fold.offsets, extents(fold.offsets));
    KernelBuilder builder(env_);
    std::vector<Value> index = begin_element(builder, Skeleton::fold, env_.rank(fold.source) + 1);
    index.erase(index.end() - 2);  // the segment's
    builder.kernel.element = builder.end(builder.element_at(fold.source, index));
    const std::vector<Value> outer =
        builder.begin(std::vector<ScalarType>(builder.kernel.rank - 1, ScalarType::i64));
    builder.kernel.range = builder.end(builder.neighbours_at(fold.offsets, outer.back()));
    finish_fold(std::move(launch), builder, binding, fold);
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

  // The results' extents are known when it has run.
  void lower_compact(const Binding& binding, const Compact& compact) {
    Launch launch;
    launch.output = binding.results[0];
    if (binding.results.size() > 1) launch.others = binding.results[1];
    launch.space = intersection({compact.mask, compact.source});
    const auto element = [&](KernelBuilder& builder, const std::vector<Value>& index) {
      return builder.choice_at(compact, index);
    };
    check_elements(binding, launch.space, element);
    KernelBuilder builder(env_);
    const std::vector<Value> index = begin_element(builder, Skeleton::compact, 1);
    builder.kernel.element = builder.end(element(builder, index));
    builder.kernel.parts = launch.others != none;
    for (const ArrayId result : binding.results)
      for (const ScalarType type : program_.array_types[result].leaves)
        builder.kernel.outputs.push_back(type);
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
  std::map<std::uint64_t, Value> numbers_;
  Value no_ = none;
  std::set<Value> not_negative_;
  std::map<HostKey, Value> host_values_;
  std::vector<HostKey> host_undo_;
  std::vector<ArrayId> extents_undo_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> kernel_numbers_;
};

}  // namespace

Plan lower(Program program, Checks checks) { return Lowering(std::move(program), checks).take(); }

}  // namespace hasten::kernels
