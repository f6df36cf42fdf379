// Loops that count (fold_range) over what each element reads: rows of its own, which are turned
// into columns, and windows, whose limits are tested once for all rounds. Against the interpreter,
// and for reads out of range, which the interpreter refuses, against loops.
#include "against_interpreter.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using hasten_test::numbers_of;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Vector;

namespace {

class LoopsOverRows : public hasten_test::AgainstInterpreter {};

using Index = Exp<std::int64_t>;

const std::int64_t row_counts[] = {0, 1, 7, 16, 33, 64, 130};
const std::int64_t row_lengths[] = {0, 1, 2, 3, 4, 5, 8, 15, 17, 64, 300, 1100};

template <class T>
void folded_rows(auto check) {
  for (const std::int64_t rows : row_counts)
    for (const std::int64_t columns : row_lengths) {
      const std::string what = std::to_string(rows) + " x " + std::to_string(columns);
      const auto x = numbers_of<T>(hs::ix(rows, columns));
      const auto weights = numbers_of<T>(hs::ix(columns));
      // In order, and neither associative nor commutative.
      check(hs::generate(rows,
                         [=](const Index& i) {
                           return hs::fold_range(hs::shape(x)[1], hs::constant(T(1)),
                                                 [=](const Index& k, const Exp<T>& sum) {
                                                   return sum * T(-1) + x(i, k) * weights[k];
                                                 });
                         }),
            what);
    }
}
TEST_P(LoopsOverRows, OfFloats) {
  folded_rows<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(LoopsOverRows, OfBytes) {
  folded_rows<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(LoopsOverRows, OfDoubles) {
  folded_rows<double>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(LoopsOverRows, OfComplexNumbers) {
  folded_rows<std::complex<float>>(
      [](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Two states, two arrays, an inner loop, a first number that depends on the element, and elements
// that do not take the loop.
TEST_P(LoopsOverRows, InPrograms) {
  for (const std::int64_t rows : {1, 16, 50, 129})
    for (const std::int64_t columns : {1, 6, 40}) {
      const std::string what = std::to_string(rows) + " x " + std::to_string(columns);
      const auto x = numbers_of<float>(hs::ix(rows, columns));
      const auto y = numbers_of<std::int16_t>(hs::ix(rows, columns));
      expect_same(
          hs::generate(
              rows,
              [=](const Index& i) {
                const auto sums = [=](const Index& k, const Exp<float>& a, const Exp<int>& b) {
                  return std::tuple{a * 0.5F + x(i, k), b - hs::cast<int>(y(i, columns - 1 - k))};
                };
                return hs::fold_range(columns, std::tuple{x(i, 0), Exp<int>(3)}, sums);
              }),
          what);
      expect_same(hs::generate(rows,
                               [=](const Index& i) {
                                 return hs::if_(
                                     x(i, 0) > 10.0F,
                                     hs::fold_range(columns, Exp<float>(0.0F),
                                                    [=](const Index& k, const Exp<float>& a) {
                                                      return hs::sqrt(a + hs::abs(x(i, k)));
                                                    }),
                                     x(i, columns - 1));
                               }),
                  what);
      expect_same(hs::generate(hs::ix(rows, 5),
                               [=](const Exp<Ix<2>>& at) {
                                 return hs::fold_range(columns, Exp<float>(0.0F),
                                                       [=](const Index& k, const Exp<float>& a) {
                                                         return a + x(at[0], k) *
                                                                        hs::cast<float>(at[1]);
                                                       });
                               }),
                  what);
    }
}

// Windows that are in range for all elements, for some, and for none.
TEST_P(LoopsOverRows, WindowsThatLeaveTheArray) {
  const auto window = hs::compile(
      [](const Acc<Vector<float>>& a, const Index& results, const Index& count, const Index& step,
         const Index& first) {
        return hs::generate(results, [=](const Index& i) {
          return hs::fold_range(count, Exp<float>(0.0F),
                                [=](const Index& k, const Exp<float>& sum) {
                                  return sum * 2.0F + a[i + k] + a[3 * i + k + 1] + a[k] +
                                         a[i + first + k] + a[i * step];
                                });
        });
      },
      GetParam());
  const std::int64_t n = 200;
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i % 7));
  const Vector<float> a = hasten_test::vector_of(values);
  bool is_inside = true;
  const auto at = [&](std::int64_t i) {
    is_inside = is_inside && i >= 0 && i < n;
    return values[static_cast<std::size_t>(i >= 0 && i < n ? i : n - 1)];
  };
  for (const std::int64_t results : {0, 1, 60, 66, 67, 199, 200, 230})
    for (const std::int64_t count : {-1, 0, 1, 2, 3, 4, 200, 201})
      for (const std::int64_t first : {-3, 0, 2}) {
        const std::string what = std::to_string(results) + ", " + std::to_string(count) + " from " +
                                 std::to_string(first);
        is_inside = true;
        std::vector<float> expected;
        for (std::int64_t i = 0; i < results; ++i) {
          float sum = 0;
          for (std::int64_t k = 0; k < count; ++k)
            sum =
                sum * 2.0F + at(i + k) + at(3 * i + k + 1) + at(k) + at(i + first + k) + at(i * 2);
          expected.push_back(sum);
        }
        const auto call = [&] { return window(a, results, count, std::int64_t{2}, first); };
        if (is_inside || !(GetParam().target == hs::interpreter())) {
          ASSERT_EQ(call(), hasten_test::vector_of(expected)) << what;
        } else {
          ASSERT_THROW(call(), hs::IndexError) << what;
        }
      }
}

// Pools of whole windows, of windows that overlap, and of windows at the border.
TEST_P(LoopsOverRows, WindowsOfTwoAxes) {
  for (const std::int64_t rows : {3, 9, 20})
    for (const std::int64_t columns : {3, 48, 101})
      for (const std::int64_t size : {1, 2, 3})
        for (const std::int64_t step : {1, 2, 3}) {
          const auto x = numbers_of<float>(hs::ix(rows, columns));
          const Index s = hs::constant(step), last = columns - 1;
          expect_same(
              hs::generate(hs::ix((rows - size) / step + 1, (columns - size) / step + 1),
                           [=](const Exp<Ix<2>>& i) {
                             return hs::fold_range(
                                 size, Exp<float>(-1e9F), [=](const Index& y, const Exp<float>& m) {
                                   return hs::fold_range(
                                       size, m, [=](const Index& z, const Exp<float>& most) {
                                         return hs::max(most, x(s * i[0] + y, s * i[1] + z)) +
                                                x(s * i[0] + y, hs::min(s * i[1] + z + 1, last));
                                       });
                                 });
                           }),
              std::to_string(rows) + " x " + std::to_string(columns) + " by " +
                  std::to_string(size) + " every " + std::to_string(step));
        }
}

HASTEN_ON_EVERY_DEVICE(LoopsOverRows);

}  // namespace
