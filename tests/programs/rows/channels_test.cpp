// Arrays with a short innermost axis, such as the channels of a picture and the coordinates of
// points: for two to four elements there is code that knows the number. Around every threshold,
// against the interpreter.
#include "against_interpreter.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using hasten_test::numbers_of;
using hs::Acc, hs::Array, hs::Exp, hs::Ix;

namespace {

class Channels : public hasten_test::AgainstInterpreter {};

// Numbers of points.
const std::int64_t counts[] = {0, 1, 8, 17, 64, 65, 131};
const std::int64_t channel_counts[] = {1, 2, 3, 4, 5};

template <class Check>
void of_all_sizes(Check check) {
  for (const std::int64_t n : counts)
    for (const std::int64_t channels : channel_counts)
      check(n, channels, std::to_string(n) + " of " + std::to_string(channels));
}

// Values that depend on the channel, on the row alone, and on both, in several types at once.
template <class T>
void elements(auto check) {
  of_all_sizes([&](std::int64_t n, std::int64_t channels, const std::string& what) {
    const auto x = numbers_of<T>(hs::ix(n, channels));
    const auto scales = numbers_of<T>(hs::ix(channels));
    const auto of_rows = numbers_of<T>(hs::ix(n));
    check(hs::imap(
              [=](const Exp<Ix<2>>& i, const Exp<T>& v) {
                return std::tuple{v * scales[i[1]] + of_rows[i[0]], v > of_rows[i[0]],
                                  hs::cast<double>(v) - hs::cast<double>(i[0] * 10 + i[1])};
              },
              x),
          what);
    check(hs::generate(hs::shape(x),
                       [=](const Exp<Ix<2>>& i) {
                         return x(n - 1 - i[0], (i[1] + 1) % channels) -
                                x(i[0], channels - 1 - i[1]);
                       }),
          what);
    check(x + hs::broadcast(hs::shape(x), scales), what);
  });
}
TEST_P(Channels, ElementsOfFloats) {
  elements<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Channels, ElementsOfBytes) {
  elements<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Channels, ElementsOfHalves) {
  elements<hs::half>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Channels, ElementsOfWords) {
  elements<std::int64_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Pictures that gain or lose channels: rows of results and of arguments differ in their length.
template <class T>
void mixed(auto check) {
  for (const std::int64_t n : counts)
    for (const std::int64_t from : channel_counts)
      for (const std::int64_t to : channel_counts) {
        const std::string what =
            std::to_string(n) + " of " + std::to_string(from) + " to " + std::to_string(to);
        const auto x = numbers_of<T>(hs::ix(n, from));
        const auto y = numbers_of<T>(hs::ix(n, to));
        const auto z = numbers_of<T>(hs::ix(2, n, from));
        const Exp<std::int64_t> size = from;
        check(hs::generate(hs::shape(y),
                           [=](const Exp<Ix<2>>& i) {
                             return hs::select(i[1] < size, x(i[0], i[1]), T{7}) + y[i];
                           }),
              what);
        check(hs::generate(hs::ix(2, n, to),
                           [=](const Exp<hs::Ix<3>>& i) {
                             return z(i[0], i[1], hs::min(i[2], size - 1)) *
                                    z(i[0], i[1], size - 1);
                           }),
              what);
      }
}
TEST_P(Channels, MixedRowsOfFloats) {
  mixed<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Channels, MixedRowsOfBytes) {
  mixed<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Channels, MixedRowsOfWords) {
  mixed<std::int64_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Pictures with borders along both axes outside the channels; lines are cut among tasks.
template <class T>
void stencils(auto check) {
  const Ix<2> pictures[] = {{1, 64}, {3, 63}, {2, 70}, {5, 131}, {70, 3}, {90, 200}};
  for (const Ix<2>& size : pictures)
    for (const std::int64_t channels : channel_counts) {
      const std::string what = std::to_string(size[0]) + " x " + std::to_string(size[1]) + " of " +
                               std::to_string(channels);
      const auto x = numbers_of<T>(hs::ix(size[0], size[1], channels));
      check(hs::stencil([](auto at) { return at(0, 1, 0) - at(-1, 0, 0) + at(1, -2, 0); },
                        hs::boundary::clamp, x),
            what);
      const Exp<std::int64_t> width = size[1];
      check(hs::generate(hs::ix(size[0], size[1], channels),
                         [=](const Exp<hs::Ix<3>>& i) {
                           const auto left = i[1] - 7;
                           return hs::select(left >= 0, x(i[0], left, i[2]), T{3}) +
                                  x(i[0], hs::min(i[1] + 1, width - 1), i[2]);
                         }),
            what);
    }
}
TEST_P(Channels, StencilsOfFloats) {
  stencils<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Channels, StencilsOfBytes) {
  stencils<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Truths are bytes in memory; under conditions there may be nothing to read.
TEST_P(Channels, ConditionsAndTruths) {
  of_all_sizes([&](std::int64_t n, std::int64_t channels, const std::string& what) {
    const auto x = numbers_of<std::int32_t>(hs::ix(n, channels));
    const auto is_on = hs::map([](const auto& v) { return v > 0; }, x);
    expect_same(hs::imap(
                    [=](const Exp<Ix<2>>& i, const auto& on) {
                      const auto known = i[0] % 3 == 1 && i[1] < channels - 1;
                      const auto next = hs::select(known, x(i[0] - 1, i[1] + 1), -1);
                      return std::tuple{!on, next, hs::select(i[1] == 0, i[0], i[1])};
                    },
                    hs::force(is_on)),
                what);
  });
}

// Code with branches and loops that depends on the column alone, and what is computed from it.
TEST_P(Channels, BranchesAndLoopsOfTheColumn) {
  of_all_sizes([&](std::int64_t n, std::int64_t channels, const std::string& what) {
    const auto x = numbers_of<std::int64_t>(hs::ix(n, channels));
    const auto table = numbers_of<std::int64_t>(hs::ix(7));
    expect_same(
        hs::imap(
            [=](const Exp<Ix<2>>& i, const Exp<std::int64_t>& v) {
              const auto column = hs::select(i[1] % 2 == 0, hs::cast<double>(table[i[1]]) / 3.0,
                                             hs::log(hs::cast<double>(i[1] + 2)) * 2.5);
              const auto steps = hs::while_loop(
                  [=](const Exp<std::int64_t>& k) { return k < 100; },
                  [=](const Exp<std::int64_t>& k) { return k * 3 + i[1]; }, i[1] + 1);
              return std::tuple{v + hs::cast<std::int64_t>(column * 2.0) + steps, column + 1.0};
            },
            x),
        what);
  });
}

// All channels of a pixel make one number, or several: neighbouring lanes read at a distance of the
// number of channels, and further.
template <class T>
void pixels(auto check) {
  for (const std::int64_t height : {1, 3})
    of_all_sizes([&](std::int64_t width, std::int64_t channels, const std::string& what) {
      const auto picture = numbers_of<T>(hs::ix(height, width, channels));
      const auto other = numbers_of<T>(hs::ix(height, width, 2));
      const auto grey = [=](const Exp<std::int64_t>& y, const Exp<std::int64_t>& x) {
        Exp<T> sum = picture(y, x, channels - 1) * T{3};
        for (std::int64_t k = 0; k + 1 < channels; ++k) sum = sum + picture(y, x, k);
        return sum;
      };
      const auto size = hs::ix(height, width);
      check(hs::generate(size, [=](const Exp<Ix<2>>& i) { return grey(i[0], i[1]); }), what);
      check(hs::generate(size,
                         [=](const Exp<Ix<2>>& i) {
                           const auto back = grey(height - 1 - i[0], width - 1 - i[1]);
                           return std::tuple{back, other(i[0], i[1], 1), i[1] % channels};
                         }),
            what);
      check(hs::generate(size,
                         [=](const Exp<Ix<2>>& i) {
                           const Exp<std::int64_t> zero(0), last(width - 1);
                           return grey(i[0], hs::max(i[1] - 1, zero)) -
                                  grey(i[0], hs::min(i[1] + 1, last));
                         }),
            what);
    });
}
TEST_P(Channels, PixelsOfFloats) {
  pixels<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Channels, PixelsOfBytes) {
  pixels<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Channels, PixelsOfDoubles) {
  pixels<double>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Sums of rows, and folds by operators that need an order, with the folded elements stored.
template <class T>
void rows(auto check) {
  const auto ordered = [](const Exp<T>& a, const Exp<T>& b) { return a * T{3} - b; };
  of_all_sizes([&](std::int64_t n, std::int64_t channels, const std::string& what) {
    const auto x = numbers_of<T>(hs::ix(n, channels));
    const auto weights = numbers_of<T>(hs::ix(channels));
    const auto weighted = x * hs::broadcast(hs::shape(x), weights);
    check(hs::sum(weighted), what);
    check(hs::fold(ordered, T{5}, x), what);
    check(hs::fold1(ordered, x), what);
    check(hs::maximum(x), what);
    const auto kept = hs::force(weighted);
    check(std::tuple{hs::sum(kept), kept}, what);
  });
}
TEST_P(Channels, RowsOfFloats) {
  rows<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Channels, RowsOfBytes) {
  rows<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Channels, RowsOfWords) {
  rows<std::int64_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Columns, few and long: a sum, a maximum with a seed, several results, and pictures one after the
// other. The elements are whole numbers, whose sums are exact.
template <class T>
void columns(auto check) {
  for (const std::int64_t n : {100, 8191, 12'345, 40'000})
    for (const std::int64_t channels : channel_counts) {
      const std::string what = std::to_string(n) + " of " + std::to_string(channels);
      const auto x = numbers_of<T>(hs::ix(n, channels));
      const auto weights = numbers_of<T>(hs::ix(channels));
      check(hs::sum_on<0>(hs::cast<std::int64_t>(x)), what);
      check(hs::fold_on<0>([](const Exp<T>& a, const Exp<T>& b) { return hs::max(a, b); }, T{7}, x),
            what);
      check(hs::sum_on<0>(hs::imap(
                [=](const Exp<Ix<2>>& i, const auto& v) {
                  return hs::cast<std::int64_t>(v * weights[i[1]]) + i[0] % 2;
                },
                x)),
            what);
    }
}
TEST_P(Channels, ColumnsOfBytes) {
  columns<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Channels, ColumnsOfFloats) {
  columns<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Columns that are added as they lie in memory, and such as are not: of two arrays, by a table, of
// several leaves and types, turned over, of one row less, by weights of columns and of rows.
TEST_P(Channels, ColumnsAlongMemory) {
  for (const std::int64_t n : {8192, 8193, 12'345})
    for (const std::int64_t channels : {2, 3, 4}) {
      const std::string what = std::to_string(n) + " of " + std::to_string(channels);
      const auto x = numbers_of<std::int8_t>(hs::ix(n, channels));
      const auto y = numbers_of<std::int16_t>(hs::ix(n, channels));
      const auto table = numbers_of<std::int32_t>(hs::ix(256));
      const auto of_rows = numbers_of<std::int32_t>(hs::ix(n));
      const auto int_of = [](const auto& v) { return hs::cast<std::int32_t>(v); };
      const auto sums = [&](auto element) {
        return hs::sum_on<0>(hs::generate(hs::ix(n, channels), element));
      };
      using I = Exp<Ix<2>>;
      expect_same(hs::sum_on<0>(hs::map(int_of, x)), what);
      expect_same(hs::sum_on<0>(x), what);
      expect_same(sums([=](const I& i) { return int_of(x[i]) * int_of(y[i]); }), what);
      expect_same(sums([=](const I& i) { return table[int_of(x[i]) + 128]; }), what);
      expect_same(sums([=](const I& i) { return int_of(x(n - 1 - i[0], i[1])) * of_rows[i[0]]; }),
                  what);
      expect_same(sums([=](const I& i) { return int_of(x[i]) * int_of(i[1] * 3 + i[0] % 5); }),
                  what);
      expect_same(sums([=](const I& i) { return int_of(x(i[0], channels - 1 - i[1])); }), what);
      expect_same(hs::sum_on<0>(hs::map(int_of, hs::tail_on<0>(x))), what);
      expect_same(hs::sum_on<0>(hs::map(int_of, hs::init(x))), what);
      expect_same(
          std::tuple{hs::sum_on<0>(hs::map(int_of, x)), hs::maximum_on<0>(x),
                     hs::any_of(hs::transpose(hs::map([](const auto& v) { return v > 149; }, y)))},
          what);
      expect_same(hs::argmax_on<0>(y), what);
      using Both = std::tuple<std::int32_t, double>;
      expect_same(
          hs::fold_on<0>(
              [](const Exp<Both>& a, const Exp<Both>& b) {
                return std::tuple{hs::get<0>(a) + hs::get<0>(b),
                                  hs::max(hs::get<1>(a), hs::get<1>(b))};
              },
              Both{1, -1e9},
              hs::map([=](const auto& v) { return std::tuple{int_of(v), hs::cast<double>(v)}; },
                      y)),
          what);
    }
}

// Channels of several arrays that differ in number, pictures in a row of pictures, and a program
// that is called with one number after the other.
TEST_P(Channels, OfSeveralNumbers) {
  const auto blend = [](const Acc<Array<float, 3>>& colours, const Acc<Array<float, 3>>& covers) {
    return hs::generate(hs::shape(colours), [=](const Exp<Ix<3>>& i) {
      const auto last = hs::shape(covers)[2] - 1;
      return colours(i[0], i[1], i[2]) * covers(i[0], i[1], last) + covers(i[0], i[1], 0);
    });
  };
  const auto found = hs::compile(blend, GetParam());
  const auto expected = hs::compile(blend, {.target = hs::interpreter()});
  for (const std::int64_t channels : channel_counts)
    for (const std::int64_t others : channel_counts) {
      const auto a = hs::run(numbers_of<float>(hs::ix(3, 70, channels)));
      const auto b = hs::run(numbers_of<float>(hs::ix(3, 70, others)));
      EXPECT_EQ(found(a, b), expected(a, b)) << channels << " and " << others;
    }
}

// In a loop, whose states reuse the memory of earlier ones.
TEST_P(Channels, InALoop) {
  for (const std::int64_t n : {5, 64, 100})
    for (const std::int64_t channels : channel_counts) {
      const auto x = numbers_of<std::int32_t>(hs::ix(n, channels));
      const auto turned = hs::aiterate(
          3,
          [=](const auto& a) {
            return hs::generate(hs::shape(a), [=](const Exp<Ix<2>>& i) {
              return a(i[0], (i[1] + 1) % channels) * 3 - a(n - 1 - i[0], i[1]);
            });
          },
          x);
      expect_same(turned, std::to_string(n) + " of " + std::to_string(channels));
    }
}

HASTEN_ON_EVERY_DEVICE(Channels);

}  // namespace
