// Up to 2^30 by Cody and Waite's method, with pi / 2 in three parts; beyond that by the method of
// M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric functions", ACM SIGNUM
// Newsletter 18 (1983): it multiplies only the 192 bits of 2 / pi that decide the quadrant and what
// follows.
#include "passes/own_math/reduction.hpp"

#include "passes/own_math/coefficients.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace hasten::passes::math {

using namespace coefficients;

namespace {

constexpr double few = 0x1p30;
constexpr std::uint64_t low_half = 0xffffffff;

// 192 bits, the highest first.
struct Window {
  std::array<Whole, 3> words;
};

constexpr std::size_t window_words = 4;  // one more, for bits are shifted in from it
constexpr std::size_t all_words = 20;    // 64 zeros, and those of 2 / pi

// 64 zeros and the bits of 2 / pi, from this bit on. Words are shifted by 16, 8, 4, 2 and 1 places.
Window window_at(Whole bit) {
  std::vector<Whole> words;
  for (std::size_t i = 0; i < all_words; ++i)
    words.push_back(whole_like(bit, i == 0 ? 0 : two_over_pi_bits[i - 1]));
  for (std::size_t step = 16; step > 0; step /= 2) {
    const Truth stays = (bit & (step * 64)) == 0;
    std::vector<Whole> moved;
    for (std::size_t i = 0; i < step - 1 + window_words && i < words.size(); ++i)
      moved.push_back(i + step < words.size() ? chosen(stays, words[i], words[i + step])
                                              : words[i]);
    words = moved;
  }
  const Whole left = bit & 63, right = whole_like(bit, 64) - left;  // by 64: 0
  Window result{{words[0], words[0], words[0]}};
  for (std::size_t i = 0; i < result.words.size(); ++i)
    result.words[i] = (words[i] << left) | (words[i + 1] >> right);
  return result;
}

// The lowest 192 bits of the product with a number below 2^53, in schoolbook digits of 32 bits.
Window product(const Window& window, Whole factor) {
  const Whole factor_low = factor & low_half, factor_high = factor >> 32;
  std::vector<Whole> digits;  // the lowest first
  Whole carry = whole_like(factor, 0), high_before = carry;
  for (std::size_t i = 0; i < 6; ++i) {
    const Whole word = window.words[2 - i / 2];
    const Whole digit = i % 2 == 0 ? word & low_half : word >> 32;
    const Whole low = digit * factor_low + carry;       // below 2^64
    const Whole both = (low & low_half) + high_before;  // below 2^55
    digits.push_back(both & low_half);
    carry = (low >> 32) + (both >> 32);
    high_before = digit * factor_high;
  }
  const auto joined = [&](std::size_t i) { return (digits[i + 1] << 32) | digits[i]; };
  return {{joined(4), joined(2), joined(0)}};
}

// A signed number of 128 bits, times 2^-128, as a pair.
Pair fraction(Whole high, Whole low) {
  const Real a = signed_number(signed_shift(high, 32)) * 0x1p-32;
  const Real b = signed_number(high & low_half) * 0x1p-64;
  const Real c = signed_number(low >> 32) * 0x1p-96, d = signed_number(low & low_half) * 0x1p-128;
  return sum(ordered_sum(a, b), ordered_sum(c, d));
}

// For |x| >= 2^30.
Angle reduced_large(Real x) {
  constexpr std::uint64_t implicit = std::uint64_t{1} << 52;
  const Whole word = bits(magnitude(x));
  const Whole factor = (word & (implicit - 1)) | whole_like(word, implicit);
  // x = factor * 2^e, e = exponent - 1075: bits of 2 / pi before e - 2 add multiples of 2 pi.
  const Window digits = product(window_at((word >> 52) - (1075 + 2 - 64)), factor);
  const Whole high = (digits.words[0] << 2) | (digits.words[1] >> 62);
  const Whole low = (digits.words[1] << 2) | (digits.words[2] >> 62);
  const Whole quadrant = (digits.words[0] >> 62) + (high >> 63);
  const Pair rest =
      times(fraction(high, low), Pair{real_like(x, half_pi[0]), real_like(x, half_pi[1])});
  const Truth negative = x < 0.0;
  return {chosen(negative, -rest, rest),
          chosen(negative, whole_like(quadrant, 0) - quadrant, quadrant)};
}

// n * half_pi[0] is within 1 of x, and their difference fits into the bits of a number.
Angle reduced_small(Real x) {
  const Nearest n = nearest(x * two_over_pi[0]);
  const Real first = fused(-n.number, half_pi[0], x);
  const Pair second = two_product(n.number, half_pi[1]);
  const Pair rest = two_sum(first, -second.hi);
  const Real lowest = fused(n.number, -half_pi[2], rest.lo - second.lo);
  return {ordered_sum(rest.hi, lowest), n.whole};
}

}  // namespace

Angle reduced(Real x) {
  const auto for_large = [&] {
    const Angle angle = reduced_large(x);
    return std::vector<core::Value>{angle.rest.hi.value, angle.rest.lo.value, angle.quadrant.value};
  };
  const auto make = [&] {
    const Angle small = reduced_small(x);
    return x.code->unless((magnitude(x) > few).value, for_large,
                          {small.rest.hi.value, small.rest.lo.value, small.quadrant.value});
  };
  const std::vector<core::Value> values = x.code->once("angle", x.value, make);
  return {{{x.code, values[0]}, {x.code, values[1]}}, {x.code, values[2]}};
}

ShortAngle short_reduced(Real x) {
  const auto for_large = [&] {
    const Angle angle = reduced_large(x);
    return std::vector<core::Value>{angle.rest.hi.value, angle.quadrant.value};
  };
  const auto make = [&] {
    const Nearest n = nearest(x * two_over_pi[0]);
    const Real small = fused(-n.number, half_pi[1], fused(-n.number, half_pi[0], x));
    return x.code->unless((magnitude(x) > few).value, for_large, {small.value, n.whole.value});
  };
  const std::vector<core::Value> values = x.code->once("short angle", x.value, make);
  return {{x.code, values[0]}, {x.code, values[1]}};
}

}  // namespace hasten::passes::math
