// Reads at indices that may be out of range: clamped to the last one, so that no program reads
// other memory; or, in a kernel that checks, detected.
//
// A kernel runs an operation's function at indices that its array has, so only indices that a
// function computes itself need this treatment. An array without elements has no last index: for
// one in memory the launch substitutes a stand-in (StandIn), any other is tested by its extents.
#include "kernels/kernel_builder.hpp"

#include <cstdint>
#include <limits>
#include <utility>

namespace hasten::kernels {

using namespace core;

Value KernelBuilder::limit(ArrayId array, std::uint32_t axis) {
  if (env_.is_delayed(array)) return extent(array, axis);
  auto [it, is_new] = limits_.try_emplace({array, axis}, none);
  if (is_new) {
    it->second = new_value(ScalarType::i64);
    kernel.scalars.push_back(it->second);
    arguments.push_back({.array = array, .axis = axis, .is_limit = true});
  }
  return it->second;
}

Value KernelBuilder::size_of(ArrayId array) {
  Value size = emit_constant(ScalarType::i64, {1, 0});
  for (std::uint32_t axis = 0; axis < env_.rank(array); ++axis)
    size = emit_prim(ScalarOp::mul, ScalarType::i64, {size, limit(array, axis)});
  return size;
}

// Compared as unsigned numbers, so that one instruction suffices: an index below 0 is beyond the
// end. 0 if the extent is 0. find_interior recognises this form. A value that was 32 bits before it
// became an index is clamped in 32 bits, because many vector units have no such minimum of 64 bits:
// where an axis has more than 2^31 elements, a negative index becomes the last that 31 bits reach.
Value KernelBuilder::clamped_index(Value index, Value extent) {
  const Value one = emit_constant(ScalarType::i64, {1, 0});
  const Value zero = emit_constant(ScalarType::i64, {});
  const Value before = emit_prim(ScalarOp::sub, ScalarType::i64, {extent, one});
  Value last = emit_prim(ScalarOp::max, ScalarType::i64, {before, zero});
  ScalarType type = ScalarType::u64;
  if (const auto narrow = widened_.find(index); narrow != widened_.end()) {
    type = ScalarType::u32;
    index = narrow->second;
    const Value reach = emit_constant(ScalarType::i64, {std::numeric_limits<std::int32_t>::max()});
    last = emit_prim(ScalarOp::min, ScalarType::i64, {last, reach});
  }
  const Value place = emit_prim(ScalarOp::cast, type, {index});
  const Value end = emit_prim(ScalarOp::cast, type, {last});
  const Value least = emit_prim(ScalarOp::min, type, {place, end});
  return emit_prim(ScalarOp::cast, ScalarType::i64, {least});
}

Value KernelBuilder::is_inside(Value index, Value extent) {
  const Value zero = emit_constant(ScalarType::i64, {});
  return emit_prim(ScalarOp::and_, ScalarType::boolean,
                   {emit_prim(ScalarOp::ge, ScalarType::boolean, {index, zero}),
                    emit_prim(ScalarOp::lt, ScalarType::boolean, {index, extent})});
}

Value KernelBuilder::is_inside(const OpenIndex& at) {
  Value all = none;
  for (std::uint32_t axis = 0; axis < at.index.size(); ++axis) {
    if (contains(at.inside, axis)) continue;
    const Value here = is_inside(at.index[axis], limit(at.array, axis));
    all = all == none ? here : emit_prim(ScalarOp::and_, ScalarType::boolean, {all, here});
  }
  return all;
}

// Tests the axes along which the index is not known to be in range.
Value KernelBuilder::has_elements(const OpenIndex& at) {
  const Value zero = emit_constant(ScalarType::i64, {});
  Value all = none;
  for (std::uint32_t axis = 0; axis < at.index.size(); ++axis) {
    if (contains(at.inside, axis)) continue;
    const Value some = emit_prim(ScalarOp::gt, ScalarType::boolean, {limit(at.array, axis), zero});
    all = all == none ? some : emit_prim(ScalarOp::and_, ScalarType::boolean, {all, some});
  }
  return all;
}

std::vector<Value> KernelBuilder::guarded(ArrayId array, Value condition, Otherwise otherwise,
                                          FunctionRef<std::vector<Value>()> read) {
  const bool is_checked = checks_ != Checks::none;
  if (is_checked && otherwise == Otherwise::fails) failure_kinds_ = failure_kinds_ | Checks::bounds;
  Region then_ = nested({}, [&](const std::vector<Value>&) {
    std::vector<Value> results = read();
    if (is_checked) results.push_back(failed_or_false());
    return results;
  });
  Region else_ = nested({}, [&](const std::vector<Value>&) {
    std::vector<Value> results;
    for (ScalarType type : env_.program->array_types[array].leaves)
      results.push_back(emit_constant(type, {}));
    const std::uint64_t fails = otherwise == Otherwise::fails ? 1 : 0;
    if (is_checked) results.push_back(emit_constant(ScalarType::boolean, {fails, 0}));
    return results;
  });
  std::vector<Value> results;
  for (Value v : then_.results) results.push_back(new_value(kernel.value_types[v]));
  emit(results, If{condition, std::move(then_), std::move(else_)});
  if (is_checked) {
    note_failure(results.back());
    results.pop_back();
  }
  return results;
}

std::vector<Value> KernelBuilder::open_element_at(const OpenIndex& at) {
  const AxisSet axes = all_axes(at.index.size());
  if (at.index.size() <= 32 && (at.inside & axes) == axes) return element_at(at.array, at.index);
  if (has(checks_, Checks::bounds))
    return guarded(at.array, is_inside(at), Otherwise::fails,
                   [&] { return element_at(at.array, at.index); });
  if (env_.open_reads == OpenReads::trusted) return element_at(at.array, at.index);
  return clamped_element_at(at);
}

std::vector<Value> KernelBuilder::clamped_element_at(const OpenIndex& at) {
  std::vector<Value> index = at.index;
  for (std::uint32_t axis = 0; axis < index.size(); ++axis)
    if (!contains(at.inside, axis)) index[axis] = clamped_index(index[axis], limit(at.array, axis));
  const ArrayId memory = env_.in_memory(at.array);
  if (!at.some && memory == none)
    return guarded(at.array, has_elements(at), Otherwise::is_zero,
                   [&] { return element_at(at.array, index); });
  if (!at.some) maybe_empty.insert(memory);
  return element_at(at.array, index);
}

std::vector<Value> KernelBuilder::open_element_at_linear(ArrayId array, Value linear, bool inside) {
  if (inside) return element_at_linear(array, linear);
  if (has(checks_, Checks::bounds))
    return guarded(array, is_inside(linear, size_of(array)), Otherwise::fails,
                   [&] { return element_at_linear(array, linear); });
  if (env_.open_reads == OpenReads::trusted) return element_at_linear(array, linear);
  const Value size = size_of(array);
  const Value place = clamped_index(linear, size);
  if (const ArrayId memory = env_.in_memory(array); memory != none) {
    maybe_empty.insert(memory);
    return element_at_linear(array, place);
  }
  const Value some =
      emit_prim(ScalarOp::gt, ScalarType::boolean, {size, emit_constant(ScalarType::i64, {})});
  return guarded(array, some, Otherwise::is_zero, [&] { return element_at_linear(array, place); });
}

}  // namespace hasten::kernels
