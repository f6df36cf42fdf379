// Which sums of bounded unknowns are never negative.
//
// The bounds of an unknown are sums of older unknowns, so that replacing the newest unknown of a
// sum by a bound terminates after as many steps as there are unknowns: Fourier-Motzkin elimination,
// in the one order that the bounds have, with a limit on the steps. A sum for which this fails may
// still be non-negative.
//
// Unknowns and sums are unbounded integers, not 64-bit numbers that wrap. A number computed by
// 64-bit sums and products equals its sum wherever the sum fits into 64 bits, as does every sum
// shown to lie between 0 and an extent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace hasten::passes {

using Unknown = std::uint32_t;

/// A sum of unknowns with factors, plus a number.
class Sum {
 public:
  /// No sum contains larger numbers or factors.
  static constexpr std::int64_t limit = std::int64_t{1} << 40;

  struct Term {
    Unknown unknown;
    std::int64_t factor;  // not 0
  };

  Sum() = default;
  static Sum of_number(std::int64_t number);
  static Sum of(Unknown unknown);

  /// Nothing where a number exceeds the limit.
  [[nodiscard]] std::optional<Sum> plus(const Sum& other, std::int64_t factor = 1) const;
  [[nodiscard]] std::optional<Sum> times(std::int64_t factor) const;
  /// Replaces `times` times the newest unknown, whose factor must be a multiple of it, by a sum.
  [[nodiscard]] std::optional<Sum> without_newest(const Sum& sum, std::int64_t times = 1) const;

  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] bool is_number() const { return terms_.empty(); }
  [[nodiscard]] bool is_unknown() const {
    return terms_.size() == 1 && terms_[0].factor == 1 && number_ == 0;
  }
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  /// The most recent unknown; not for a plain number.
  [[nodiscard]] const Term& newest() const { return terms_.back(); }

 private:
  std::vector<Term> terms_;  // ascending by unknown
  std::int64_t number_ = 0;
};

class Inequalities {
 public:
  /// `times` times the unknown is at least, or at most, this sum.
  struct Bound {
    Sum sum;
    std::int64_t times = 1;  // 1 or more
  };
  /// What is known of an unknown: every entry holds; if `one_of` has any, the unknown is one of
  /// them.
  struct Bounds {
    std::vector<Bound> at_least, at_most;
    std::vector<Sum> one_of;
  };
  Unknown add(Bounds bounds);

  /// Holds until forget() returns to before it.
  void assume_not_negative(const std::optional<Sum>& sum);
  [[nodiscard]] std::size_t facts() const { return undo_.size(); }
  void forget(std::size_t facts);

  [[nodiscard]] bool is_never_negative(const Sum& sum) const;

  /// A sum only of unknowns before `oldest` that is never less, or never greater; nothing if none
  /// is found.
  enum class Side : std::uint8_t { at_least, at_most };
  [[nodiscard]] std::optional<Sum> bound(Sum sum, Side side, Unknown oldest) const;
  [[nodiscard]] Unknown next() const { return static_cast<Unknown>(unknowns_.size()); }

 private:
  [[nodiscard]] const std::vector<Bound>& bounds_of(Unknown unknown, bool at_least) const;
  bool show(const Sum& sum, std::int64_t times, unsigned& steps) const;

  std::vector<Bounds> unknowns_;
  struct Added {
    Unknown unknown;
    bool at_least;
  };
  std::vector<Added> undo_;
};

}  // namespace hasten::passes
