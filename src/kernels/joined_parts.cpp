// Elements of a concat: of all parts in one map, or of one part in a scatter.
#include "kernels/kernel_builder.hpp"

#include <utility>

namespace hasten::kernels {

using namespace core;

std::vector<Value> KernelBuilder::joined_at(const Concat& op, std::span<const Value> ends,
                                            const std::vector<Value>& index) {
  return joined_from(op, ends, index, 0);
}

// Nested branches; callers ensure that there are few parts.
std::vector<Value> KernelBuilder::joined_from(const Concat& op, std::span<const Value> ends,
                                              const std::vector<Value>& index, std::size_t part) {
  const ArrayId source = op.sources[part];
  const auto own = [&] {
    std::vector<Value> inside = index;
    if (part > 0)
      inside[op.axis] =
          emit_prim(ScalarOp::sub, ScalarType::i64, {index[op.axis], capture(ends[part - 1])});
    return element_at(source, inside);
  };
  if (part + 1 == op.sources.size()) return own();
  const Value here =
      emit_prim(ScalarOp::lt, ScalarType::boolean, {index[op.axis], capture(ends[part])});
  Region then_ = nested({}, [&](const std::vector<Value>&) { return own(); });
  Region else_ =
      nested({}, [&](const std::vector<Value>&) { return joined_from(op, ends, index, part + 1); });
  std::vector<Value> results;
  for (const ScalarType type : env_.program->array_types[source].leaves)
    results.push_back(new_value(type));
  emit(results, If{here, std::move(then_), std::move(else_)});
  return results;
}

std::vector<Value> KernelBuilder::update_at(const Concat& op, ArrayId part, Value offset,
                                            ArrayId result, std::vector<Value> index) {
  const std::vector<Value> element = element_at(part, index);
  index[op.axis] = emit_prim(ScalarOp::add, ScalarType::i64, {index[op.axis], capture(offset)});
  std::vector<Value> update{emit_constant(ScalarType::boolean, {1, 0}),
                            linear_index(result, index)};
  update.insert(update.end(), element.begin(), element.end());
  return update;
}

}  // namespace hasten::kernels
