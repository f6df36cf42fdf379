// Rows that are contiguous in all that is read and written are run as one: short rows, beside
// arrays whose rows do and do not have the space's length; results of folds and scans.
#include "against_interpreter.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using hasten_test::numbers_of;
using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix;

namespace {

class FlatRows : public hasten_test::AgainstInterpreter {};

Acc<Matrix<float>> table(std::int64_t rows, std::int64_t width) {
  return hs::use(Matrix<float>::from_function(
      {rows, width}, [](hs::Ix<2> i) { return static_cast<float>(i[0] * 31 + i[1]); }));
}

template <class Check>
void of_all_sizes(Check check) {
  for (const std::int64_t rows : {0, 1, 2, 17, 300})
    for (const std::int64_t width : {0, 1, 2, 3, 8, 17, 63, 64, 65})
      check(rows, width, std::to_string(rows) + " rows of " + std::to_string(width));
}

TEST_P(FlatRows, Differences) {
  of_all_sizes([](std::int64_t rows, std::int64_t width, const std::string& what) {
    const auto a = table(rows, width);
    expect_same(hs::tail_on<0>(a) - hs::init_on<0>(a), what);
    expect_same(hs::tail_on<1>(a) - hs::init_on<1>(a), what);
    expect_same(hs::drop_on<0>(1, a) - hs::take_on<0>(rows - 1, a) * 2.0F, what);
  });
}

TEST_P(FlatRows, OtherRowsBeside) {
  of_all_sizes([](std::int64_t rows, std::int64_t width, const std::string& what) {
    const auto a = table(rows, width), wider = table(rows + 2, width + 1);
    expect_same(hs::zip_with([](auto x, auto y) { return x - y; }, hs::tail_on<0>(a), wider), what);
    // Indices that are used in more than addresses.
    expect_same(hs::imap([](Exp<hs::Ix<2>> i, Exp<float> x) { return x + hs::cast<float>(i[1]); },
                         hs::tail_on<0>(a)),
                what);
  });
}

TEST_P(FlatRows, Joins) {
  of_all_sizes([](std::int64_t rows, std::int64_t width, const std::string& what) {
    const auto a = table(rows, width);
    expect_same(hs::concat_on<0>(a, a * 2.0F, hs::take_on<0>(1, a)), what);
    expect_same(hs::concat_on<1>(a, a * 2.0F, hs::take_on<1>(1, a)), what);
  });
  // More elements than one launch joins, along either axis.
  for (const std::int64_t width : {1, 3, 16, 40}) {
    const auto a = table(50000 / width + 1, width);
    expect_same(hs::concat_on<0>(a, a * 2.0F, a + 1.0F), std::to_string(width));
    expect_same(hs::concat(a, a * 2.0F, a + 1.0F), std::to_string(width));
  }
}

TEST_P(FlatRows, ThreeAxes) {
  const auto a = hs::use(Array<float, 3>::from_function(
      {7, 3, 5}, [](hs::Ix<3> i) { return static_cast<float>(i[0] * 100 + i[1] * 10 + i[2]); }));
  expect_same(hs::tail_on<0>(a) - hs::init_on<0>(a), "outermost");
  expect_same(hs::tail_on<1>(a) - hs::init_on<1>(a), "middle");
  expect_same(hs::concat_on<0>(a, a + 1.0F), "outermost");
  expect_same(hs::concat_on<1>(a, a + 1.0F), "middle");
}

const Ix<3> images[] = {{5, 0, 4},   {0, 5, 4},     {1, 1, 1},   {3, 5, 1},   {7, 9, 3},
                        {64, 33, 3}, {40, 17, 5},   {16, 8, 16}, {33, 2, 31}, {9, 3, 63},
                        {4, 5, 64},  {130, 2, 200}, {2, 70, 17}, {300, 40, 2}};

std::string text_of(const Ix<3>& shape) {
  return std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " +
         std::to_string(shape[2]);
}

// Of 32-bit integers, whose sums are exact; x -> a * x + b does not commute.
TEST_P(FlatRows, FoldsOfWholeImages) {
  for (const Ix<3>& shape : images) {
    const auto x = numbers_of<std::int32_t>(shape);
    const auto after = [](const auto& first, const auto& second) {
      return std::tuple{hs::get<0>(second) * hs::get<0>(first),
                        hs::get<0>(second) * hs::get<1>(first) + hs::get<1>(second)};
    };
    const auto affine = hs::map([](auto v) { return std::tuple{v | 1, v * 3}; }, x);
    const std::tuple<std::int32_t, std::int32_t> same{1, 0};
    expect_same(hs::sum_on<0>(x), text_of(shape));
    expect_same(hs::sum_on<1>(x), text_of(shape));
    expect_same(hs::sum(x), text_of(shape));
    expect_same(hs::fold_on<0>(after, same, affine), text_of(shape));
    expect_same(hs::fold_on<1>(after, same, affine), text_of(shape));
    expect_same(hs::fold(after, same, affine), text_of(shape));
    if (shape[0] > 0) expect_same(hs::argmax_on<0>(x), text_of(shape));
  }
}

TEST_P(FlatRows, ScansOfWholeImages) {
  for (const Ix<3>& shape : images) {
    const auto x = numbers_of<std::int32_t>(shape);
    expect_same(hs::scanl1_on<0>(std::plus<>{}, x), text_of(shape));
    expect_same(hs::scanl1_on<1>(std::plus<>{}, x), text_of(shape));
    expect_same(hs::scanl1(std::plus<>{}, x), text_of(shape));
    expect_same(hs::scanl_on<0>([](auto l, auto r) { return hs::min(l, r); }, 7, x),
                text_of(shape));
    expect_same(hs::scanr1_on<0>(std::plus<>{}, x), text_of(shape));
    expect_same(hs::scanr_on<1>(std::plus<>{}, 5, x), text_of(shape));
  }
}

// What follows a fold reads by result, by column and by row; images beside are larger.
TEST_P(FlatRows, FoldsBesideOthers) {
  for (const Ix<3>& shape : images) {
    const auto x = numbers_of<std::int32_t>(shape);
    const auto larger = numbers_of<std::int32_t>(hs::ix(shape[0] + 1, shape[1] + 1, shape[2] + 2));
    const auto results = numbers_of<std::int32_t>(hs::ix(shape[1], shape[2]));
    const auto columns = numbers_of<std::int32_t>(hs::ix(shape[2]));
    const auto rows = numbers_of<std::int32_t>(hs::ix(shape[1]));
    const auto sums = hs::sum_on<0>(hs::zip_with(std::plus<>{}, x, larger));
    expect_same(sums, text_of(shape));
    expect_same(hs::zip_with(std::minus<>{}, hs::sum_on<0>(x), results), text_of(shape));
    expect_same(hs::imap([=](auto i, auto v) { return v * columns[i[1]]; }, hs::sum_on<0>(x)),
                text_of(shape));
    expect_same(hs::imap([=](auto i, auto v) { return v - rows[i[0]]; }, hs::sum_on<0>(x)),
                text_of(shape));
    expect_same(
        hs::imap([](auto i, auto v) { return v + hs::cast<std::int32_t>(i[1]); }, hs::sum_on<0>(x)),
        text_of(shape));
  }
}

TEST_P(FlatRows, OnlyTheLastAxes) {
  for (const Ix<3>& shape : images) {
    const auto x = numbers_of<std::int32_t>(shape);
    const auto of_images = numbers_of<std::int32_t>(hs::ix(shape[0]));
    expect_same(hs::imap([=](auto i, auto v) { return v * of_images[i[0]]; }, x), text_of(shape));
    expect_same(hs::imap(
                    [=](auto i, auto v) {
                      return v * of_images[i[0]] + hs::cast<std::int32_t>(hs::to_index(shape, i));
                    },
                    x),
                text_of(shape));
    // Four axes, of which the second is folded.
    const auto y = numbers_of<std::int32_t>(hs::ix(3, shape[0], shape[1], shape[2]));
    expect_same(hs::sum_on<1>(y), text_of(shape));
    expect_same(hs::scanl1_on<1>(std::plus<>{}, y), text_of(shape));
    expect_same(hs::sum_on<2>(y), text_of(shape));
  }
}

TEST_P(FlatRows, HistogramsOfImages) {
  for (const Ix<3>& shape : images) {
    const auto x = numbers_of<std::int32_t>(shape);
    const auto bins = hs::fill(hs::ix(40), hs::constant(std::int32_t{2}));
    expect_same(hs::permute(
                    std::plus<>{}, bins, [=](auto i) { return (x[i] & 63) - 3; }, x),
                text_of(shape));
    expect_same(hs::permute_unique(
                    hs::fill(shape, hs::constant(std::int32_t{0})),
                    [=](auto i) { return hs::ix(shape[0] - 1 - i[0], i[1], i[2]); }, x),
                text_of(shape));
  }
}

HASTEN_ON_EVERY_DEVICE(FlatRows);

}  // namespace
