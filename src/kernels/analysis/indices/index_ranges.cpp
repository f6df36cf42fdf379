// Interval arithmetic over a kernel's regions; a value that may wrap around may be anything.
#include "kernels/analysis/indices/index_ranges.hpp"

#include <algorithm>
#include <bit>

namespace hasten::kernels {
namespace {

using namespace core;
using kernels::Kernel;

std::int64_t magnitude(const Range& a) {
  if (a.least == everything.least) return everything.greatest;
  return std::max(a.least < 0 ? -a.least : a.least, a.greatest < 0 ? -a.greatest : a.greatest);
}

Range within(std::int64_t magnitude) { return {-magnitude, magnitude}; }

Range hull(const Range& a, const Range& b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

Range sum(const Range& a, const Range& b) {
  Range result;
  const bool wraps = __builtin_add_overflow(a.least, b.least, &result.least) ||
                     __builtin_add_overflow(a.greatest, b.greatest, &result.greatest);
  return wraps ? everything : result;
}

Range difference(const Range& a, const Range& b) {
  Range result;
  const bool wraps = __builtin_sub_overflow(a.least, b.greatest, &result.least) ||
                     __builtin_sub_overflow(a.greatest, b.least, &result.greatest);
  return wraps ? everything : result;
}

Range product(const Range& a, const Range& b) {
  std::int64_t corners[4];
  const bool wraps = __builtin_mul_overflow(a.least, b.least, &corners[0]) ||
                     __builtin_mul_overflow(a.least, b.greatest, &corners[1]) ||
                     __builtin_mul_overflow(a.greatest, b.least, &corners[2]) ||
                     __builtin_mul_overflow(a.greatest, b.greatest, &corners[3]);
  if (wraps) return everything;
  const auto [least, greatest] = std::ranges::minmax(corners);
  return {least, greatest};
}

// Truncating or flooring: never further from zero than the dividend, and zero for a zero dividend.
Range quotient(const Range& a, const Range& b) {
  if (b.least >= 1 && a.least >= 0) return {a.least / b.greatest, a.greatest / b.least};
  if (b.least >= 1) return hull({0, 0}, a);
  return a.least == everything.least ? everything : within(magnitude(a));
}

Range remainder(ScalarOp op, const Range& a, const Range& b) {
  if (b.least == everything.least) return everything;
  if (b.least >= 1 && a.least >= 0) return {0, std::min(a.greatest, b.greatest - 1)};
  const std::int64_t most = std::max<std::int64_t>(magnitude(b), 1) - 1;
  if (b.least >= 1 && op == ScalarOp::mod) return {0, most};
  return within(most);
}

// Requires an amount in range: simplification turns quotients by powers of two into such shifts.
Range shifted_right(const Range& a, const Range& places) {
  if (places.least != places.greatest || places.least < 0 || places.least > 63) return everything;
  return {a.least >> places.least, a.greatest >> places.least};
}

Range bits_together(ScalarOp op, const Range& a, const Range& b) {
  if (op == ScalarOp::and_) {
    if (a.least >= 0 && b.least >= 0) return {0, std::min(a.greatest, b.greatest)};
    if (a.least >= 0) return {0, a.greatest};
    return b.least >= 0 ? Range{0, b.greatest} : everything;
  }
  if (a.least < 0 || b.least < 0) return everything;
  const auto most = static_cast<std::uint64_t>(std::max(a.greatest, b.greatest));
  return {0, static_cast<std::int64_t>(~std::uint64_t{0} >> std::countl_zero(most | 1))};
}

Range of_type(ScalarType type) {
  if (detail::is_bool(type)) return {0, 1};
  const auto bits = static_cast<int>(8 * detail::size_in_bytes(type));
  if (!detail::is_integral(type) || bits == 64) return everything;
  if (!detail::is_signed_int(type)) return {0, (std::int64_t{1} << bits) - 1};
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

}  // namespace

Ranges::Ranges(const Kernel& kernel, std::span<const Range> scalars, std::span<const Range> space,
               bool assumes)
    : kernel_(kernel),
      assumes_(assumes),
      ranges_(kernel.value_types.size()),
      is_uniform_(kernel.value_types.size(), false),
      is_assumed_(kernel.value_types.size(), false) {
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    ranges_[kernel.scalars[i]] = scalars[i];
    is_uniform_[kernel.scalars[i]] = true;
  }
  find(kernel.element, space);
  for (std::size_t i = 0; i < kernel.loops.size(); ++i)
    find(kernel.loops[i].element, space.subspan(first_axis(kernel, i), kernel.loops[i].rank));
  if (kernel.interior) find(kernel.interior->element, space);
  if (kernel.range) find(*kernel.range, space.first(space.size() - 1));
  find(kernel.combine, {});
  find_epilogue(space);
}

// The epilogue's indices are those of results: a scan with a seed has one more.
void Ranges::find_epilogue(std::span<const Range> space) {
  if (kernel_.skeleton != kernels::Skeleton::scan)
    return find(kernel_.epilogue, space.first(outer_axes(kernel_)));
  std::vector<Range> indices(space.begin(), space.end());
  if (!kernel_.seed.empty()) indices.back() = sum(indices.back(), {0, 1});
  find(kernel_.epilogue, indices);
}

// The first parameters are indices of the space.
void Ranges::find(const Region& region, std::span<const Range> indices) {
  for (std::size_t i = 0; i < indices.size() && i < region.params.size(); ++i)
    ranges_[region.params[i]] = indices[i];
  find_ranges(region);
}

bool Ranges::is_index(Value v) const { return kernel_.value_types[v] == ScalarType::i64; }

void Ranges::find_ranges(const Region& region) {
  for (const Stmt& stmt : region.body) {
    if (const auto* branch = std::get_if<If>(&stmt.op)) {
      find_ranges(branch->then_);
      find_ranges(branch->else_);
      for (std::size_t i = 0; i < stmt.results.size(); ++i)
        ranges_[stmt.results[i]] =
            hull(ranges_[branch->then_.results[i]], ranges_[branch->else_.results[i]]);
    } else if (const auto* loop = std::get_if<While>(&stmt.op)) {
      find_ranges(loop->condition);
      find_ranges(loop->body);
    } else if (const auto* reduce = std::get_if<Reduce>(&stmt.op)) {
      // begin <= k < end holds wherever k is computed.
      const Range &begin = ranges_[reduce->begin], &end = ranges_[reduce->end];
      ranges_[reduce->element.params[0]] = {begin.least, std::max(begin.least, end.greatest - 1)};
      find_ranges(reduce->element);
      find_ranges(reduce->combine);
    } else if (const auto* constant = std::get_if<Constant>(&stmt.op)) {
      const auto x = static_cast<std::int64_t>(constant->bits.lo);
      if (detail::is_integral(kernel_.value_types[stmt.results[0]]))  // shifts' are short
        ranges_[stmt.results[0]] = {x, x};
    } else if (const auto* prim = std::get_if<Prim>(&stmt.op)) {
      if (is_index(stmt.results[0])) ranges_[stmt.results[0]] = range_of(*prim);
      if (kernel_.value_types[stmt.results[0]] == ScalarType::u64)
        ranges_[stmt.results[0]] = unsigned_range_of(*prim);
      if (assumes_ && prim->op == ScalarOp::mul) assume(*prim, stmt.results[0]);
    }
  }
}

void Ranges::assume(const Prim& prim, Value result) {
  const auto fits = [&](Value v) { return is_index(v) && ranges_[v].fits_32_bits(); };
  const bool is_step = is_uniform_[prim.args[0]] || is_uniform_[prim.args[1]];
  if (!is_step || !fits(prim.args[0]) || !fits(prim.args[1]) || fits(result)) return;
  is_assumed_[result] = true;
  ranges_[result] = within(narrow_limit);
  ranges_[result].least =
      ranges_[prim.args[0]].least >= 0 && ranges_[prim.args[1]].least >= 0 ? 0 : -narrow_limit;
}

Range Ranges::range_of(const Prim& prim) const {
  const auto arg = [&](std::size_t i) { return ranges_[prim.args[i]]; };
  switch (prim.op) {
    case ScalarOp::add: return sum(arg(0), arg(1));
    case ScalarOp::sub: return difference(arg(0), arg(1));
    case ScalarOp::mul: return product(arg(0), arg(1));
    case ScalarOp::neg: return difference({0, 0}, arg(0));
    case ScalarOp::min:
      return {std::min(arg(0).least, arg(1).least), std::min(arg(0).greatest, arg(1).greatest)};
    case ScalarOp::max:
      return {std::max(arg(0).least, arg(1).least), std::max(arg(0).greatest, arg(1).greatest)};
    case ScalarOp::abs:
      return arg(0).least == everything.least ? everything : Range{0, magnitude(arg(0))};
    case ScalarOp::signum: return within(1);
    case ScalarOp::quot:
    case ScalarOp::idiv: return quotient(arg(0), arg(1));
    case ScalarOp::rem:
    case ScalarOp::mod: return remainder(prim.op, arg(0), arg(1));
    case ScalarOp::shr: return shifted_right(arg(0), arg(1));
    case ScalarOp::and_:
    case ScalarOp::or_:
    case ScalarOp::xor_: return bits_together(prim.op, arg(0), arg(1));
    case ScalarOp::select: return hull(arg(1), arg(2));
    case ScalarOp::cast: return cast_of(prim.args[0]);
    default: return everything;
  }
}

Range Ranges::cast_of(Value from) const {
  const bool is_known = is_index(from) || ranges_[from].least >= 0;
  return is_known ? ranges_[from] : of_type(kernel_.value_types[from]);
}

// For indices clamped as unsigned numbers: an operand known not to be negative is a limit.
Range Ranges::unsigned_range_of(const Prim& prim) const {
  if (prim.op == ScalarOp::cast) return cast_of(prim.args[0]);
  if (prim.op != ScalarOp::min) return everything;
  Range range;
  for (const Value v : prim.args)
    if (ranges_[v].least >= 0) range = {0, std::min(range.greatest, ranges_[v].greatest)};
  return range;
}

}  // namespace hasten::kernels
