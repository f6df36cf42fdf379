// Operators as written, and by the operations of the table.
#include "backends/cpu/emit/folds/fold_operator.hpp"

#include <numeric>
#include <utility>

namespace hasten::backends::cpu {

using core::ScalarType;
using kernels::Kernel;
using kernels::LaneOperator;
using kernels::Region;
using kernels::Value;
using V = llvm::Value*;

namespace {

Values part_of(LaneCode& code, const Values& state, unsigned first, unsigned lanes) {
  llvm::SmallVector<int, 64> order(lanes);
  std::iota(order.begin(), order.end(), static_cast<int>(first));
  Values result;
  for (V value : state) result.push_back(code.b.CreateShuffleVector(value, order));
  return result;
}

}  // namespace

Values lanes_of(LaneCode& code, const std::vector<Value>& values) {
  Values result;
  for (Value v : values) result.push_back(code.in_lanes(v));
  return result;
}

void set_lanes(LaneCode& code, std::span<const Value> params, const Values& values) {
  for (std::size_t i = 0; i < values.size(); ++i) code.set(params[i], code.from_lanes(values[i]));
}

Values zeros(LaneCode& code, const std::vector<Value>& like) {
  Values result;
  for (Value v : like) result.push_back(llvm::Constant::getNullValue(code.lane_type(code.type(v))));
  return result;
}

Values combined(LaneCode& code, const Values& left, const Values& right) {
  return combined(code, code.kernel().combine, left, right);
}

Values combined(LaneCode& code, const Region& fn, const Values& left, const Values& right) {
  set_lanes(code, std::span(fn.params).first(left.size()), left);
  set_lanes(code, std::span(fn.params).subspan(left.size()), right);
  code.run(fn);
  return lanes_of(code, fn.results);
}

Values combined_unless(LaneCode& code, V nothing_yet, const Values& left, const Values& right) {
  V something = code.b.CreateNot(nothing_yet);
  return guarded(code, something, right, [&] { return combined(code, left, right); });
}

Values combined_by_table(LaneCode& code, const Values& left, const Values& right) {
  const Kernel& kernel = code.kernel();
  return combined_by_table(code, kernel.combine, kernel.lane_operator, left, right);
}

Values combined_by_table(LaneCode& code, const Region& fn, const LaneOperator& table,
                         const Values& left, const Values& right) {
  Values result;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const ScalarType type = code.type(fn.results[i]);
    const ScalarType types[] = {type, type};
    V args[] = {left[i], right[i]};
    V both = code.ops.apply(table.leaves[i], type, types, args);
    const bool may_begin = table.of_segments && i > 0;
    result.push_back(may_begin ? code.b.CreateSelect(right[0], right[i], both) : both);
  }
  return result;
}

V identity_of(LaneCode& code, const Region& fn, const LaneOperator& table, std::size_t leaf,
              bool lanes) {
  const ScalarType type = code.type(fn.results[leaf]);
  V one = literal(code.b.getContext(), type, core::identity_of(table.leaves[leaf], type));
  return lanes && code.lanes() > 1 ? code.vector(Uniform{one}) : one;
}

Values identities(LaneCode& code) {
  const Kernel& kernel = code.kernel();
  Values result;
  for (std::size_t i = 0; i < kernel.combine.results.size(); ++i)
    result.push_back(identity_of(code, kernel.combine, kernel.lane_operator, i, true));
  return result;
}

Values start_of_lanes(LaneCode& code) {
  const Kernel& kernel = code.kernel();
  if (!kernel.seed.empty()) return lanes_of(code, kernel.seed);
  if (kernel.lane_operator.commutative) return identities(code);
  return zeros(code, kernel.combine.results);
}

Values combined_of(LaneCode& code) {
  const std::span<const Value> leaves = combined_leaves(code.kernel());
  return lanes_of(code, {leaves.begin(), leaves.end()});
}

void for_each_stored(LaneCode& code, llvm::function_ref<void(std::size_t, V)> f) {
  const Kernel& kernel = code.kernel();
  for (std::size_t i = kernel.stored; i > 0; --i)
    f(kernel.outputs.size() - i,
      code.in_lanes(kernel.element.results[kernel.element.results.size() - i]));
}

void hoist_operator(LaneCode& code, bool lanes) {
  const Place place{lane_level, lanes ? Spread::varying : Spread::uniform};
  const Region& combine = code.kernel().combine;
  code.hoisting.add(combine, std::vector<Place>(combine.params.size(), place));
}

Values lanes_combined(LaneCode& code, Values state) {
  const Kernel& kernel = code.kernel();
  return lanes_combined(code, kernel.combine, kernel.lane_operator, std::move(state));
}

Values lanes_combined(LaneCode& code, const Region& fn, const LaneOperator& table, Values state) {
  for (unsigned lanes = code.lanes(); lanes > 1; lanes /= 2)
    state = combined_by_table(code, fn, table, part_of(code, state, 0, lanes / 2),
                              part_of(code, state, lanes / 2, lanes / 2));
  for (V& value : state)
    if (value->getType()->isVectorTy()) value = code.b.CreateExtractElement(value, code.i64(0));
  return state;
}

}  // namespace hasten::backends::cpu
