// Rows that are contiguous in all that is read and written are run as one: short rows, beside
// arrays whose rows do and do not have the space's length.
#include "../support.hpp"

#include <cstdint>
#include <string>
#include <vector>

using hs::Acc, hs::Array, hs::Exp, hs::Matrix;

namespace {

class FlatRows : public hasten_test::OnEveryDevice {
 protected:
  template <class P>
  static void expect_same(const P& program, const std::string& what) {
    EXPECT_EQ(run(program), hs::run(program, {.target = hs::interpreter()})) << what;
  }
};

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

HASTEN_ON_EVERY_DEVICE(FlatRows);

}  // namespace
