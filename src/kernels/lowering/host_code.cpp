// Extents as host values, and conditions on them as steps. Equal ones are computed once.
#include "kernels/lowering/lowering.hpp"

#include "support/overloaded.hpp"

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

// A sum of extents: each sum is checked, so that none wraps twice.
Value Lowering::sum(Value a, Value b) {
  if (a == number(0)) return b;
  const Value result = host(ScalarOp::add, std::min(a, b), std::max(a, b));
  not_negative_.insert(result);
  check_countable({result});
  return result;
}

void Lowering::check_countable(const std::vector<Value>& extents) {
  if (!countable_.insert(extents).second) return;
  countable_undo_.push_back(extents);
  push(CheckCountable{extents});
}

// Checks the count of every array that gets memory. Operations that are not named have no more
// elements than one of their sources.
void Lowering::check_count(const Binding& binding) {
  if (binding.storage != Storage::delayed || env_.rank(binding.results[0]) < 2) return;
  if (is_one_of<Generate, Backpermute, Replicate, Slice, Fold, FoldSegments, Scan, Concat>(
          binding.op))
    check_countable(result_extents(binding));
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

// The extents of a kernel's result; operations that are not named have none before they ran.
std::vector<Value> Lowering::result_extents(const Binding& binding) {
  using Extents = std::vector<Value>;
  return match(
      binding.op,
      [&](const OneOf<Generate, Backpermute, Reshape> auto& op) { return clamped(op.extent); },
      [&](const GenerateSegments& op) { return Extents{clamped(op.extent)}; },
      [&](const OneOf<Map, Demand> auto& op) { return Extents(extents(op.source)); },
      [&](const ZipWith& op) { return intersection(op.sources); },
      [&](const Replicate& op) {
        const Extents source = extents(op.source);
        Extents result;
        std::size_t next = 0;
        for (Value axis : op.axes) result.push_back(axis == none ? source[next++] : clamped(axis));
        return result;
      },
      [&](const Slice& op) {
        const Extents source = extents(op.source);
        Extents result;
        for (std::size_t axis = 0; axis < source.size(); ++axis)
          if (op.axes[axis] == none) result.push_back(source[axis]);
        return result;
      },
      [&](const Fold& op) {
        Extents result = extents(op.source);
        result.resize(result.size() - op.axes);
        return result;
      },
      [&](const FoldSegments& op) {
        Extents result = extents(op.source);
        const Value offsets = extents(op.offsets)[0];
        result.back() = clamped(host(ScalarOp::sub, offsets, number(1)));
        return result;
      },
      [&](const Scan& op) {
        Extents result = extents(op.source);
        Value& scanned = result[scanned_axis(op, result.size())];
        if (!op.seed.empty()) scanned = sum(scanned, number(1));
        return result;
      },
      [&](const Permute& op) { return Extents(extents(op.defaults)); },
      [&](const Concat& op) {
        Extents result = intersection(op.sources);
        result[op.axis] = number(0);
        for (ArrayId source : op.sources)
          result[op.axis] = sum(result[op.axis], extents(source)[op.axis]);
        return result;
      },
      [](const OneOf<HostScalar, Use, Input, Unit, Rows, Compact, SortPositions, Compute, ArrayIf,
                     ArrayWhile, ForeignArrays> auto&) { return Extents(); });
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
  check_count(binding);
  const bool checks_extents = has(checks_, Checks::extents);
  match(
      binding.op,
      [&](const Fold& op) {
        if (op.seed.empty()) push(CheckNonEmpty{extents(op.source), op.axes});
      },
      [&](const Reshape& op) {
        // A reshape in memory is checked by its View.
        if (binding.storage == Storage::delayed)
          push(CheckSameSize{extents(op.source), clamped(op.extent)});
      },
      [&](const Slice& op) {
        if (has(checks_, Checks::bounds)) check_slice(op);
      },
      [&](const Demand& op) {
        push(CheckDemand{op.condition, op.message, op.shown, op.of_elements, op.of_count});
      },
      [&](const Compact& op) {
        if (checks_extents) push(CheckEqualExtents{extents(op.mask), extents(op.source)});
      },
      [&](const Permute& op) {
        if (!checks_extents) return;
        for (const PermuteLoop& loop : op.loops)
          push(CheckEqualExtents{extents(loop.targets), extents(loop.source)});
      },
      [&](const Concat& op) {
        if (checks_extents) check_extents(op);
      },
      [&](const ZipWith& op) {
        if (!op.equal && !checks_extents) return;
        for (ArrayId source : op.sources) check_equal(op, source);
      },
      // These are valid for any extents.
      [](const OneOf<HostScalar, Use, Input, Unit, Generate, GenerateSegments, Map, Replicate, Rows,
                     Backpermute, FoldSegments, Scan, SortPositions, Compute, ArrayIf, ArrayWhile,
                     ForeignArrays> auto&) {});
}

// All extents must agree, except along the axis on which the parts are joined.
void Lowering::check_extents(const Concat& op) {
  const std::vector<Value> first = extents(op.sources[0]);
  for (const ArrayId source : op.sources) {
    std::vector<Value> other = extents(source);
    other[op.axis] = first[op.axis];
    if (other != first) push(CheckEqualExtents{first, other});
  }
}

// From here on the extents are known to be equal.
void Lowering::check_equal(const ZipWith& zip, ArrayId source) {
  const std::vector<Value> first = extents(zip.sources[0]);
  if (extents(source) == first) return;
  push(CheckEqualExtents{first, extents(source), zip.equal});
  extents_undo_.emplace_back(source, std::exchange(env_.extents[source], first));
}

}  // namespace hasten::kernels
