// Before a kernel that could fail, a launch that finds out whether any of its elements does.
#include "kernels/lowering/lowering.hpp"

#include <utility>

namespace hasten::kernels {

using namespace core;

bool Lowering::checks_elements() const {
  return has(checks_, Checks::bounds) || has(checks_, Checks::arithmetic);
}

// Checks all elements of a space before its kernel is launched. `element` inlines them.
void Lowering::check_elements(const Binding& binding, const std::vector<Value>& space,
                              ElementCode element) {
  if (!checks_elements()) return;
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
  push(CheckFlags{flags, builder.failure_kinds()});
}

void Lowering::check_source(const Binding& binding, ArrayId source,
                            const std::vector<Value>& space) {
  check_elements(binding, space, [&](KernelBuilder& builder, const std::vector<Value>& index) {
    return builder.element_at(source, index);
  });
}

ArrayId Lowering::new_array(ArrayType type) {
  const ArrayId result = program_.new_array(std::move(type));
  env_.producer.resize(program_.array_types.size());
  env_.extents.resize(program_.array_types.size());
  return result;
}

}  // namespace hasten::kernels
