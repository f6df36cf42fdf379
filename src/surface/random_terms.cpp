// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
#include <hasten/detail/terms/random.hpp>
#include <hasten/detail/terms/scalar.hpp>

#include <bit>
#include <numbers>

namespace hasten::detail {
namespace {

constexpr int rounds = 10;
constexpr std::uint32_t multipliers[] = {0xD2511F53, 0xCD9E8D57};
constexpr std::uint32_t key_steps[] = {0x9E3779B9, 0xBB67AE85};  // golden ratio, sqrt(3) - 1

Term integer(ScalarType type, std::uint64_t value) {
  return constant(type, {value, 0}, LiteralMode::baked);
}
Term shifted_right(const Term& x, std::uint64_t amount) {
  const ScalarType type = type_of(x)->leaf;
  return prim_of(ScalarOp::shr, type, {x, integer(type, amount)});
}
Term joined(ScalarOp op, const Term& a, const Term& b) {
  return prim_of(op, type_of(a)->leaf, {a, b});
}
Term low_half(const Term& x) { return cast_term(x, ScalarType::u32); }
Term high_half(const Term& x) { return low_half(shifted_right(x, 32)); }

/// The 64-bit product of a word and a multiplier.
Term product(const Term& word, std::uint32_t multiplier) {
  return joined(ScalarOp::mul, cast_term(word, ScalarType::u64),
                integer(ScalarType::u64, multiplier));
}

Term real(ScalarType type, double x) {
  const bool single = type == ScalarType::f32;
  return integer(type, single ? std::bit_cast<std::uint32_t>(static_cast<float>(x))
                              : std::bit_cast<std::uint64_t>(x));
}

}  // namespace

std::array<Term, 4> philox_block(std::array<Term, 4> counter, std::array<Term, 2> key) {
  const auto flip = [](const Term& a, const Term& b, const Term& c) {
    return joined(ScalarOp::xor_, joined(ScalarOp::xor_, a, b), c);
  };
  for (int round = 0; round < rounds; ++round) {
    if (round > 0)
      for (std::size_t i = 0; i < 2; ++i)
        key[i] = joined(ScalarOp::add, key[i], integer(ScalarType::u32, key_steps[i]));
    const Term first = product(counter[0], multipliers[0]);
    const Term second = product(counter[2], multipliers[1]);
    counter = {flip(high_half(second), counter[1], key[0]), low_half(second),
               flip(high_half(first), counter[3], key[1]), low_half(first)};
  }
  return counter;
}

std::array<Term, 4> philox_words(const Term& key, const Term& counter) {
  const Term zero = integer(ScalarType::u32, 0);
  return philox_block({low_half(counter), high_half(counter), zero, zero},
                      {low_half(key), high_half(key)});
}

// As many bits as the type's fraction has: every result is exact.
Term uniform_term(std::span<const Term> words, unsigned which, ScalarType type) {
  if (type == ScalarType::f32)
    return joined(ScalarOp::mul, cast_term(shifted_right(words[which], 8), type),
                  real(type, 0x1p-24));
  const std::size_t at = std::size_t{2} * which;
  const Term high =
      prim_of(ScalarOp::shl, ScalarType::u64,
              {cast_term(words[at + 1], ScalarType::u64), integer(ScalarType::u64, 32)});
  const Term bits = joined(ScalarOp::or_, high, cast_term(words[at], ScalarType::u64));
  return joined(ScalarOp::mul, cast_term(shifted_right(bits, 11), type), real(type, 0x1p-53));
}

// sqrt(-2 log(1 - u)) at the angle 2 pi v: 1 - u is never 0.
namespace {
struct Polar {
  Term radius, angle;
};
Polar box_muller(const Term& u, const Term& v, ScalarType type) {
  const auto apply = [&](ScalarOp op, const Term& x) { return prim_of(op, type, {x}); };
  const Term log = apply(ScalarOp::log, joined(ScalarOp::sub, real(type, 1), u));
  const Term radius = apply(ScalarOp::sqrt, joined(ScalarOp::mul, real(type, -2), log));
  return {radius, joined(ScalarOp::mul, real(type, 2 * std::numbers::pi), v)};
}
Term component(ScalarOp op, const Polar& at) {
  return joined(ScalarOp::mul, at.radius, prim_of(op, type_of(at.angle)->leaf, {at.angle}));
}
}  // namespace

Term normal_term(std::span<const Term> words, ScalarType type) {
  const Term u = uniform_term(words, 0, type), v = uniform_term(words, 1, type);
  return component(ScalarOp::cos, box_muller(u, v, type));
}

std::array<Term, 4> uniform4_terms(const std::array<Term, 4>& words, ScalarType type) {
  std::array<Term, 4> numbers;
  for (unsigned i = 0; i < 4; ++i) {
    numbers[i] = type == ScalarType::f32
                     ? uniform_term(words, i, type)
                     : joined(ScalarOp::mul, cast_term(words[i], type), real(type, 0x1p-32));
  }
  return numbers;
}

std::array<Term, 4> normal4_terms(const std::array<Term, 4>& words, ScalarType type) {
  const std::array<Term, 4> u = uniform4_terms(words, type);
  const Polar first = box_muller(u[0], u[1], type), second = box_muller(u[2], u[3], type);
  return {component(ScalarOp::cos, first), component(ScalarOp::sin, first),
          component(ScalarOp::cos, second), component(ScalarOp::sin, second)};
}

}  // namespace hasten::detail
