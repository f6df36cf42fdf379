// Rules for scatters:
//   permute f d (join xs) => zip_with f (permute f 0 x_1) (permute f d x_0) ...
// with an exact operator, or, part after part, with any operator; else, with y_r the elements of
// all xs that go to part r,
//   permute f (join ds) (join xs) => join (permute f d_0 y_0, ..., permute f d_n y_n)
#include "passes/fission/rewriter.hpp"

#include "core/operators.hpp"

#include <utility>

namespace hasten::passes::fission {

using namespace core;

bool Rewriter::cut_scatter(const Binding& binding, const Permute& permute) {
  if (permute.loops.size() != 1) return false;
  const PermuteLoop& loop = permute.loops[0];
  if (to_.array_types[loop.source].rank == 0) return false;
  // The extents are intersected: the shorter one counts.
  if (known(symbol(loop.targets)) != known(symbol(loop.source))) return false;
  return scatter_to_own(binding, permute) || scatter_by_ranges(binding, permute);
}

// Each device updates an array of its own, part after part. With one device the whole does the
// same, in the same order.
bool Rewriter::scatter_to_own(const Binding& binding, const Permute& permute) {
  const ArrayId result = binding.results[0];
  const ArrayType type = to_.array_types[result];
  const PermuteLoop& loop = permute.loops[0];
  const bool goes_on = in_time() && devices() == 1;
  std::vector<Value> nothing;
  if (!goes_on) {
    if (permute.in_order || permute.mode != detail::PermuteMode::combine) return false;
    if (!is_exact(permute.fn, type.leaves)) return false;
    nothing = identity(permute.fn, type);
    if (nothing.empty()) return false;
  }
  const Cut cut = cut_of(loop.source);
  const Parts targets = parts_in(loop.targets, cut), sources = parts_in(loop.source, cut);
  const ArrayId defaults = whole(permute.defaults);
  Parts parts(this->parts());
  for (const std::size_t k : order_) {
    ArrayId start = k % in_time_ > 0 ? parts[k - 1] : defaults;
    if (k > 0 && k % in_time_ == 0)
      start = make(binding, type, nothing_of(permute.defaults, nothing), k);
    Permute part = permute;
    part.fn = copy(permute.fn);
    part.defaults = start;
    if (goes_on && part.mode == detail::PermuteMode::covering)
      part.mode = detail::PermuteMode::unique;
    part.loops[0].targets = targets[k];
    part.loops[0].source = sources[k];
    parts[k] = make(binding, type, std::move(part), k);
  }
  ArrayId all = parts[in_time_ - 1];
  for (std::size_t d = 1; d < devices(); ++d)
    all = combined(permute.fn, parts[(d + 1) * in_time_ - 1], all);
  scopes_.back().out->back().results = {result};
  define_whole(result);
  return true;
}

Generate Rewriter::nothing_of(ArrayId like, const std::vector<Value>& nothing) {
  const std::size_t rank = to_.array_types[like].rank;
  std::vector<Value> extents;
  for (std::size_t axis = 0; axis < rank; ++axis) extents.push_back(extent(like, axis));
  RegionWriter code(to_);
  static_cast<void>(code.parameters(std::vector<ScalarType>(rank, ScalarType::i64)));
  return Generate{std::move(extents), code.take(nothing)};
}

// -- targets are cut ------------------------------------------------------------------------------

// Elements go to the device that has their target, in their order, so that any operator yields the
// same results as on the whole. With many parts, the kernel that finds the part of each target
// would be long.
bool Rewriter::scatter_by_ranges(const Binding& binding, const Permute& permute) {
  const ArrayId result = binding.results[0];
  const ArrayType type = to_.array_types[result];
  const PermuteLoop& loop = permute.loops[0];
  constexpr std::size_t parts_max = 64;
  if (in_time() || parts() > parts_max || type.rank == 0 || loop.writes != 1) return false;
  const auto of_targets = shapes_.of(loop.targets), of_source = shapes_.of(loop.source);
  for (std::size_t axis = 1; axis < of_source.size(); ++axis)
    if (known(of_targets[axis]) != known(of_source[axis])) return false;
  const Cut cut = cut_of(permute.defaults), from = cut_of(loop.source);
  const Parts defaults = parts_in(permute.defaults, cut);
  const Parts targets = as_vectors(binding, parts_in(loop.targets, from));
  const Parts sources = as_vectors(binding, parts_in(loop.source, from));
  Parts numbers(parts());
  for (const std::size_t k : order_) numbers[k] = numbers_of_targets(binding, targets[k], cut, k);
  const std::vector<Parts> moved = exchanged(binding, numbers, {targets, sources});
  Parts made(parts());
  for (const std::size_t r : order_) {
    RegionWriter code(to_);
    std::vector<Value> target = code.parameters(to_.array_types[targets[0]].leaves);
    target[1] = code.prim(ScalarOp::sub, ScalarType::i64, {target[1], cuts_[cut].at[r]});
    Permute part = permute;
    part.fn = copy(permute.fn);
    part.defaults = defaults[r];
    // A result that two permutes cover needs them in sequence, and parts break it.
    if (part.mode == detail::PermuteMode::covering) part.mode = detail::PermuteMode::unique;
    part.loops[0].targets = make(binding, to_.array_types[targets[0]],
                                 Map{code.take(std::move(target)), moved[0][r]}, r);
    part.loops[0].source = moved[1][r];
    made[r] = make(binding, type, std::move(part), r);
  }
  define_parts(result, cut, std::move(made));
  return true;
}

Rewriter::Parts Rewriter::as_vectors(const Binding& binding, Parts arrays) {
  const ArrayType type = to_.array_types[arrays[0]];
  if (type.rank == 1) return arrays;
  for (const std::size_t k : order_) {
    BlockWriter host = writer();
    Value size = host.host(ScalarType::i64, Extent{arrays[k], 0});
    for (std::uint32_t axis = 1; axis < type.rank; ++axis)
      size = host.host(ScalarOp::mul, size, host.host(ScalarType::i64, Extent{arrays[k], axis}));
    arrays[k] = make(binding, {1, type.leaves}, Reshape{{size}, arrays[k]}, k);
  }
  return arrays;
}

// The part of each target; the number of parts for elements without a target.
ArrayId Rewriter::numbers_of_targets(const Binding& binding, ArrayId targets, Cut cut,
                                     std::size_t part) {
  const std::vector<Value>& at = cuts_[cut].at;
  RegionWriter code(to_);
  const std::vector<Value> target = code.parameters(to_.array_types[targets].leaves);
  const auto bit = [&](ScalarOp op, Value a, Value b) {
    return code.prim(op, ScalarType::boolean, {a, b});
  };
  const auto number = [&](std::size_t x) {
    return code.constant(type_of_range(), {static_cast<std::uint64_t>(x), 0});
  };
  const Value inside = bit(ScalarOp::and_, bit(ScalarOp::ge, target[1], at[0]),
                           bit(ScalarOp::lt, target[1], at.back()));
  const Value counts = bit(ScalarOp::and_, target[0], inside);
  Value range = number(0);
  for (std::size_t k = 1; k < parts(); ++k)
    range = code.prim(ScalarOp::select, type_of_range(),
                      {bit(ScalarOp::ge, target[1], at[k]), number(k), range});
  range = code.prim(ScalarOp::select, type_of_range(), {counts, range, number(parts())});
  return make(binding, {1, {type_of_range()}}, Map{code.take({range}), targets}, part);
}

}  // namespace hasten::passes::fission
