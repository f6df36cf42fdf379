// Maps whose elements use a function of the column alone, which is computed once for many rows; and
// choices by parity, whose sides are read at half the index. Against the interpreter.
#include "against_interpreter.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using hasten_test::numbers_of;
using hs::Exp, hs::Ix;

namespace {

// Functions differ in last bits from target to target, not from launch to launch: their results
// are compared as whole numbers that no such bit changes.
class StillRows : public hasten_test::AgainstInterpreter {};

auto rounded(const auto& x) { return hs::cast<std::int32_t>(hs::floor(x * 1000.0F + 0.25F)); }

// Fewer rows than a task has, and more; rows shorter than a vector, or longer than the stack's row.
TEST_P(StillRows, AFunctionOfTheColumn) {
  for (const std::int64_t rows : {0, 1, 2, 9, 40})
    for (const std::int64_t columns : {0, 1, 3, 16, 67, 20'000}) {
      if (rows * columns > 100'000) continue;
      const std::string what = std::to_string(rows) + " of " + std::to_string(columns);
      const auto x = numbers_of<std::int32_t>(hs::ix(rows, columns));
      const auto scales = numbers_of<float>(hs::ix(columns));
      const auto wave = [](const Exp<std::int64_t>& i) {
        return hs::cos(hs::cast<float>(i % 10) * 0.3F);
      };
      expect_same(
          hs::imap([=](const Exp<Ix<2>>& i, const auto& v) { return rounded(wave(i[1])) + v; }, x),
          what);
      expect_same(hs::imap(
                      [=](const Exp<Ix<2>>& i, const auto& v) {
                        const auto of_column = hs::exp(scales[i[1]] * 0.01F);
                        const auto of_row = hs::exp(hs::cast<float>(i[0] % 5) * -0.5F);
                        return std::tuple{v * rounded(of_column), rounded(of_row), i[1] - i[0]};
                      },
                      x),
                  what);
    }
}

// Axes outside, and neighbours whose borders are peeled.
TEST_P(StillRows, AxesOutsideAndBorders) {
  for (const std::int64_t outside : {1, 3})
    for (const std::int64_t columns : {5, 33, 130}) {
      const auto x = numbers_of<std::int32_t>(hs::ix(outside, 11, columns));
      const auto program = hs::imap(
          [=](const Exp<Ix<3>>& i, const auto& v) {
            const auto before = x(i[0], hs::max(i[1] - 1, Exp<std::int64_t>(0)),
                                  hs::max(i[2] - 1, Exp<std::int64_t>(0)));
            return rounded(hs::sin(hs::cast<float>(i[2] % 7))) * 2 + v - before;
          },
          x);
      expect_same(program, std::to_string(outside) + " by " + std::to_string(columns));
    }
}

// Alternately an element of each of two arrays: lanes that are off read no element that does not
// exist.
template <class T>
void parity(auto check) {
  for (const std::int64_t n : {1, 2, 15, 16, 31, 32, 33, 64, 127, 130, 1000}) {
    const auto a = numbers_of<T>(hs::ix(n));
    const auto b = numbers_of<T>(hs::ix(n));
    const std::string what = std::to_string(n);
    check(hs::generate(2 * hs::size(a),
                       [=](const Exp<std::int64_t>& i) {
                         return hs::select(i % 2 == 0, a[i / 2], b[i / 2] + T{1});
                       }),
          what);
    check(hs::generate(2 * hs::size(a) - 1,
                       [=](const Exp<std::int64_t>& i) {
                         return hs::select(i % 4 == 3, a[i / 2], b[(i + 1) / 2 % n]);
                       }),
          what);
    // The other side exists in the first half only.
    check(hs::generate(2 * hs::size(a),
                       [=](const Exp<std::int64_t>& i) {
                         return hs::select(i < n, a[i], b[i / 4 + n / 3]);
                       }),
          what);
    check(hs::generate(
              hs::ix(hs::size(a), 2),
              [=](const Exp<Ix<2>>& i) { return hs::select(i[1] == 0, a[i[0]], b[n - 1 - i[0]]); }),
          what);
  }
}
TEST_P(StillRows, ParityOfFloats) {
  parity<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(StillRows, ParityOfBytes) {
  parity<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(StillRows, ParityOfWords) {
  parity<std::int64_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

HASTEN_ON_EVERY_DEVICE(StillRows);

}  // namespace
