// Ranges are found in one forward walk, demands in one backward walk.
#include "kernels/analysis/indices/index_width.hpp"

#include "support/overloaded.hpp"

#include <algorithm>

namespace hasten::kernels {
namespace {

using namespace core;
using kernels::Kernel;

enum class Demand : std::uint8_t { nothing, low_bits, value };

// Finds the demands on every value, and so which values are narrow and whose ranges that needs.
class Demands {
 public:
  Demands(const Kernel& kernel, const Ranges& ranges)
      : kernel_(kernel),
        ranges_(ranges),
        demand_(kernel.value_types.size(), Demand::nothing),
        is_narrow_(kernel.value_types.size(), false),
        is_relied_on_(kernel.value_types.size(), false) {
    find(kernel.element);
    for (const kernels::Loop& loop : kernel.loops) find(loop.element);
    if (kernel.interior) find(kernel.interior->element);
    if (kernel.range) find(*kernel.range);
    find(kernel.combine);
    find(kernel.epilogue);
    for (const Value v : kernel.seed) ask(v, Demand::value);
    // A short argument gains nothing unless a range is derived from it.
    for (const Value v : kernel.scalars)
      is_narrow_[v] = is_index(v) && (is_relied_on_[v] || demand_[v] == Demand::low_bits);
  }

  [[nodiscard]] bool is_relied_on(Value v) const { return is_relied_on_[v]; }
  std::vector<bool> take_narrow() { return std::move(is_narrow_); }

 private:
  void find(const Region& region) {
    const bool scatters = kernel_.skeleton == kernels::Skeleton::scatter;
    for (std::size_t i = 0; i < region.results.size(); ++i) {
      const std::size_t each = 2 + kernel_.outputs.size();  // results of a write
      const bool is_target = scatters && &region != &kernel_.combine && i % each == 1;
      ask(region.results[i], is_target ? Demand::low_bits : Demand::value);
    }
    find_demands(region);
    for (const Value v : region.params) decide(v);
  }

  [[nodiscard]] bool is_index(Value v) const { return kernel_.value_types[v] == ScalarType::i64; }

  void ask(Value v, Demand demand) { demand_[v] = std::max(demand_[v], demand); }
  void ask(std::span<const Value> values, Demand demand) {
    for (const Value v : values) ask(v, demand);
  }

  [[nodiscard]] bool fits(Value v) const { return is_index(v) && ranges_[v].fits_32_bits(); }

  void decide(Value v) {
    is_narrow_[v] = fits(v) || (is_index(v) && demand_[v] == Demand::low_bits);
    if (fits(v) && demand_[v] == Demand::value) is_relied_on_[v] = true;
  }

  // The range of `v` was derived from those of `sources`.
  void rely_on(Value v, std::span<const Value> sources) {
    if (!is_relied_on_[v]) return;
    for (const Value source : sources) is_relied_on_[source] = true;
  }

  void find_demands(const Region& region) {
    for (std::size_t i = region.body.size(); i-- > 0;) {
      const Stmt& stmt = region.body[i];
      const bool is_loop =
          std::holds_alternative<While>(stmt.op) || std::holds_alternative<Reduce>(stmt.op);
      for (const Value v : stmt.results)
        if (!is_loop) decide(v);  // a loop's results hold its state, whose range is not known
      match(
          stmt.op, [&](const Prim& op) { prim(op, stmt.results[0]); },
          [&](const If& op) { branch(op, stmt); }, [&](const While& op) { loop(op); },
          [&](const LoadLinear& op) { ask(op.index, Demand::low_bits); },
          [&](const Load& op) { ask(op.index, Demand::value); },
          [&](const ForeignCall& op) { ask(op.args, Demand::value); },
          [&](const Reduce& op) { reduce(op); },
          [&](const Extract& op) {
            ask(op.index, Demand::value);
            ask(op.elements, Demand::value);
          },
          [&](const Insert& op) {
            for (const Value v : {op.index, op.element}) ask(v, Demand::value);
            ask(op.elements, Demand::value);
          },
          [](const Constant&) {}, [](const Extent&) {});
    }
  }

  void branch(const If& op, const Stmt& stmt) {
    ask(op.condition, Demand::value);
    for (const Region* side : {&op.then_, &op.else_}) {
      for (std::size_t i = 0; i < stmt.results.size(); ++i) {
        rely_on(stmt.results[i], {&side->results[i], 1});
        ask(side->results[i], is_narrow_[stmt.results[i]] ? Demand::low_bits : Demand::value);
      }
      find_demands(*side);
    }
  }

  void loop(const While& op) {
    for (const Region* part : {&op.condition, &op.body}) {
      ask(part->results, Demand::value);
      find_demands(*part);
      for (const Value v : part->params) decide(v);
    }
    ask(op.init, Demand::value);
  }

  // The count is compared, so it is as narrow as its range, which was derived from the ends.
  void reduce(const Reduce& op) {
    for (const Region* part : {&op.element, &op.combine}) {
      ask(part->results, Demand::value);
      find_demands(*part);
    }
    for (const Value v : op.combine.params) decide(v);
    const Value k = op.element.params[0];
    ask(k, Demand::value);
    decide(k);
    ask(op.seed, Demand::value);
    for (const Value v : {op.begin, op.end}) {
      ask(v, Demand::value);
      if (is_narrow_[k]) is_relied_on_[v] = true;
    }
  }

  void prim(const Prim& op, Value result) {
    rely_on(result, op.args);
    // Operations that need whole values run in 32 bits if all of their operands fit.
    const bool all_fit =
        std::ranges::all_of(op.args, [&](Value v) { return !is_index(v) || fits(v); });
    if (needs_values(op.op) && all_fit)
      for (const Value v : op.args) is_relied_on_[v] = true;
    const bool narrow = is_narrow_[result];
    const bool shortens = op.op == ScalarOp::cast && is_index(op.args[0]) &&
                          (narrow || is_short_integer(kernel_.value_types[result]));
    const bool shifts = narrow && op.op == ScalarOp::shl;
    const bool chooses = narrow && op.op == ScalarOp::select;
    for (std::size_t i = 0; i < op.args.size(); ++i) {
      const bool low =
          shortens || (narrow && keeps_low_bits(op.op)) || (shifts && i == 0) || (chooses && i > 0);
      ask(op.args[i], low ? Demand::low_bits : Demand::value);
    }
  }

  static bool is_short_integer(ScalarType type) {
    return detail::is_integral(type) && detail::size_in_bytes(type) <= 4;
  }

  const Kernel& kernel_;
  const Ranges& ranges_;
  std::vector<Demand> demand_;
  std::vector<bool> is_narrow_, is_relied_on_;
};

void find_divisors(const Region& region, std::vector<bool>& is_divisor) {
  for (const Stmt& stmt : region.body) {
    if (const auto* prim = std::get_if<Prim>(&stmt.op)) {
      if (prim->op >= ScalarOp::quot && prim->op <= ScalarOp::mod) is_divisor[prim->args[1]] = true;
    } else if (const auto* branch = std::get_if<If>(&stmt.op)) {
      find_divisors(branch->then_, is_divisor);
      find_divisors(branch->else_, is_divisor);
    } else if (const auto* loop = std::get_if<While>(&stmt.op)) {
      find_divisors(loop->condition, is_divisor);
      find_divisors(loop->body, is_divisor);
    } else if (const auto* reduce = std::get_if<Reduce>(&stmt.op)) {
      find_divisors(reduce->element, is_divisor);
      find_divisors(reduce->combine, is_divisor);
    }
  }
}

// Assumes small extents and positive divisors.
std::vector<Range> likely_ranges(const Kernel& kernel) {
  std::vector<bool> is_divisor(kernel.value_types.size(), false);
  for (const Region* region : regions_of(kernel)) find_divisors(*region, is_divisor);
  std::vector<Range> scalars(kernel.scalars.size());
  for (std::size_t i = 0; i < scalars.size(); ++i)
    if (kernel.value_types[kernel.scalars[i]] == ScalarType::i64)
      scalars[i] = {is_divisor[kernel.scalars[i]] ? 1 : -narrow_limit, narrow_limit};
  return scalars;
}

bool is_small(const Range& range, std::int64_t limit) {
  return range.least >= -limit && range.greatest <= limit;
}

bool assumptions_hold(const Kernel& kernel, const NarrowDemands& demands,
                      std::span<const std::int64_t> extents, std::span<const std::uint64_t> scalars,
                      std::int64_t limit) {
  std::vector<Range> space, numbers;
  for (const std::int64_t extent : extents)
    space.push_back({0, std::max<std::int64_t>(extent - 1, 0)});
  for (const std::uint64_t bits : scalars) {
    const auto x = static_cast<std::int64_t>(bits);
    numbers.push_back({x, x});
  }
  const Ranges ranges(kernel, numbers, space, false);
  return std::ranges::all_of(demands.assumed, [&](Value v) { return is_small(ranges[v], limit); });
}

}  // namespace

bool needs_values(ScalarOp op) {
  switch (op) {
    case ScalarOp::min:
    case ScalarOp::max:
    case ScalarOp::abs:
    case ScalarOp::signum:
    case ScalarOp::quot:
    case ScalarOp::rem:
    case ScalarOp::idiv:
    case ScalarOp::mod:
    case ScalarOp::eq:
    case ScalarOp::ne:
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::gt:
    case ScalarOp::ge:
    case ScalarOp::shr: return true;
    default: return false;
  }
}

bool keeps_low_bits(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::neg:
    case ScalarOp::and_:
    case ScalarOp::or_:
    case ScalarOp::xor_:
    case ScalarOp::not_: return true;
    default: return false;
  }
}

IndexWidths index_widths(const Kernel& kernel, IndexWidth width) {
  IndexWidths result;
  result.width = width;
  if (width == IndexWidth::wide) {
    result.is_narrow.resize(kernel.value_types.size(), false);
    result.ranges.resize(kernel.value_types.size());
    result.demanded.resize(kernel.scalars.size());
    return result;
  }
  result.demanded = likely_ranges(kernel);
  const std::vector<Range> space(kernel.rank, Range{0, narrow_limit - 1});
  Ranges ranges(kernel, result.demanded, space, true);
  Demands demands(kernel, ranges);
  // A seed of random numbers must not widen all code: other arguments may have any value.
  for (std::size_t i = 0; i < kernel.scalars.size(); ++i)
    if (!demands.is_relied_on(kernel.scalars[i])) result.demanded[i] = everything;
  for (Value v = 0; v < kernel.value_types.size(); ++v)
    if (ranges.is_assumed(v) && demands.is_relied_on(v)) result.assumed.push_back(v);
  result.is_narrow = demands.take_narrow();
  result.ranges = ranges.take();
  return result;
}

namespace {

bool is_small(const Kernel& kernel, std::span<const std::int64_t> extents, std::int64_t limit) {
  std::int64_t size = 1, rows = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    // Segments are parts of the last axis: more segments do not make more elements.
    const bool is_counted = !kernel.range || axis + 2 != extents.size();
    const std::int64_t factor = is_counted ? extents[axis] : 1;
    if (extents[axis] > limit || __builtin_mul_overflow(size, factor, &size)) return false;
    if (axis + 1 < extents.size()) rows *= extents[axis];
    if (size > limit || rows > limit) return false;
  }
  return true;
}

bool are_small(const Kernel& kernel, std::span<const std::int64_t> extents, std::int64_t limit) {
  if (kernel.loops.empty()) return is_small(kernel, extents, limit);
  return std::ranges::all_of(kernel.loops, [&](const kernels::Loop& loop) {
    const auto space = extents.first(loop.rank);
    extents = extents.subspan(loop.rank);
    return is_small(kernel, space, limit);
  });
}

}  // namespace

bool may_be_narrow(const Kernel& kernel, const NarrowDemands& demands,
                   std::span<const std::int64_t> extents, std::span<const std::uint64_t> scalars,
                   std::int64_t largest_array, std::int64_t limit) {
  if (largest_array > limit || !are_small(kernel, extents, limit)) return false;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const auto x = static_cast<std::int64_t>(scalars[i]);
    const Range& range = demands.demanded[i];
    const bool is_free = range.least == everything.least;
    if (!is_free && (x > limit || x < -limit || x < range.least)) return false;
  }
  return demands.assumed.empty() || assumptions_hold(kernel, demands, extents, scalars, limit);
}

}  // namespace hasten::kernels
