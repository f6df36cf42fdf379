// Reads and writes at indices that are neighbours in most vectors: the row and the column of a flat
// index (`i / n`, `i % n`, `i >> k`, `i & m`), and flipped bits (`i ^ bits`), as in networks and
// butterflies. They are whole vectors where an index allows it, element by element elsewhere.
#include "support.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Vector;

namespace {

class FlippedIndices : public hasten_test::OnEveryDevice {};

// Within a vector, across vectors, both, beyond any array here, and negative.
const std::vector<std::int64_t> all_bits{0,  1,  2,  3,  4,   5,   7,    8,    12, 16,
                                         21, 32, 63, 64, 100, 513, 4096, 9999, -1, -64};
const std::vector<std::int64_t> lengths{1, 2, 8, 13, 64, 100, 1000, 4099};

// The index that a read there uses.
std::int64_t place_of(std::int64_t i, std::int64_t n) { return i >= 0 && i < n ? i : n - 1; }

template <class T>
T nth(std::int64_t i) {
  return static_cast<T>(i % 101);
}
template <>
std::complex<float> nth(std::int64_t i) {
  return {static_cast<float>(i % 101), static_cast<float>(i % 37)};
}
template <>
std::pair<std::int16_t, double> nth(std::int64_t i) {
  return {static_cast<std::int16_t>(i), static_cast<double>(i) / 8};
}

template <class T>
void expect_read(const hs::Options& options) {
  // The interpreter requires indices in range.
  const auto f = hs::compile(
      [](Exp<std::int64_t> bits, Acc<Vector<T>> a) {
        const auto last = hs::size(a) - 1;
        return hs::generate(hs::size(a), [=](Exp<std::int64_t> i) {
          const auto at = i ^ bits;
          return a[hs::select(at >= 0 && at <= last, at, last)];
        });
      },
      options);
  const auto limited = hs::compile(
      [](Exp<std::int64_t> bits, Acc<Vector<T>> a) {
        return hs::generate(hs::size(a), [=](Exp<std::int64_t> i) { return a[bits ^ i]; });
      },
      options);
  const bool is_limited = !(options.target == hs::interpreter());
  for (const std::int64_t n : lengths) {
    std::vector<T> values;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(nth<T>(i));
    const Vector<T> a = hasten_test::vector_of(values);
    for (const std::int64_t bits : all_bits) {
      std::vector<T> expected;
      for (std::int64_t i = 0; i < n; ++i)
        expected.push_back(values[static_cast<std::size_t>(place_of(i ^ bits, n))]);
      ASSERT_EQ(f(bits, a), hasten_test::vector_of(expected)) << n << " ^ " << bits;
      if (is_limited) {
        ASSERT_EQ(limited(bits, a), hasten_test::vector_of(expected)) << n << " ^ " << bits;
      }
    }
  }
}

TEST_P(FlippedIndices, OfSmallIntegers) { expect_read<std::int8_t>(GetParam()); }
TEST_P(FlippedIndices, OfIntegers) { expect_read<std::int32_t>(GetParam()); }
TEST_P(FlippedIndices, OfFloats) { expect_read<float>(GetParam()); }
TEST_P(FlippedIndices, OfDoubles) { expect_read<double>(GetParam()); }
TEST_P(FlippedIndices, OfComplexNumbers) { expect_read<std::complex<float>>(GetParam()); }
TEST_P(FlippedIndices, OfPairs) { expect_read<std::pair<std::int16_t, double>>(GetParam()); }

TEST_P(FlippedIndices, WithinRowsAndBehindASum) {
  const std::int64_t rows = 5, columns = 64, behind = 3;
  const auto f = hs::compile(
      [=](Exp<std::int64_t> bits, Acc<Matrix<float>> a) {
        return hs::generate(hs::ix(rows, columns - behind), [=](Exp<Ix<2>> at) {
          return a(at[0], hs::min((at[1] ^ bits) + behind, columns - 1));
        });
      },
      GetParam());
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * columns; ++i) values.push_back(nth<float>(i));
  const Matrix<float> a(hs::ix(rows, columns), std::span<const float>(values));
  for (const std::int64_t bits : {0, 1, 2, 6, 8, 15, 16, 33, 48}) {
    const Matrix<float> result = f(bits, a);
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns - behind; ++c)
        ASSERT_EQ(result(r, c), a(r, std::min((c ^ bits) + behind, columns - 1)))
            << r << " " << c << " ^ " << bits;
  }
}

// In some lanes only, and from a first element that is not aligned.
TEST_P(FlippedIndices, UnderAConditionAndOfAnotherFirst) {
  const std::int64_t n = 999;
  const auto f = hs::compile(
      [=](Exp<std::int64_t> bits, Exp<std::int64_t> first, Acc<Vector<float>> a) {
        return hs::generate(n, [=](Exp<std::int64_t> i) {
          return hs::if_(hs::sqrt(a[i]) > 4.0F, hs::exp(a[((i + first) ^ bits) & 511]),
                         Exp<float>(-1.0F));
        });
      },
      GetParam());
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(nth<float>(i * 7));
  const auto exponentials = hs::compile(
      [](Acc<Vector<float>> a) { return hs::map([](Exp<float> x) { return hs::exp(x); }, a); },
      GetParam());
  const Vector<float> a = hasten_test::vector_of(values), of_each = exponentials(a);
  for (const std::int64_t bits : {0, 1, 5, 8, 16, 96})
    for (const std::int64_t first : {0, 1, 8, 16}) {
      const Vector<float> result = f(bits, first, a);
      for (std::int64_t i = 0; i < n; ++i) {
        const bool is_read = std::sqrt(values[static_cast<std::size_t>(i)]) > 4.0F;
        ASSERT_EQ(result[i], is_read ? of_each[((i + first) ^ bits) & 511] : -1.0F)
            << i << " " << first << " " << bits;
      }
    }
}

// The transform of Walsh and Hadamard: applied twice it multiplies the numbers by their count.
TEST_P(FlippedIndices, InWholeTransforms) {
  const std::int64_t n = 256;
  const auto transform = hs::compile(
      [=](Acc<Vector<std::int64_t>> a) {
        for (std::int64_t d = 1; d < n; d *= 2)
          a = hs::compute(hs::generate(n, [=](Exp<std::int64_t> i) {
            return hs::select((i & d) == 0, a[i] + a[i ^ d], a[i ^ d] - a[i]);
          }));
        return a;
      },
      GetParam());
  const Vector<std::int64_t> a = hasten_test::vector_of(hasten_test::numbers<std::int64_t>(n, -40));
  const Vector<std::int64_t> once = transform(a), twice = transform(once);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += a[i];
  EXPECT_EQ(once[0], sum);
  for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(twice[i], n * a[i]) << i;
}

HASTEN_ON_EVERY_DEVICE(FlippedIndices);

// -- rows and columns of what lies in one row -----------------------------------------------------

class NearIndices : public hasten_test::OnEveryDevice {
 protected:
  using Number = std::function<std::int64_t(std::int64_t i, std::int64_t d)>;

  /// `index`, of an Exp, is `number`: values themselves, and reads there, of n elements.
  template <class Index>
  static void expect(const Index& index, const Number& number, std::int64_t first = 0) {
    const auto f = hs::compile(
        [=](Exp<std::int64_t> d, Exp<std::int64_t> from, Acc<Vector<float>> a) {
          return hs::generate(hs::size(a), [=](Exp<std::int64_t> i) {
            const auto at = index(i + from, d), last = hs::size(a) - 1;
            return std::pair{at, a[hs::select(at >= 0 && at <= last, at, last)]};
          });
        },
        GetParam());
    const auto limited = hs::compile(
        [=](Exp<std::int64_t> d, Exp<std::int64_t> from, Acc<Vector<float>> a) {
          return hs::generate(hs::size(a),
                              [=](Exp<std::int64_t> i) { return a[index(i + from, d)]; });
        },
        GetParam());
    const bool is_limited = !(GetParam().target == hs::interpreter());
    for (const std::int64_t n : {1, 9, 64, 1000, 4099}) {
      const Vector<float> a = Vector<float>::from_function(
          {n}, [](Ix<1> i) { return static_cast<float>(i[0] % 1009); });
      for (const std::int64_t d :
           {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 100, 127, 1000, 1023, 5000, -1, -3, -64}) {
        const auto got = f(d, first, a);
        const Vector<float> read = is_limited ? limited(d, first, a) : a;
        for (std::int64_t i = 0; i < n; ++i) {
          const std::int64_t at = number(i + first, d);
          const auto [value, element] = got[i];
          ASSERT_EQ(value, at) << "element " << i << " of " << n << ", d = " << d;
          ASSERT_EQ(element, a[place_of(at, n)]) << "element " << i << " of " << n << ", d = " << d;
          if (is_limited) {
            ASSERT_EQ(read[i], a[place_of(at, n)]) << i << " of " << n << ", d = " << d;
          }
        }
      }
    }
  }
};

// The language defines division by 0 as 0.
std::int64_t quotient(std::int64_t x, std::int64_t d) { return d == 0 ? 0 : x / d; }
std::int64_t remainder_of(std::int64_t x, std::int64_t d) { return d == 0 ? 0 : x % d; }

TEST_P(NearIndices, Quotients) {
  expect([](auto i, auto d) { return i / d; }, quotient);
  expect([](auto i, auto d) { return i / d; }, quotient, -500);
}
TEST_P(NearIndices, Remainders) {
  expect([](auto i, auto d) { return i % d; }, remainder_of);
  expect([](auto i, auto d) { return i % d; }, remainder_of, -500);
}
TEST_P(NearIndices, Masks) {
  expect([](auto i, auto d) { return i & d; }, [](auto i, auto d) { return i & d; });
  expect([](auto i, auto d) { return d & i; }, [](auto i, auto d) { return i & d; }, -77);
}
TEST_P(NearIndices, Shifts) {
  expect([](auto i, auto d) { return i >> (d & 7); }, [](auto i, auto d) { return i >> (d & 7); });
  expect([](auto i, auto d) { return i >> (d & 7); }, [](auto i, auto d) { return i >> (d & 7); },
         -77);
}
// One row after the other, with two rows exchanged, and with every row reversed.
TEST_P(NearIndices, Sums) {
  expect([](auto i, auto d) { return (i / d) * d + i % d; },
         [](auto i, auto d) { return quotient(i, d) * d + remainder_of(i, d); });
  expect([](auto i, auto d) { return ((i / d) ^ 1) * d + i % d; },
         [](auto i, auto d) { return (quotient(i, d) ^ 1) * d + remainder_of(i, d); });
  expect([](auto i, auto d) { return i - (i & d) * 2; },
         [](auto i, auto d) { return i - (i & d) * 2; });
  expect([](auto i, auto d) { return (i & 63) + ((i - (i & 63)) >> 1) + (d & 1); },
         [](auto i, auto d) { return (i & 63) + ((i - (i & 63)) >> 1) + (d & 1); });
}

// Numbers near the ends of their type, where neighbours are not in order.
TEST_P(NearIndices, WhereNumbersWrap) {
  using U = std::uint64_t;
  const auto f = hs::compile(
      [](Exp<U> from, Exp<U> d, Acc<Vector<float>> a) {
        return hs::generate(hs::size(a), [=](Exp<std::int64_t> i) {
          const auto x = hs::cast<U>(i) + from;
          return std::tuple{x / d, x % d, x >> U{60}, x & d};
        });
      },
      GetParam());
  const Vector<float> a = hasten_test::vector_of(std::vector<float>(200));
  for (const U from : {~U{0} - 1, ~U{0} - 100, U{1} << 63, (U{1} << 63) - 50})
    for (const U d : {~U{0}, ~U{0} - 1, U{1} << 63, U{1000}, U{64}}) {
      const auto got = f(from, d, a);
      for (std::int64_t i = 0; i < 200; ++i) {
        const U x = static_cast<U>(i) + from;
        ASSERT_EQ(got[i], (std::tuple{x / d, x % d, x >> 60, x & d}))
            << i << " " << from << " " << d;
      }
    }
}

// Writes: blocks of d elements are exchanged with those after them.
TEST_P(NearIndices, OfWrites) {
  const std::int64_t n = 4096;
  const auto f = hs::compile(
      [=](Exp<std::int64_t> d, Acc<Vector<std::complex<float>>> a) {
        return hs::force(hs::push_many<2>(n / 2, n, [=](Exp<std::int64_t> i) {
          const auto within = i & (d - 1), first = i - within, to = within + 2 * first;
          return std::tuple{std::pair{to + d, a[i]}, std::pair{to, a[i + n / 2]}};
        }));
      },
      GetParam());
  std::vector<std::complex<float>> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(nth<std::complex<float>>(i));
  const auto a = hasten_test::vector_of(values);
  for (std::int64_t d = 1; d <= n / 2; d *= 2) {
    const auto got = f(d, a);
    for (std::int64_t i = 0; i < n / 2; ++i) {
      const std::int64_t to = i % d + 2 * (i - i % d);
      ASSERT_EQ(got[to + d], a[i]) << i << " " << d;
      ASSERT_EQ(got[to], a[i + n / 2]) << i << " " << d;
    }
  }
}

// Each element is read several times: from a multiple on, beside one, in a part of the array, with
// a number added, chosen or clamped.
template <class T>
void expect_repeated(const hs::Options& options) {
  for (const int k : {0, 1, 2, 3, 4, 5, 6, 9}) {
    const auto f = hs::compile(
        [=](Exp<std::int64_t> shift, Acc<Vector<T>> a) {
          const auto last = hs::size(a) - 1;
          const auto inside = [=](const Exp<std::int64_t>& i) {
            return hs::min(hs::max(i, 0), last);
          };
          const auto extent = hs::size(a) << k;
          return std::tuple{
              hs::generate(extent, [=](Exp<std::int64_t> i) { return a[i >> k]; }),
              hs::generate(extent,
                           [=](Exp<std::int64_t> i) { return a[inside((i + shift) >> k)]; }),
              hs::generate(extent,
                           [=](Exp<std::int64_t> i) { return a[inside((i >> k) - shift)]; }),
              hs::generate(extent,
                           [=](Exp<std::int64_t> i) {
                             return a[hs::select(shift > 3, i >> k, last - (i >> k))];
                           }),
              hs::generate(hs::ix(3, extent), [=](Exp<Ix<2>> i) { return a[i[1] / (1 << k)]; })};
        },
        options);
    for (const std::int64_t n : {1, 2, 15, 16, 17, 64, 131}) {
      std::vector<T> values;
      for (std::int64_t i = 0; i < n; ++i) values.push_back(nth<T>(i));
      const Vector<T> a = hasten_test::vector_of(values);
      for (const std::int64_t shift : {0, 1, 3, 4, 8, -2, 37}) {
        const auto [plain, moved, before, chosen, rows] = f(shift, a);
        const auto inside = [&](std::int64_t i) { return std::clamp<std::int64_t>(i, 0, n - 1); };
        for (std::int64_t i = 0; i < n << k; ++i) {
          ASSERT_EQ(plain[i], a[i >> k]) << i << " of " << n << " >> " << k;
          ASSERT_EQ(moved[i], a[inside((i + shift) >> k)]) << i << " + " << shift << " >> " << k;
          ASSERT_EQ(before[i], a[inside((i >> k) - shift)]) << i << " >> " << k << " - " << shift;
          ASSERT_EQ(chosen[i], a[shift > 3 ? i >> k : n - 1 - (i >> k)]) << i << " >> " << k;
          for (std::int64_t row = 0; row < 3; ++row) ASSERT_EQ(rows(row, i), a[i >> k]) << i;
        }
      }
    }
  }
}
TEST_P(NearIndices, ElementsSeveralTimes) {
  expect_repeated<float>(GetParam());
  expect_repeated<std::uint8_t>(GetParam());
  expect_repeated<std::int64_t>(GetParam());
  expect_repeated<std::complex<float>>(GetParam());
}

HASTEN_ON_EVERY_DEVICE(NearIndices);

}  // namespace
