// Sums are short and sorted: adding two is one walk over both.
#include "passes/bounds/inequalities.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace hasten::passes {
namespace {

// Enough for an index of eight unknowns with two bounds each.
constexpr unsigned steps_max = 256;

bool is_small(std::int64_t x) { return x <= Sum::limit && x >= -Sum::limit; }

// Nothing if the product is not small: products of small numbers may overflow.
std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result) || !is_small(result)) return std::nullopt;
  return result;
}

}  // namespace

Sum Sum::of_number(std::int64_t number) {
  Sum sum;
  sum.number_ = number;
  return sum;
}

Sum Sum::of(Unknown unknown) {
  Sum sum;
  sum.terms_ = {{unknown, 1}};
  return sum;
}

std::optional<Sum> Sum::plus(const Sum& other, std::int64_t factor) const {
  Sum result;
  const auto number = product(other.number_, factor);
  if (!number || !is_small(number_) || !is_small(number_ + *number)) return std::nullopt;
  result.number_ = number_ + *number;
  std::size_t mine = 0, theirs = 0;
  while (mine < terms_.size() || theirs < other.terms_.size()) {
    const bool is_mine =
        mine < terms_.size() &&
        (theirs == other.terms_.size() || terms_[mine].unknown <= other.terms_[theirs].unknown);
    const Unknown unknown = is_mine ? terms_[mine].unknown : other.terms_[theirs].unknown;
    std::int64_t sum = is_mine ? terms_[mine++].factor : 0;
    if (theirs < other.terms_.size() && other.terms_[theirs].unknown == unknown) {
      const auto added = product(other.terms_[theirs++].factor, factor);
      if (!added || !is_small(sum + *added)) return std::nullopt;
      sum += *added;
    }
    if (sum != 0) result.terms_.push_back({unknown, sum});
  }
  return result;
}

std::optional<Sum> Sum::times(std::int64_t factor) const { return Sum().plus(*this, factor); }

std::optional<Sum> Sum::without_newest(const Sum& sum, std::int64_t times) const {
  Sum rest = *this;
  const std::int64_t factor = rest.terms_.back().factor;
  rest.terms_.pop_back();
  if (factor % times != 0) return std::nullopt;
  return rest.plus(sum, factor / times);
}

Unknown Inequalities::add(Bounds bounds) {
  unknowns_.push_back(std::move(bounds));
  return static_cast<Unknown>(unknowns_.size() - 1);
}

// Stored as a bound of its newest unknown: f * x + rest >= 0 is f * x >= -rest, or -f * x <= rest.
void Inequalities::assume_not_negative(const std::optional<Sum>& sum) {
  if (!sum || sum->is_number()) return;
  const auto [unknown, factor] = sum->newest();
  const bool at_least = factor > 0;
  const std::optional<Sum> rest = sum->without_newest(Sum());
  const std::optional<Sum> bound = rest ? rest->times(at_least ? -1 : 1) : std::nullopt;
  if (!bound) return;
  Bounds& bounds = unknowns_[unknown];
  (at_least ? bounds.at_least : bounds.at_most).push_back({*bound, std::abs(factor)});
  undo_.push_back({unknown, at_least});
}

void Inequalities::forget(std::size_t facts) {
  for (; undo_.size() > facts; undo_.pop_back()) {
    Bounds& bounds = unknowns_[undo_.back().unknown];
    (undo_.back().at_least ? bounds.at_least : bounds.at_most).pop_back();
  }
}

const std::vector<Inequalities::Bound>& Inequalities::bounds_of(Unknown unknown,
                                                                bool at_least) const {
  return at_least ? unknowns_[unknown].at_least : unknowns_[unknown].at_most;
}

bool Inequalities::is_never_negative(const Sum& sum) const {
  unsigned steps = steps_max;
  return show(sum, 1, steps);
}

// Shows that an integer is not negative: `sum` is at most `times` times the integer, so it suffices
// that `sum` is greater than -times. The depth is at most the number of unknowns below the newest,
// and at most steps_max.
bool Inequalities::show(const Sum& sum, std::int64_t times, unsigned& steps) const {
  if (sum.is_number()) return sum.number() > -times;
  if (steps == 0) return false;
  --steps;
  const auto [unknown, factor] = sum.newest();
  const auto holds_with = [&](const Sum& other, std::int64_t divisor) {
    const std::int64_t more = divisor / std::gcd(factor, divisor);
    const std::optional<Sum> whole = sum.times(more);
    const std::optional<Sum> next = whole ? whole->without_newest(other, divisor) : std::nullopt;
    return next && times <= Sum::limit / more && show(*next, times * more, steps);
  };
  for (const Bound& bound : bounds_of(unknown, factor > 0))
    if (holds_with(bound.sum, bound.times)) return true;
  const std::vector<Sum>& one_of = unknowns_[unknown].one_of;
  return !one_of.empty() &&
         std::ranges::all_of(one_of, [&](const Sum& each) { return holds_with(each, 1); });
}

std::optional<Sum> Inequalities::bound(Sum sum, Side side, Unknown oldest) const {
  while (!sum.is_number() && sum.newest().unknown >= oldest) {
    const auto [unknown, factor] = sum.newest();
    const bool at_least = (side == Side::at_least) == (factor > 0);
    std::optional<Sum> next;
    for (const Bound& bound : bounds_of(unknown, at_least))
      if (!next) next = sum.without_newest(bound.sum, bound.times);
    if (!next) return std::nullopt;
    sum = std::move(*next);
  }
  return sum;
}

}  // namespace hasten::passes
