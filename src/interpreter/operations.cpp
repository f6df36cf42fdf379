// The array operations, each by its definition: element by element, in row-major order.
#include "core/scalar_ops.hpp"
#include "interpreter/machine.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <cstring>

namespace hasten::interp {

using namespace core;

// -- steps --------------------------------------------------------------------------------------

Machine::NewArray Machine::allocate(Shape shape, std::size_t result) const {
  const ArrayType& type = program_.array_types[binding_->results[result]];
  if (!element_count(shape))
    throw MemoryError(name() + ": an array of shape " + shape_text(shape) +
                          " has more elements than can be counted; use smaller extents",
                      binding_->where);
  try {
    return memory_limit_ > 0 ? within_limit(shape, type)
                             : detail::HostArray::allocate(shape, type.leaves);
  } catch (const MemoryError& error) {
    throw MemoryError(name() + ": the result, of shape " + shape_text(shape) + ": " + error.what(),
                      binding_->where);
  }
}

// An array counts towards the limit until it is released.
Machine::NewArray Machine::within_limit(const Shape& shape, const ArrayType& type) const {
  std::int64_t bytes_each = 0;
  for (const ScalarType leaf : type.leaves)
    bytes_each += static_cast<std::int64_t>(detail::size_in_bytes(leaf));
  const std::int64_t count = *element_count(shape), live = live_->load();
  if (bytes_each > 0 && count > (memory_limit_ - live) / bytes_each)
    throw MemoryError(std::to_string(count) + " elements of " + std::to_string(bytes_each) +
                      " bytes, beside " + std::to_string(live) +
                      " bytes this program holds; Options::memory_limit is " +
                      std::to_string(memory_limit_) + " bytes: raise it, or work in parts");
  const std::int64_t bytes = count * bytes_each;
  const NewArray made = detail::HostArray::allocate(shape, type.leaves);
  live_->fetch_add(bytes);
  return {made.get(),
          [made, live_bytes = live_, bytes](detail::HostArray*) { live_bytes->fetch_sub(bytes); }};
}

Shape Machine::extents(const std::vector<Value>& values) const {
  Shape shape;
  for (const Value v : values) shape.push_back(std::max<std::int64_t>(0, as_i64(values_[v])));
  return shape;
}

void Machine::set_index(std::span<const Value> params, const Shape& index) {
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    evaluator_[params[axis]] = bits_of(index[axis]);
}

void Machine::set_element(std::span<const Value> params, const detail::HostArray& from,
                          std::int64_t at) {
  for (std::size_t leaf = 0; leaf < from.leaves().size(); ++leaf) {
    const ScalarType type = from.leaves()[leaf];
    evaluator_[params[leaf]] = load_bits(
        type, from.data(leaf) + static_cast<std::size_t>(at) * detail::size_in_bytes(type));
  }
}

void Machine::store(const std::vector<Value>& values, detail::HostArray& to,
                    std::int64_t at) const {
  for (std::size_t leaf = 0; leaf < values.size(); ++leaf) {
    const ScalarType type = to.leaves()[leaf];
    store_bits(type, values_[values[leaf]],
               to.data(leaf) + static_cast<std::size_t>(at) * detail::size_in_bytes(type));
  }
}

void copy_elements(const detail::HostArray& from, std::int64_t source, detail::HostArray& to,
                   std::int64_t target, std::int64_t count) {
  if (count == 0) return;
  for (std::size_t leaf = 0; leaf < from.leaves().size(); ++leaf) {
    const std::size_t size = detail::size_in_bytes(from.leaves()[leaf]);
    std::memcpy(to.data(leaf) + static_cast<std::size_t>(target) * size,
                from.data(leaf) + static_cast<std::size_t>(source) * size,
                static_cast<std::size_t>(count) * size);
  }
}

void set_zero(detail::HostArray& to, std::int64_t target, std::int64_t count) {
  for (std::size_t leaf = 0; leaf < to.leaves().size(); ++leaf) {
    const std::size_t size = detail::size_in_bytes(to.leaves()[leaf]);
    std::memset(to.data(leaf) + static_cast<std::size_t>(target) * size, 0,
                static_cast<std::size_t>(count) * size);
  }
}

namespace {

// Calls body(index, position) for every index of the shape.
template <class Body>
void for_each_index(const Shape& shape, Body body) {
  Shape index(shape.size());
  const std::int64_t n = *element_count(shape);
  for (std::int64_t at = 0; at < n; ++at, next_index(shape, index)) body(index, at);
}

// The components of `whole` whose axis is kept.
Shape kept(const std::vector<Value>& axes, const Shape& whole) {
  Shape part;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (axes[axis] == none) part.push_back(whole[axis]);
  return part;
}

}  // namespace

// -- operations ---------------------------------------------------------------------------------

Arrays Machine::run(const Unit& op) {
  const NewArray result = allocate({});
  store(op.values, *result, 0);
  return {result};
}

Arrays Machine::run(const Generate& op) {
  const NewArray result = allocate(extents(op.extent));
  for_each_index(result->shape(), [&](const Shape& index, std::int64_t at) {
    set_index(op.fn.params, index);
    element_ = {&result->shape(), at};
    evaluator_.run(op.fn);
    store(op.fn.results, *result, at);
  });
  return {result};
}

Arrays Machine::run(const GenerateSegments& op) {
  const NewArray result = allocate(extents({op.extent}));
  const detail::HostArray& offsets = *arrays_[op.offsets];
  const std::int64_t segments = std::max<std::int64_t>(offsets.shape()[0] - 1, 0);
  std::int64_t segment = 0;
  for_each_index(result->shape(), [&](const Shape& index, std::int64_t at) {
    const auto offset = [&](std::int64_t i) {
      return as_i64(load_bits(ScalarType::i64, offsets.data(0) + i * 8));
    };
    while (segment < segments && offset(segment + 1) <= at) ++segment;
    if (segment == segments || offset(segment) > at)
      fail_index(op.offsets, std::to_string(at) + ", which lies in no segment");
    set_index(op.fn.params, {segment, index[0]});
    element_ = {&result->shape(), at};
    evaluator_.run(op.fn);
    store(op.fn.results, *result, at);
  });
  return {result};
}

Arrays Machine::run(const Map& op) {
  const detail::HostArray& source = *arrays_[op.source];
  const NewArray result = allocate(source.shape());
  const std::int64_t n = *element_count(source.shape());
  for (std::int64_t at = 0; at < n; ++at) {
    set_element(op.fn.params, source, at);
    element_ = {&source.shape(), at};
    evaluator_.run(op.fn);
    store(op.fn.results, *result, at);
  }
  return {result};
}

// Checks the extents of the operands of operators and functions.
void Machine::demand_equal(const std::vector<ArrayId>& sources) const {
  const Shape& shape = arrays_[sources[0]]->shape();
  for (const ArrayId source : sources)
    if (const Shape& other = arrays_[source]->shape(); other != shape)
      throw core::unequal_shapes(name(), shape, other, true, binding_->where);
}

void Machine::demand_extents(const Shape& shape, const Shape& other) const {
  if (!has(checks_, Checks::extents) || other == shape) return;
  throw core::unequal_shapes(name(), shape, other, false, binding_->where);
}

Shape Machine::intersection(const std::vector<ArrayId>& sources) const {
  Shape shape = arrays_[sources[0]]->shape();
  for (const ArrayId source : sources) {
    const Shape& other = arrays_[source]->shape();
    demand_extents(shape, other);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      shape[axis] = std::min(shape[axis], other[axis]);
  }
  return shape;
}

Arrays Machine::run(const ZipWith& op) {
  if (op.equal) demand_equal(op.sources);
  const NewArray result = allocate(intersection(op.sources));
  for_each_index(result->shape(), [&](const Shape& index, std::int64_t at) {
    std::span<const Value> params = op.fn.params;
    for (const ArrayId id : op.sources) {
      const detail::HostArray& source = *arrays_[id];
      set_element(params, source, linear(source.shape(), index));
      params = params.subspan(source.leaves().size());
    }
    element_ = {&result->shape(), at};
    evaluator_.run(op.fn);
    store(op.fn.results, *result, at);
  });
  return {result};
}

Arrays Machine::run(const Reshape& op) {
  const Array& source = arrays_[op.source];
  const Shape shape = extents(op.extent);
  const auto given = element_count(source->shape()), wanted = element_count(shape);
  if (given != wanted)
    throw core::other_size(source->shape(), given, shape, wanted, binding_->where);
  return {source->reshaped(shape)};
}

Arrays Machine::run(const Replicate& op) {
  const detail::HostArray& source = *arrays_[op.source];
  Shape shape;
  for (std::size_t axis = 0, from = 0; axis < op.axes.size(); ++axis)
    shape.push_back(op.axes[axis] == none ? source.shape()[from++] : extents({op.axes[axis]})[0]);
  const NewArray result = allocate(shape);
  for_each_index(shape, [&](const Shape& index, std::int64_t at) {
    copy_elements(source, linear(source.shape(), kept(op.axes, index)), *result, at, 1);
  });
  return {result};
}

Arrays Machine::run(const Slice& op) {
  const detail::HostArray& source = *arrays_[op.source];
  const NewArray result = allocate(kept(op.axes, source.shape()));
  Shape from(op.axes.size());  // the fixed places, and the index of the result between them
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (op.axes[axis] == none) continue;
    from[axis] = as_i64(values_[op.axes[axis]]);
    const std::int64_t extent = source.shape()[axis];
    const bool is_inside = from[axis] >= 0 && from[axis] < extent;
    if (!is_inside && out_of_range_ == OutOfRange::throws)
      fail_index(op.source, std::to_string(from[axis]) + " on axis " + std::to_string(axis));
    from[axis] = clamped_index(from[axis], extent);
    if (extent > 0) continue;
    set_zero(*result, 0, result->size());
    return {result};
  }
  for_each_index(result->shape(), [&](const Shape& index, std::int64_t at) {
    for (std::size_t axis = 0, next = 0; axis < from.size(); ++axis)
      if (op.axes[axis] == none) from[axis] = index[next++];
    copy_elements(source, linear(source.shape(), from), *result, at, 1);
  });
  return {result};
}

Arrays Machine::run(const Rows& op) {
  const detail::HostArray& source = *arrays_[op.source];
  const std::int64_t begin = as_i64(values_[op.begin]), end = as_i64(values_[op.end]);
  Shape shape = source.shape();
  if (begin < 0 || begin > end || end > shape[0])
    throw InternalError("interpreter: rows that are not there");
  shape[0] = end - begin;
  const NewArray result = allocate(shape);
  const std::int64_t count = *element_count(shape);
  if (count > 0) copy_elements(source, begin * (count / shape[0]), *result, 0, count);
  return {result};
}

Arrays Machine::run(const Backpermute& op) {
  const detail::HostArray& source = *arrays_[op.source];
  const NewArray result = allocate(extents(op.extent));
  Shape from(source.shape().size());
  for_each_index(result->shape(), [&](const Shape& index, std::int64_t at) {
    set_index(op.fn.params, index);
    element_ = {&result->shape(), at};
    evaluator_.run(op.fn);
    for (std::size_t axis = 0; axis < from.size(); ++axis)
      from[axis] = evaluator_.integer(op.fn.results[axis]);
    if (find(op.source, from))
      copy_elements(source, linear(source.shape(), from), *result, at, 1);
    else
      set_zero(*result, at, 1);
  });
  return {result};
}

// Combines the operator's left parameters, the accumulator, with the element at `at`.
void Machine::step(const Region& fn, const detail::HostArray& source, std::int64_t at) {
  const std::span<const Value> params = fn.params;
  const std::span<const Value> left = params.first(source.leaves().size());
  set_element(params.subspan(left.size()), source, at);
  element_ = {&source.shape(), at, true};
  evaluator_.run(fn);
  std::vector<Bits> next;  // results may be parameters themselves: no overwriting
  for (const Value result : fn.results) next.push_back(evaluator_[result]);
  for (std::size_t leaf = 0; leaf < next.size(); ++leaf) evaluator_[left[leaf]] = next[leaf];
}

// result[to] = the fold of the elements [begin, end), at least one if there is no seed.
void Machine::fold_range(const Region& fn, const std::vector<Value>& seed,
                         const detail::HostArray& source, std::int64_t begin, std::int64_t end,
                         detail::HostArray& result, std::int64_t to) {
  const std::vector<Value> left(
      fn.params.begin(), fn.params.begin() + static_cast<std::ptrdiff_t>(source.leaves().size()));
  for (std::size_t leaf = 0; leaf < seed.size(); ++leaf)
    evaluator_[left[leaf]] = values_[seed[leaf]];
  if (seed.empty()) set_element(left, source, begin++);
  for (; begin < end; ++begin) step(fn, source, begin);
  store(left, result, to);
}

Arrays Machine::run(const Fold& op) {
  const detail::HostArray& source = *arrays_[op.source];
  Shape shape = source.shape();
  const Shape folded(shape.end() - op.axes, shape.end());
  const std::int64_t size = *element_count(folded);
  shape.resize(shape.size() - op.axes);
  const NewArray result = allocate(shape);
  const std::int64_t rows = *element_count(shape);
  if (op.seed.empty() && size == 0 && rows > 0)
    throw core::empty_axis(name(), source.shape(), op.axes, binding_->where);
  for (std::int64_t row = 0; row < rows; ++row)
    fold_range(op.fn, op.seed, source, row * size, (row + 1) * size, *result, row);
  return {result};
}

Arrays Machine::run(const FoldSegments& op) {
  const detail::HostArray &source = *arrays_[op.source], &offsets = *arrays_[op.offsets];
  Shape shape = source.shape();
  const std::int64_t size = shape.back();
  const std::int64_t segments = std::max<std::int64_t>(offsets.shape()[0] - 1, 0);
  shape.back() = segments;
  const NewArray result = allocate(shape);
  const auto offset = [&](std::int64_t i) {
    return as_i64(load_bits(ScalarType::i64, offsets.data(0) + i * 8));
  };
  const std::int64_t count = *element_count(shape);
  for (std::int64_t at = 0; at < count; ++at) {
    const std::int64_t row = at / segments, segment = at % segments;
    const std::int64_t begin = offset(segment), end = offset(segment + 1);
    if (begin < 0 || end > size)
      fail_index(op.source, std::to_string(begin < 0 ? begin : end - 1) + " on the last axis");
    if (op.seed.empty() && begin >= end)
      throw ShapeError(name() + ": segment " + std::to_string(segment) +
                           " is empty, and there is no seed; leave it out, or use a seed",
                       binding_->where);
    fold_range(op.fn, op.seed, source, row * size + begin, row * size + end, *result, at);
  }
  return {result};
}

Arrays Machine::run(const Compute& op) {
  demand_written_once(op.source);
  writes_.erase(op.source);
  return {arrays_[op.source]};
}

}  // namespace hasten::interp
