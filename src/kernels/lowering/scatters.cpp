// Kernels whose elements say where they go: permutations, compactions, parts of a concat.
#include "kernels/lowering/lowering.hpp"

#include <utility>

namespace hasten::kernels {

using namespace core;

// Host values that every element of a delayed array is, by leaf; none if elements differ, or have
// to be computed.
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

// The updates, after the defaults: what is the same everywhere the launch writes itself.
void Lowering::lower_permute(const Binding& binding, const Permute& permute) {
  Launch launch = launch_for(binding);
  const std::vector<ScalarType> leaves = program_.array_types[launch.output].leaves;
  const bool covers = permute.mode == detail::PermuteMode::covering;
  const std::vector<Value> defaults =
      covers ? std::vector<Value>() : uniform_element(permute.defaults, launch);
  launch.into = !covers && defaults.empty();
  if (launch.into)
    lower_elements(binding, [&](KernelBuilder& builder, const std::vector<Value>& index) {
      return builder.element_at(permute.defaults, index);
    });
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
  for (const Value leaf : defaults) builder.kernel.seed.push_back(builder.capture_argument(leaf));
  finish_launch(std::move(launch), builder, binding);
}

// The results' extents are known when it has run.
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

// One launch for each part, all on one output.
void Lowering::lower_concat(const Binding& binding, const Concat& concat) {
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
