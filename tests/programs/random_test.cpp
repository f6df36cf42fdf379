// Counter-based random numbers, compared with the published vectors and with plain C++.
#include "support.hpp"

#include <array>

using hs::Exp, hs::Vector;

namespace {

using Words = std::array<std::uint32_t, 4>;

class Random : public hasten_test::OnEveryTarget {
 protected:
  template <class T>
  static Exp<T> value(T v) {
    return hs::parameter(v);
  }
};

/// The generator in plain C++.
Words philox(Words counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

Words philox(std::uint64_t key, std::uint64_t counter) {
  return philox(
      {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0},
      {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
}

/// From kat_vectors of Random123: counter, key, result.
struct Known {
  Words counter;
  std::array<std::uint32_t, 2> key;
  Words result;
};
constexpr Known known[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST_P(Random, PublishedVectors) {
  for (const Known& k : known) {
    EXPECT_EQ(philox(k.counter, k.key), k.result);
    std::array<hs::detail::Term, 4> counter;
    for (std::size_t i = 0; i < 4; ++i) counter[i] = hs::detail::term_of(value(k.counter[i]));
    const auto words = hs::detail::philox_block(
        counter, {hs::detail::term_of(value(k.key[0])), hs::detail::term_of(value(k.key[1]))});
    const auto result =
        hs::detail::exp_of<Words>(hs::detail::make_tuple(hs::detail::element_type<Words>(), words));
    EXPECT_EQ(run(result), k.result);
  }
  EXPECT_EQ(run(hs::philox(0, value(0))), known[0].result);
}

TEST_P(Random, WordsAndUniformNumbersAreExact) {
  const std::uint64_t key = 0x0123456789abcdef;
  const auto counters = hs::enum_from_step_n(1000, std::int64_t{-7}, std::int64_t{0x123456789});
  const auto [words, singles, doubles] =
      run(std::tuple{hs::philox(key, counters), hs::uniform<float>(value(key), counters),
                     hs::uniform<double>(key, counters)});
  for (std::int64_t i = 0; i < 1000; ++i) {
    const Words r = philox(key, static_cast<std::uint64_t>(-7 + i * 0x123456789));
    ASSERT_EQ(words(i), r);
    ASSERT_EQ(singles(i), static_cast<float>(r[0] >> 8) * 0x1p-24F);
    const std::uint64_t bits = std::uint64_t{r[1]} << 32 | r[0];
    ASSERT_EQ(doubles(i), static_cast<double>(bits >> 11) * 0x1p-53);
  }
}

TEST_P(Random, IntegersOfAnyType) {
  const float wanted = run(hs::uniform<float>(std::uint64_t{5}, std::uint64_t{9}));
  EXPECT_EQ(run(hs::uniform<float>(5, value<std::uint8_t>(9))), wanted);
  EXPECT_EQ(run(hs::uniform<float>(value<std::int16_t>(5), value(9))), wanted);
  EXPECT_EQ(run(hs::uniform<float>(hs::use(Vector<std::int8_t>{5, 5}), 9))(1), wanted);
  EXPECT_EQ(run(hs::philox(-1, 0)), philox(~std::uint64_t{0}, 0));
}

TEST_P(Random, NormalNumbers) {
  constexpr std::int64_t n = 20000;
  const auto normals = run(hs::normal<float>(42, hs::iota(n)));
  const auto precise = run(hs::normal<double>(42, hs::iota(n)));
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const Words r = philox(42, static_cast<std::uint64_t>(i));
    const double u = (r[0] >> 8) * 0x1p-24, v = (r[1] >> 8) * 0x1p-24;
    const double wanted = std::sqrt(-2 * std::log(1 - u)) * std::cos(2 * M_PI * v);
    ASSERT_NEAR(normals(i), wanted, 2e-6);
    sum += precise(i);
    squares += precise(i) * precise(i);
  }
  EXPECT_NEAR(sum / n, 0, 0.03);
  EXPECT_NEAR(squares / n, 1, 0.04);
}

TEST_P(Random, FourNumbersOfOneCall) {
  const std::uint64_t key = 77;
  const auto [singles, doubles, normals, precise] = run(
      std::tuple{hs::uniform4<float>(key, hs::iota(500)), hs::uniform4<double>(key, hs::iota(500)),
                 hs::normal4<float>(key, hs::iota(500)), hs::normal4<double>(key, hs::iota(500))});
  const auto [first, first_normal] =
      run(std::pair{hs::uniform<float>(key, hs::iota(500)), hs::normal<float>(key, hs::iota(500))});
  for (std::int64_t i = 0; i < 500; ++i) {
    const Words r = philox(key, static_cast<std::uint64_t>(i));
    for (std::size_t k = 0; k < 4; ++k) {
      ASSERT_EQ(singles(i)[k], static_cast<float>(r[k] >> 8) * 0x1p-24F);
      ASSERT_EQ(doubles(i)[k], static_cast<double>(r[k]) * 0x1p-32);
      // Both numbers of each pair of uniform numbers are used.
      const std::size_t pair = k / 2 * 2;
      const double u = doubles(i)[pair], v = doubles(i)[pair + 1];
      const double turn = 2 * M_PI * v, radius = std::sqrt(-2 * std::log(1 - u));
      ASSERT_NEAR(precise(i)[k], radius * (k % 2 == 0 ? std::cos(turn) : std::sin(turn)), 1e-11);
      ASSERT_NEAR(normals(i)[k], precise(i)[k], 3e-3);
    }
    ASSERT_EQ(singles(i)[0], first(i));
    ASSERT_EQ(normals(i)[0], first_normal(i));
  }
  EXPECT_EQ(run(hs::uniform4(key, value(3))), singles(3));
}

HASTEN_ON_EVERY_TARGET(Random);

}  // namespace
