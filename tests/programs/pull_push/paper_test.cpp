// The paper's programs, with pull and push arrays and with plain arrays.
#include "../../../examples/programs/matmul.hpp"
#include "../../../examples/programs/pull_push.hpp"
#include "../../../examples/programs/pull_push_paper.hpp"
#include "tests/programs/support.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using hs::Acc, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;

class PushPrograms : public hasten_test::OnEveryDevice {};

Matrix<float> picture(Index height, Index width) {
  return Matrix<float>::from_function({height, width}, [](hs::Ix<2> at) {
    return static_cast<float>(at[0] * 31 % 17 + at[1] * 7 % 13);
  });
}

TEST_P(PushPrograms, EdgesAreOneKernel) {
  const auto f = hs::compile(programs::pulled_edges, GetParam());
  EXPECT_EQ(f.kernel_count(), 1);
  for (const Index width : {1, 3, 70}) {
    const auto image = picture(9, width);
    EXPECT_EQ(f(image), hs::compile(programs::sobel, GetParam())(image)) << width;
  }
}

// Sums of small whole numbers are exact in any order.
TEST_P(PushPrograms, BlurByAxes) {
  const auto f = hs::compile(programs::blur_by_axes, GetParam());
  EXPECT_EQ(f.kernel_count(), 2);
  for (const Index width : {1, 5, 70}) {
    const auto image = picture(9, width);
    EXPECT_EQ(f(image), hs::compile(programs::pulled_blur, GetParam())(image)) << width;
  }
}

// One kernel, which keeps sums of columns or of rows.
TEST_P(PushPrograms, BlurInAWindow) {
  for (const auto program : {programs::blur_in_a_window, programs::blur_in_five_rows}) {
    const auto f = hs::compile(program, GetParam());
    EXPECT_EQ(f.kernel_count(), 1);
    for (const Index height : {1, 2, 4, 9, 41})
      for (const Index width : {1, 4, 5, 70, 300}) {
        const auto image = picture(height, width);
        EXPECT_EQ(f(image), hs::compile(programs::pulled_blur, GetParam())(image))
            << height << " x " << width;
      }
  }
}

TEST_P(PushPrograms, MatrixProduct) {
  const auto a = picture(17, 40), b = picture(40, 23);
  EXPECT_EQ(hs::compile(programs::pulled_matmul, GetParam())(a, b),
            hs::compile(programs::matmul, GetParam())(a, b));
}

TEST_P(PushPrograms, Mandelbrot) {
  const programs::View view{-2.25f, -0.84375f, 3.0f, 1.6875f};
  const auto size = hs::ix(20, 33);
  const auto steps = hs::compile(programs::pulled_mandelbrot, GetParam())(size, view, 50);
  EXPECT_EQ(steps, hs::compile(programs::mandelbrot, GetParam())(size, view, 50));
  EXPECT_EQ(*std::ranges::max_element(steps.span()), 50);
}

TEST_P(PushPrograms, BitonicSort) {
  for (const Index n : {2, 64, 128}) {
    std::vector<float> x;
    for (Index i = 0; i < n; ++i) x.push_back(static_cast<float>(i * 89 % 127));
    const auto v = hasten_test::vector_of(x);
    std::ranges::sort(x);
    const auto sorted = [n](Acc<Vector<float>> a) { return programs::bitonic_sort(n, a); };
    const auto plain = [n](Acc<Vector<float>> a) { return programs::plain_bitonic_sort(n, a); };
    EXPECT_EQ(hs::compile(sorted, GetParam())(v), hasten_test::vector_of(x)) << n;
    EXPECT_EQ(hs::compile(plain, GetParam())(v), hasten_test::vector_of(x)) << n;
  }
}

TEST_P(PushPrograms, PascalsRows) {
  std::vector<float> row(40, 0.0f);
  row[0] = 1;
  const auto first = hasten_test::vector_of(row);
  constexpr Index rows = 9;
  for (Index k = 0; k < rows; ++k)
    for (std::size_t i = row.size(); i-- > 0;) row[i] = (row[i > 0 ? i - 1 : 0] + row[i]) * 0.5f;
  EXPECT_EQ(hs::compile(programs::pascal, GetParam())(rows, first), hasten_test::vector_of(row));
  EXPECT_EQ(hs::compile(programs::plain_pascal, GetParam())(rows, first),
            hasten_test::vector_of(row));
}

HASTEN_ON_EVERY_DEVICE(PushPrograms);

}  // namespace
