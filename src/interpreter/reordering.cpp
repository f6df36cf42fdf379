// The array operations whose results depend on the order of elements: scans, permutations, joins.
#include "interpreter/machine.hpp"

#include "core/scalar_ops.hpp"
#include "support/filled.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace hasten::interp {

using namespace core;

// -- scan ---------------------------------------------------------------------------------------

Arrays Machine::run(const Scan& op) {
  const detail::HostArray& source = *arrays_[op.source];
  Shape shape = source.shape();
  const std::size_t axis = scanned_axis(op, shape.size());
  const bool seeded = !op.seed.empty();
  const std::int64_t size = shape[axis], length = seeded ? ++shape[axis] : size;
  const NewArray result = allocate(shape);
  const std::int64_t rows = length == 0 ? 0 : *element_count(shape) / length;
  // The distance of neighbours along the axis.
  const std::int64_t pitch =
      rows == 0 ? 1
                : *element_count({shape.begin() + std::ssize(shape) - op.inner_axes, shape.end()});
  const std::vector<Value> left(
      op.fn.params.begin(),
      op.fn.params.begin() + static_cast<std::ptrdiff_t>(source.leaves().size()));
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t outer = row / pitch, inner = row % pitch;
    const std::int64_t from = outer * size * pitch + inner, to = outer * length * pitch + inner;
    for (std::size_t leaf = 0; leaf < op.seed.size(); ++leaf)
      evaluator_[left[leaf]] = values_[op.seed[leaf]];
    if (!seeded) set_element(left, source, from);
    store(left, *result, to);
    for (std::int64_t k = 1; k < length; ++k) {
      step(op.fn, source, from + (k - (seeded ? 1 : 0)) * pitch);
      store(left, *result, to + k * pitch);
    }
  }
  return {result};
}

// -- permute ------------------------------------------------------------------------------------

Arrays Machine::run(const Permute& op) {
  const detail::HostArray& defaults = *arrays_[op.defaults];
  const NewArray result = allocate(defaults.shape());
  copy_elements(defaults, 0, *result, 0, *element_count(defaults.shape()));
  std::vector<std::uint8_t>* const counts = counts_of(op, *element_count(result->shape()));
  for (const PermuteLoop& loop : op.loops) run_loop(op, loop, *result, counts);
  return {result};
}

void Machine::run_loop(const Permute& op, const PermuteLoop& loop, detail::HostArray& result,
                       std::vector<std::uint8_t>* counts) {
  const detail::HostArray &targets = *arrays_[loop.targets], &source = *arrays_[loop.source];
  const Shape shape = intersection({loop.targets, loop.source});
  const std::int64_t n = *element_count(shape);
  Shape index(shape.size());
  for (std::int64_t i = 0; i < n; ++i, next_index(shape, index)) {
    element_ = {&shape, i, true};
    const std::int64_t at = linear(targets.shape(), index), from = linear(source.shape(), index);
    for (std::size_t write = 0; write < loop.writes; ++write) {
      const std::int64_t to = update({op, loop, write}, at, from, result);
      if (!counts || to < 0) continue;
      std::uint8_t& count = (*counts)[static_cast<std::size_t>(to)];
      count = static_cast<std::uint8_t>(std::min(count + 1, 2));
    }
  }
}

// Requires loops that together write every index; they run directly one after the other.
std::vector<std::uint8_t>* Machine::counts_of(const Permute& op, std::int64_t size) {
  if (op.mode == detail::PermuteMode::combine) return nullptr;
  std::vector<std::uint8_t> counts(static_cast<std::size_t>(size));
  if (op.mode != detail::PermuteMode::covering) {
    const auto begun = writes_.find(op.defaults);
    if (begun == writes_.end()) return nullptr;
    counts = std::move(begun->second);
    writes_.erase(begun);
  }
  return &(writes_[binding_->results[0]] = std::move(counts));
}

// Called when all loops have run.
void Machine::demand_written_once(ArrayId array) const {
  const auto found = writes_.find(array);
  if (found == writes_.end() || out_of_range_ != OutOfRange::throws) return;
  const std::vector<std::uint8_t>& counts = found->second;
  const auto wrong = std::ranges::find_if(counts, [](std::uint8_t n) { return n != 1; });
  if (wrong == counts.end()) return;
  const Shape at = index_of(arrays_[array]->shape(), wrong - counts.begin());
  throw IndexError(name() + ": index " + shape_text(at) + " of the push array is " +
                       (*wrong == 0 ? "never written" : "written more than once") +
                       "; its loops must write every index exactly once",
                   binding_->where);
}

// One write of the source's element at `from`, whose target is at `at`: returns the place, or -1.
std::int64_t Machine::update(const PermuteWrite& which, std::int64_t at, std::int64_t from,
                             detail::HostArray& result) {
  const auto& [op, loop, write] = which;
  const detail::HostArray &targets = *arrays_[loop.targets], &source = *arrays_[loop.source];
  const std::size_t rank = result.shape().size(), leaves = result.leaves().size();
  const auto bits = [](const detail::HostArray& array, std::size_t leaf, std::int64_t place) {
    const ScalarType type = array.leaves()[leaf];
    return load_bits(
        type, array.data(leaf) + static_cast<std::size_t>(place) * detail::size_in_bytes(type));
  };
  const std::size_t first = write * (1 + rank);
  if (bits(targets, first, at).lo == 0) return -1;
  Shape target(rank);
  for (std::size_t axis = 0; axis < rank; ++axis)
    target[axis] = as_i64(bits(targets, first + 1 + axis, at));
  if (!contains(result.shape(), target)) return -1;
  const std::int64_t to = linear(result.shape(), target);
  const std::span<const Value> params = op.fn.params;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    evaluator_[params[leaf]] = bits(source, write * leaves + leaf, from);
  set_element(params.subspan(leaves), result, to);
  evaluator_.run(op.fn);
  store(op.fn.results, result, to);
  return to;
}

// -- concat -------------------------------------------------------------------------------------

// Checks::extents: extents must be equal except along the joined axis.
void Machine::demand_joinable(const detail::HostArray& first, Shape part,
                              std::uint32_t axis) const {
  part[axis] = first.shape()[axis];
  demand_extents(first.shape(), part);
}

Arrays Machine::run(const Concat& op) {
  Shape shape = arrays_[op.sources[0]]->shape();
  shape[op.axis] = 0;
  for (const ArrayId id : op.sources) {
    const Shape& part = arrays_[id]->shape();
    demand_joinable(*arrays_[op.sources[0]], part, op.axis);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      shape[axis] = axis == op.axis ? shape[axis] + part[axis] : std::min(shape[axis], part[axis]);
  }
  const NewArray result = allocate(shape);
  std::int64_t offset = 0;
  for (const ArrayId id : op.sources) {
    const detail::HostArray& part = *arrays_[id];
    Shape space = shape;
    space[op.axis] = part.shape()[op.axis];
    Shape index(space.size());
    const std::int64_t n = *element_count(space);
    for (std::int64_t i = 0; i < n; ++i, next_index(space, index)) {
      Shape to = index;
      to[op.axis] += offset;
      copy_elements(part, linear(part.shape(), index), *result, linear(shape, to), 1);
    }
    offset += space[op.axis];
  }
  return {result};
}

// -- compact ------------------------------------------------------------------------------------

Arrays Machine::run(const Compact& op) {
  const detail::HostArray &mask = *arrays_[op.mask], &source = *arrays_[op.source];
  std::vector<std::int64_t> kept, others;
  const std::int64_t n = intersection({op.mask, op.source})[0];
  for (std::int64_t i = 0; i < n; ++i)
    (load_bits(ScalarType::boolean, mask.data(0) + i).lo != 0 ? kept : others).push_back(i);
  const auto chosen = [&](const std::vector<std::int64_t>& places) {
    const NewArray result = allocate({static_cast<std::int64_t>(places.size())});
    for (std::size_t k = 0; k < places.size(); ++k)
      copy_elements(source, places[k], *result, static_cast<std::int64_t>(k), 1);
    return result;
  };
  if (binding_->results.size() == 1) return {chosen(kept)};
  return {chosen(kept), chosen(others)};
}

// -- sort ---------------------------------------------------------------------------------------

namespace {

// Marks which keys of a row, in this order, differ from the one before.
void note_runs(const detail::HostArray& keys, std::int64_t row, std::span<const std::int64_t> order,
               detail::HostArray& result) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    bool differs = i == 0;
    for (std::size_t leaf = 0; leaf < keys.leaves().size() && !differs; ++leaf) {
      const std::size_t bytes = detail::size_in_bytes(keys.leaves()[leaf]);
      const auto key = [&](std::size_t at) {
        return keys.data(leaf) + static_cast<std::size_t>(row + order[at]) * bytes;
      };
      differs = std::memcmp(key(i - 1), key(i), bytes) != 0;
    }
    result.data(1)[row + static_cast<std::int64_t>(i)] = std::byte{differs};
  }
}

}  // namespace

Arrays Machine::run(const SortPositions& op) {
  const detail::HostArray& keys = *arrays_[op.source];
  const NewArray result = allocate(keys.shape());
  auto* positions = reinterpret_cast<std::int64_t*>(result->data(0));
  const std::int64_t size = keys.shape().back();
  const std::int64_t rows = size == 0 ? 0 : *element_count(keys.shape()) / size;
  const auto key = [&](std::size_t leaf, std::int64_t at) {
    const ScalarType type = keys.leaves()[leaf];
    return load_bits(type,
                     keys.data(leaf) + static_cast<std::size_t>(at) * detail::size_in_bytes(type))
        .lo;
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t* const first = positions + row * size;
    std::iota(first, first + size, std::int64_t{0});
    std::sort(first, first + size, [&](std::int64_t a, std::int64_t b) {
      for (std::size_t leaf = 0; leaf < keys.leaves().size(); ++leaf) {
        const auto x = key(leaf, row * size + a), y = key(leaf, row * size + b);
        if (x != y) return x < y;
      }
      return a < b;  // first of equals first
    });
    if (result->leaves().size() > 1) note_runs(keys, row * size, {first, first + size}, *result);
  }
  Arrays results{result};
  for (std::size_t i = 0; i < op.carried.size(); ++i) {
    const detail::HostArray& from = *arrays_[op.carried[i]];
    if (from.shape()[0] < size) throw InternalError("sort: an array that is carried is too short");
    const NewArray to = allocate(keys.shape(), 1 + i);
    for (std::int64_t at = 0; at < size; ++at) copy_elements(from, positions[at], *to, at, 1);
    results.push_back(to);
  }
  // Elements elsewhere may not be used.
  for (std::int64_t i = 0; op.at_heads && i < size * rows; ++i)
    if (result->data(1)[i] == std::byte{0}) positions[i] = 0;
  if (op.first != core::none)
    for (std::int64_t i = 0; i < size * rows; ++i)
      if (i % size >= as_i64(values_[op.first])) positions[i] = 0;
  return results;
}

// -- demand -------------------------------------------------------------------------------------

Arrays Machine::run(const Demand& op) {
  if (values_[op.condition].lo != 0) return {arrays_[op.source]};
  std::vector<std::int64_t> shown;
  for (const Value v : op.shown) shown.push_back(as_i64(values_[v]));
  const std::string text = name() + ": " + support::filled(op.message, shown);
  if (op.of_count) throw MemoryError(text, binding_->where);
  throw ShapeError(text, binding_->where);
}

}  // namespace hasten::interp
