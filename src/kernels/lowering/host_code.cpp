// Extents as values of the host, and conditions on them as steps. Equal ones are computed once.
#include "kernels/lowering/lowering.hpp"

#include <algorithm>
#include <utility>

namespace hasten::kernels {

using namespace core;

Value Lowering::host(ScalarOp op, Value a, Value b, ScalarType type) {
  auto [it, is_new] = host_values_.try_emplace({op, a, b}, none);
  if (is_new) {
    it->second = program_.new_value(type);
    push(HostScalars{{{it->second}, Prim{op, {a, b}}}});
    host_undo_.push_back({op, a, b});
  }
  return it->second;
}

Value Lowering::constant(ScalarType type, Bits bits) {
  auto [it, is_new] = constants_.try_emplace({type, bits.lo, bits.hi}, none);
  if (is_new) {
    it->second = program_.new_value(type);
    env_.constants[it->second] = bits;
    plan_.steps.insert(plan_.steps.begin(),
                       {HostScalars{{{it->second}, Constant{bits, none}}}, {}, ""});
  }
  return it->second;
}

Value Lowering::clamped(Value extent) {
  if (not_negative_.contains(extent)) return extent;
  auto constant = env_.constants.find(extent);
  if (constant != env_.constants.end() && static_cast<std::int64_t>(constant->second.lo) >= 0)
    return extent;
  const Value result = host(ScalarOp::max, extent, number(0));
  not_negative_.insert(result);
  return result;
}

std::vector<Value> Lowering::clamped(const std::vector<Value>& extents) {
  std::vector<Value> result;
  result.reserve(extents.size());
  for (Value e : extents) result.push_back(clamped(e));
  return result;
}

Value Lowering::smaller(Value a, Value b) {
  if (a == b) return a;
  const Value result = host(ScalarOp::min, std::min(a, b), std::max(a, b));
  not_negative_.insert(result);
  return result;
}

// Of extents.
Value Lowering::sum(Value a, Value b) {
  if (a == number(0)) return b;
  const Value result = host(ScalarOp::add, std::min(a, b), std::max(a, b));
  not_negative_.insert(result);
  return result;
}

const std::vector<Value>& Lowering::extents(ArrayId array) {
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

std::vector<Value> Lowering::result_extents(const Binding& binding) {
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

std::vector<Value> Lowering::intersection(const std::vector<ArrayId>& sources) {
  std::vector<Value> result = extents(sources[0]);
  for (ArrayId source : sources) {
    const std::vector<Value> other = extents(source);
    for (std::size_t axis = 0; axis < result.size(); ++axis)
      result[axis] = smaller(result[axis], other[axis]);
  }
  return result;
}

void Lowering::check(const Binding& binding) {
  if (auto* x = std::get_if<Fold>(&binding.op); x && x->seed.empty())
    push(CheckNonEmpty{extents(x->source)});
  // A reshape in memory is checked by its View.
  if (auto* x = std::get_if<Reshape>(&binding.op); x && binding.storage == Storage::delayed)
    push(CheckSameSize{extents(x->source), clamped(x->extent)});
  if (auto* x = std::get_if<Slice>(&binding.op); x && has(checks_, Checks::bounds)) check_slice(*x);
  if (auto* x = std::get_if<Demand>(&binding.op))
    push(CheckDemand{x->condition, x->message, x->shown});
  if (auto* x = std::get_if<Compact>(&binding.op); x && has(checks_, Checks::extents))
    push(CheckEqualExtents{extents(x->mask), extents(x->source)});
  if (auto* x = std::get_if<ZipWith>(&binding.op); x && (x->equal || has(checks_, Checks::extents)))
    for (ArrayId source : x->sources) check_equal(*x, source);
}

// From here on they are known to be equal.
void Lowering::check_equal(const ZipWith& zip, ArrayId source) {
  const std::vector<Value> first = extents(zip.sources[0]);
  if (extents(source) == first) return;
  push(CheckEqualExtents{first, extents(source), zip.equal});
  extents_undo_.emplace_back(source, std::exchange(env_.extents[source], first));
}

}  // namespace hasten::kernels
