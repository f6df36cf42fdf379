// Operators as written, and those of the table.
#include "backends/cpu/fold_operator.hpp"

#include <numeric>

namespace hasten::backends::cpu {

using core::ScalarOp;
using core::ScalarType;
using kernels::Kernel;
using kernels::Region;
using kernels::Value;
using V = llvm::Value*;

namespace {

// x with: neutral f x == x, bit for bit.
llvm::Constant* neutral(ScalarOp op, ScalarType type, llvm::Type* t) {
  const bool least = op == ScalarOp::min || op == ScalarOp::and_;
  if (op == ScalarOp::mul)
    return detail::is_floating(type) ? llvm::ConstantFP::get(t, 1.0) : llvm::ConstantInt::get(t, 1);
  if (detail::is_floating(type)) {
    if (op == ScalarOp::add) return llvm::ConstantFP::get(t, -0.0);
    return llvm::ConstantFP::getInfinity(t, op == ScalarOp::max);
  }
  const unsigned bits = t->getScalarSizeInBits();
  if (detail::is_signed_int(type) && op == ScalarOp::min)
    return llvm::ConstantInt::get(t, llvm::APInt::getSignedMaxValue(bits));
  if (detail::is_signed_int(type) && op == ScalarOp::max)
    return llvm::ConstantInt::get(t, llvm::APInt::getSignedMinValue(bits));
  return least ? llvm::Constant::getAllOnesValue(t) : llvm::Constant::getNullValue(t);
}

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
  const Region& fn = code.kernel().combine;
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
  Values result;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const ScalarType type = code.type(kernel.element.results[i]);
    const ScalarType types[] = {type, type};
    V args[] = {left[i], right[i]};
    result.push_back(code.ops.apply(kernel.lane_operator.leaves[i], type, types, args));
  }
  return result;
}

Values neutrals(LaneCode& code) {
  const Kernel& kernel = code.kernel();
  Values result;
  for (std::size_t i = 0; i < kernel.element.results.size(); ++i) {
    const ScalarType type = code.type(kernel.element.results[i]);
    result.push_back(neutral(kernel.lane_operator.leaves[i], type, code.lane_type(type)));
  }
  return result;
}

void place_operator(LaneCode& code, bool lanes) {
  const Place place{lane_level, lanes ? Spread::varying : Spread::uniform};
  const Region& combine = code.kernel().combine;
  code.placement.add(combine, std::vector<Place>(combine.params.size(), place));
}

Values lanes_combined(LaneCode& code, Values state) {
  for (unsigned lanes = code.lanes(); lanes > 1; lanes /= 2)
    state = combined_by_table(code, part_of(code, state, 0, lanes / 2),
                              part_of(code, state, lanes / 2, lanes / 2));
  for (V& value : state)
    if (value->getType()->isVectorTy()) value = code.b.CreateExtractElement(value, code.i64(0));
  return state;
}

}  // namespace hasten::backends::cpu
