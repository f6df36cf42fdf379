// Maps of arrays whose rows are short, which go along rows by single registers or have lanes across
// them: every width up to some registers, few rows and many, against the interpreter.
#include "../support.hpp"

#include <cstdint>
#include <string>
#include <vector>

using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Vector;

namespace {

class ShortRowMaps : public hasten_test::OnEveryDevice {
 protected:
  template <class P>
  static void expect_same(const P& program, const std::string& what) {
    EXPECT_EQ(run(program), hs::run(program, {.target = hs::interpreter()})) << what;
  }
};

const std::vector<std::int64_t> widths{0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 31, 33, 63, 64, 65};
const std::vector<std::int64_t> heights{0, 1, 15, 16, 17, 40, 257};

template <class T>
std::vector<T> some(std::int64_t n) {
  std::vector<T> result(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<T>(i * 7 % 113);
  return result;
}

std::string sizes(std::int64_t rows, std::int64_t width) {
  return std::to_string(rows) + " rows of " + std::to_string(width);
}

template <class T>
struct Inputs {
  Acc<Matrix<T>> table, turned;
  Acc<Vector<T>> row, column;

  Inputs(std::int64_t rows, std::int64_t width)
      : table(hs::use(Matrix<T>({rows, width}, some<T>(rows * width)))),
        turned(hs::use(Matrix<T>({width, rows}, some<T>(rows * width)))),
        row(hs::use(Vector<T>({width}, some<T>(width)))),
        column(hs::use(Vector<T>({rows}, some<T>(rows)))) {}
};

TEST_P(ShortRowMaps, RowsAndColumnsBeside) {
  const auto of_type = [](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t rows : heights)
      for (const std::int64_t width : widths) {
        const Inputs<T> in(rows, width);
        expect_same(hs::generate(hs::ix(rows, width),
                                 [=](Exp<Ix<2>> i) {
                                   return in.table[i] + in.row[i[1]] * hs::cast<T>(i[1]) -
                                          in.column[i[0]];
                                 }),
                    sizes(rows, width));
      }
  };
  of_type(float{});
  of_type(double{});
  of_type(std::int16_t{});
  of_type(std::uint8_t{});
}

TEST_P(ShortRowMaps, Transposes) {
  for (const std::int64_t rows : heights)
    for (const std::int64_t width : widths) {
      expect_same(hs::transpose(Inputs<float>(rows, width).turned), sizes(rows, width));
      expect_same(hs::transpose(Inputs<std::uint8_t>(rows, width).turned), sizes(rows, width));
      expect_same(hs::map([](Exp<double> x) { return x > 40.0; },
                          hs::transpose(Inputs<double>(rows, width).turned)),
                  sizes(rows, width));
    }
}

TEST_P(ShortRowMaps, OfThreeAxes) {
  for (const std::int64_t width : {1, 3, 4, 16, 20})
    for (const std::int64_t middle : {1, 3, 16, 37}) {
      const auto table =
          hs::use(hs::Array<float, 3>({9, middle, width}, some<float>(9 * middle * width)));
      const auto row = hs::use(Vector<float>({width}, some<float>(width)));
      expect_same(hs::generate(hs::ix(9, middle, width),
                               [=](Exp<Ix<3>> i) {
                                 return hs::sqrt(table[i] * 0.5f) / (row[i[2]] + 1.0f) +
                                        hs::cast<float>(i[1] - i[0]);
                               }),
                  sizes(middle, width));
    }
}

// Arrays that are broadcast have steps of 1 or 0 that only a launch knows, also where a condition
// leaves few elements of a row's last vector.
TEST_P(ShortRowMaps, BroadcastRowsAndColumns) {
  for (const std::int64_t rows : heights)
    for (const std::int64_t width : widths) {
      const Inputs<float> in(rows, width);
      const auto shape = hs::shape(in.table);
      const auto row = hs::broadcast(shape, in.row);
      const auto column = hs::broadcast(shape, hs::reshape(hs::ix(rows, 1), in.column));
      const auto some_of_both = hs::generate(shape, [=](Exp<Ix<2>> i) {
        return hs::select((i[0] + i[1]) % 5 == 3, row[i] / (column[i] + 1.0f) * row[i] + column[i],
                          in.table[i]);
      });
      expect_same(std::tuple{in.table + row, row - column, some_of_both}, sizes(rows, width));
    }
}

// The corrections of an index matter in no row, in some rows, or in the last columns of all rows.
TEST_P(ShortRowMaps, CorrectedIndices) {
  for (const std::int64_t rows : heights)
    for (const std::int64_t width : widths) {
      if (rows == 0 || width == 0) continue;
      const Inputs<float> in(rows, width);
      const auto shape = hs::shape(in.table);
      const auto last = [](const auto& i, std::int64_t n) {
        return hs::min(i, Exp<std::int64_t>(n - 1));
      };
      expect_same(
          std::tuple{
              hs::imap([=](Exp<Ix<2>> i, auto x) { return x + in.row[i[1]]; }, in.table),
              hs::generate(shape,
                           [=](Exp<Ix<2>> i) { return in.table(last(i[0] + 2, rows), i[1]); }),
              hs::generate(shape,
                           [=](Exp<Ix<2>> i) { return in.table(i[0], last(i[1] + 2, width)); })},
          sizes(rows, width));
    }
}

// Non-adjacent columns, borders among them.
TEST_P(ShortRowMaps, JoinedColumnsAndNeighbours) {
  for (const std::int64_t rows : heights) {
    const Inputs<float> in(rows, 3);
    expect_same(hs::generate(hs::ix(rows, 2),
                             [=](Exp<Ix<2>> i) {
                               return hs::select(i[1] == 0, in.column[i[0]], in.table(i[0], 1));
                             }),
                sizes(rows, 2));
    expect_same(hs::stencil([](auto at) { return at(-1, 0) + at(0, 1) * 2.0f; },
                            hs::boundary::clamp, in.table),
                sizes(rows, 3));
    expect_same(hs::reverse(in.table), sizes(rows, 3));
    expect_same(hs::take(2, in.table), sizes(rows, 2));
  }
}

// Pictures with channels last: lines of short rows, whose rows inside are one row where only
// neighbouring pixels are read, and not where a channel has weights of its own, or rows of another
// array are longer.
TEST_P(ShortRowMaps, PicturesOfManyChannels) {
  using Pixels = Acc<hs::Array<float, 3>>;
  for (const std::int64_t height : {1, 2, 5})
    for (const std::int64_t width : {1, 63, 64, 70, 131})
      for (const std::int64_t channels : {5, 8, 16, 17, 40, 63}) {
        const std::string what = sizes(height, width) + " of " + std::to_string(channels);
        const auto pixels_of = [&](std::int64_t count) -> Pixels {
          return hs::use(
              hs::Array<float, 3>({height, width, count}, some<float>(height * width * count)));
        };
        const Pixels pixels = pixels_of(channels), longer = pixels_of(channels + 1);
        const auto weights = Inputs<float>(9, channels).table;
        const auto cross = [](auto at) {
          return at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) - 4.0F * at(0, 0, 0);
        };
        expect_same(hs::stencil(cross, hs::boundary::outside(0.0F), pixels), what);
        expect_same(hs::stencil(cross, hs::boundary::clamp, pixels), what);
        expect_same(hs::stencil2([](auto a, auto b) { return a(0, -1, 0) + b(0, 1, 0) * 2.0F; },
                                 hs::boundary::mirror, pixels, hs::boundary::clamp, longer),
                    what);
        expect_same(hs::generate(hs::shape(pixels),
                                 [=](Exp<Ix<3>> i) {
                                   Exp<float> sum = 0.0F;
                                   for (int k = 0; k < 9; ++k) {
                                     const auto y = hs::clamp(i[0] + (k / 3 - 1), 0, height - 1);
                                     const auto x = hs::clamp(i[1] + (k % 3 - 1), 0, width - 1);
                                     sum = sum + pixels(y, x, i[2]) * weights(k, i[2]);
                                   }
                                   return sum;
                                 }),
                    what);
      }
}

HASTEN_ON_EVERY_DEVICE(ShortRowMaps);

}  // namespace
