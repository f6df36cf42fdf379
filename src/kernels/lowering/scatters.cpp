// Kernels whose elements say where they go: permutations, compactions, parts of a concat.
#include "kernels/lowering/lowering.hpp"

#include <utility>

namespace hasten::kernels {

using namespace core;

// The defaults, then the updates.
void Lowering::lower_permute(const Binding& binding, const Permute& permute) {
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
