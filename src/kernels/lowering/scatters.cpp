// Kernels whose elements choose their targets: permutations, compactions, parts of a concat.
#include "kernels/lowering/lowering.hpp"

#include "passes/walk.hpp"

#include <algorithm>
#include <utility>

namespace hasten::kernels {

using namespace core;

namespace {

// The most parts of a concat that one kernel chooses among: every vector of elements tests each.
constexpr std::size_t joined_parts_max = 8;
constexpr std::size_t joined_statements_max = 256;
// For larger results one launch per part costs less than the tests, and needs one part's memory.
constexpr std::uint64_t joined_elements_max = 1 << 17;
// Except for rows so short that a part has only a few elements of each: a launch per part would
// write a few neighbours at a time.
constexpr std::uint64_t joined_row_max = 32;

// Few statements, and no loop, so that a lane of another part does not wait for long.
bool is_light(const Region& region) {
  std::size_t statements = 0;
  bool loops = false;
  Region copy = region;
  passes::for_each_region(copy, [&](Region& r) {
    statements += r.body.size();
    for (const Stmt& stmt : r.body)
      loops |= std::holds_alternative<While>(stmt.op) || std::holds_alternative<Reduce>(stmt.op);
  });
  return !loops && statements <= joined_statements_max;
}

}  // namespace

// Host values that equal every element of a delayed array, by leaf; none if elements differ, or
// have to be computed.
std::vector<Value> Lowering::uniform_element(ArrayId array, Launch& launch) {
  std::vector<Value> result;
  if (!env_.is_delayed(array)) return result;
  KernelBuilder builder(env_);
  const std::vector<Value> index = begin_element(builder, Skeleton::map, env_.rank(array));
  const Region element = builder.end(builder.element_at(array, index));
  for (const Value leaf : element.results) {
    Value host = none;
    for (std::size_t i = 0; i < builder.arguments.size(); ++i)
      if (builder.kernel.scalars[i] == leaf) host = builder.arguments[i].host;
    for (const Stmt& stmt : element.body)
      if (const auto* x = std::get_if<Constant>(&stmt.op); x && stmt.results[0] == leaf)
        host = constant(builder.kernel.value_types[leaf], x->bits);
    if (host == none) return {};
    result.push_back(host);
  }
  for (const Binding* inlined : builder.inlined) launch.fused.push_back(describe(*inlined));
  return result;
}

// The updates, after the defaults: the launch itself fills uniform defaults. Others are copied,
// unless they are in memory that can be written in place (Launch::reused).
void Lowering::lower_permute(const Binding& binding, const Permute& permute) {
  for (const PermuteLoop& loop : permute.loops)
    check_elements(binding, intersection({loop.targets, loop.source}),
                   [&](KernelBuilder& builder, const std::vector<Value>& index) {
                     builder.element_at(loop.targets, index);
                     return builder.element_at(loop.source, index);
                   });
  const std::vector<ArrayId> early = computed_from(permute);
  if (early.empty()) return lower_scatter(binding, permute);
  // Values computed from the defaults are stored before the defaults are overwritten, if that takes
  // less than a copy of the defaults.
  const Value is_less = host(ScalarOp::lt, updates_of(permute), size_of(extents(permute.defaults)),
                             ScalarType::boolean);
  const ArrayId result = output_ == none ? binding.results[0] : output_;
  const ArrayType type = program_.array_types[result];
  BranchStep step{is_less, {}, {}, {new_array(type)}, {new_array(type)}, {result}};
  const auto scatter = [&](ArrayId to) {
    const ArrayId outer = std::exchange(output_, to);
    lower_scatter(binding, permute);
    output_ = outer;
  };
  inside(step.then_, [&] {
    const Binding* const outer = binding_;
    const ArrayId outer_output = std::exchange(output_, none);
    for (const ArrayId a : early) {
      binding_ = env_.producer[a];
      lower_elementwise(*binding_);
      env_.launched_apart.insert(a);
    }
    binding_ = outer;
    output_ = outer_output;
    scatter(step.then_results[0]);
    for (const ArrayId a : early) env_.launched_apart.erase(a);
  });
  inside(step.else_, [&] { scatter(step.else_results[0]); });
  push(std::move(step));
}

// Targets and sources that are computed from defaults in memory, if that memory may be written: the
// caller's arrays never are.
std::vector<ArrayId> Lowering::computed_from(const Permute& permute) {
  std::vector<ArrayId> result;
  const ArrayId defaults = env_.in_memory(permute.defaults);
  if (permute.mode == detail::PermuteMode::covering || defaults == none) return result;
  const Binding* const maker = env_.producer[defaults];
  if (maker && (std::holds_alternative<Input>(maker->op) || std::holds_alternative<Use>(maker->op)))
    return result;
  std::vector<ArrayId> read;
  for (const PermuteLoop& loop : permute.loops)
    read.insert(read.end(), {loop.targets, loop.source});
  for (const ArrayId a : read) {
    if (!env_.is_delayed(a)) continue;
    KernelBuilder builder(env_);
    const std::vector<Value> index = begin_element(builder, Skeleton::map, env_.rank(a));
    (void)builder.end(builder.element_at(a, index));
    const bool reads_defaults = std::ranges::any_of(
        builder.inputs, [&](const InputSource& input) { return input.array == defaults; });
    if (reads_defaults && std::ranges::find(result, a) == result.end()) result.push_back(a);
  }
  return result;
}

Value Lowering::updates_of(const Permute& permute) {
  Value all = number(0);
  for (const PermuteLoop& loop : permute.loops)
    all = sum(all, size_of(intersection({loop.targets, loop.source})));
  return all;
}

Value Lowering::size_of(const std::vector<Value>& shape) {
  Value size = number(1);
  for (const Value extent : shape) size = host(ScalarOp::mul, size, extent);
  return size;
}

void Lowering::lower_scatter(const Binding& binding, const Permute& permute) {
  Launch launch = launch_for(binding);
  const std::vector<ScalarType> leaves = program_.array_types[launch.output].leaves;
  const bool covers = permute.mode == detail::PermuteMode::covering;
  const std::vector<Value> defaults =
      covers ? std::vector<Value>() : uniform_element(permute.defaults, launch);
  launch.into = !covers && defaults.empty();
  if (launch.into) {
    const auto element = [&](KernelBuilder& builder, const std::vector<Value>& index) {
      return builder.element_at(permute.defaults, index);
    };
    lower_elements(binding, element, env_.in_memory(permute.defaults));
  }
  KernelBuilder builder(env_);
  begin_loops(builder, launch, permute);
  builder.kernel.combine = combine(builder, permute.fn, leaves);
  builder.kernel.outputs = leaves;
  builder.kernel.in_order = permute.in_order;
  builder.kernel.unique = permute.mode != detail::PermuteMode::combine;
  builder.kernel.any_order = determinism_ == Determinism::relaxed && !builder.kernel.unique &&
                             !permute.in_order && !is_exact(permute.fn, leaves);
  for (const Value leaf : defaults) builder.kernel.seed.push_back(builder.capture_argument(leaf));
  finish_launch(std::move(launch), builder, binding);
}

// Sets the spaces and the elements. A loop of rank 0 has a space of one element.
void Lowering::begin_loops(KernelBuilder& builder, Launch& launch, const Permute& permute) {
  Kernel& kernel = builder.kernel;
  const bool is_one = permute.loops.size() == 1;
  std::uint32_t rank = 0;
  for (const PermuteLoop& loop : permute.loops) {
    std::vector<Value> space = intersection({loop.targets, loop.source});
    const std::vector<Value> index =
        begin_element(builder, Skeleton::scatter, env_.rank(loop.source));
    Region element = builder.end(builder.update_at(loop, launch.output, index));
    if (is_one) {
      kernel.element = std::move(element);
      kernel.writes = loop.writes;
    } else {
      if (space.empty()) space.push_back(number(1));
      kernel.loops.push_back({kernel.rank, loop.writes, std::move(element), {}});
    }
    rank += kernel.rank;
    launch.space.insert(launch.space.end(), space.begin(), space.end());
  }
  kernel.rank = rank;
}

// The extents of the results are known only after the launch.
void Lowering::lower_compact(const Binding& binding, const Compact& compact) {
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

// One launch where the parts are few, light and small, or have short rows; else one per part.
void Lowering::lower_concat(const Binding& binding, const Concat& concat) {
  std::vector<Value> ends;
  for (const ArrayId source : concat.sources) {
    const Value extent = extents(source)[concat.axis];
    ends.push_back(ends.empty() ? extent : sum(ends.back(), extent));
  }
  KernelBuilder builder(env_);
  if (concat.sources.size() > joined_parts_max || !join_parts(builder, binding, concat, ends))
    return lower_parts(binding, concat);
  const std::vector<Value> extents_of_result = result_extents(binding);
  const Value size = size_of(extents_of_result);
  Value is_small = host(ScalarOp::le, size, number(joined_elements_max), ScalarType::boolean);
  if (concat.axis + 1 == extents_of_result.size())
    is_small = host(
        ScalarOp::or_, is_small,
        host(ScalarOp::le, extents_of_result.back(), number(joined_row_max), ScalarType::boolean),
        ScalarType::boolean);
  const ArrayType type = program_.array_types[binding.results[0]];
  BranchStep step{is_small, {}, {}, {new_array(type)}, {new_array(type)}, {binding.results[0]}};
  inside(step.then_, [&] {
    output_ = step.then_results[0];
    launch_joined(builder, binding, concat);
  });
  inside(step.else_, [&] {
    output_ = step.else_results[0];
    lower_parts(binding, concat);
  });
  output_ = none;
  push(std::move(step));
}

// Emits the code of a map that chooses among the parts; returns whether it is light.
bool Lowering::join_parts(KernelBuilder& builder, const Binding& binding, const Concat& concat,
                          std::span<const Value> ends) {
  const ArrayType& type = program_.array_types[binding.results[0]];
  const std::vector<Value> index = begin_element(builder, Skeleton::map, type.rank);
  builder.kernel.element = builder.end(builder.joined_at(concat, ends, index));
  builder.kernel.outputs = type.leaves;
  return is_light(builder.kernel.element);
}

void Lowering::launch_joined(KernelBuilder& builder, const Binding& binding, const Concat& concat) {
  Launch launch = launch_for(binding);
  launch.space = launch.output_extents;
  for (const ArrayId source : concat.sources) {
    std::vector<Value> space = launch.space;
    space[concat.axis] = extents(source)[concat.axis];
    check_source(binding, source, space);
  }
  finish_launch(std::move(launch), builder, binding);
}

// One launch per part, all into one output.
void Lowering::lower_parts(const Binding& binding, const Concat& concat) {
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

void Lowering::lower_part(const Binding& binding, const Concat& concat, ArrayId source,
                          Value offset, Launch launch) {
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

}  // namespace hasten::kernels
