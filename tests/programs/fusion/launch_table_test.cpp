// Programs as users write them: the number of launches of one call, and the intermediate arrays
// that are stored.
#include "tests/programs/fusion/launch_counts.hpp"

#include <complex>
#include <functional>
#include <numbers>
#include <sstream>

using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

using Index = std::int64_t;
using hasten_test::some_matrix, hasten_test::some_vector;

class LaunchTable : public hasten_test::LaunchCounts {};

// -- sparse matrices ------------------------------------------------------------------------------

// Compressed sparse rows: row i has the entries from offsets[i] up to, but excluding, offsets[i +
// 1].
const auto sparse_times_dense = [](Acc<Vector<Index>> offsets, Acc<Vector<Index>> columns,
                                   Acc<Vector<float>> values, Acc<Vector<float>> x) {
  const auto products =
      hs::zip_with([=](auto column, auto value) { return value * x[column]; }, columns, values);
  return hs::fold_seg_offsets(std::plus<>{}, 0.0f, products, offsets);
};

using Sparse = std::tuple<Vector<Index>, Vector<Index>, Vector<float>, Vector<float>>;
// Row i has i % most entries.
Sparse sparse(Index rows, Index columns, Index most) {
  std::vector<Index> offsets{0}, at;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < i % most; ++j) at.push_back((13 * i + 7 * j) % columns);
    offsets.push_back(static_cast<Index>(at.size()));
  }
  return {hasten_test::vector_of(offsets), hasten_test::vector_of(at),
          some_vector(static_cast<Index>(at.size())), some_vector(columns)};
}

// One launch; the first call with these offsets has another one, which checks that they ascend.
TEST_P(LaunchTable, SparseMatrixTimesDenseVector) {
  expect(1, sparse_times_dense,
         std::vector<Sparse>{sparse(1, 1, 1), sparse(7, 5, 3), sparse(1000, 300, 40)});
  expect_stored({"fold_seg_offsets"}, sparse_times_dense);
}

TEST_P(LaunchTable, OtherOffsetsAreCheckedAgain) {
  const auto multiply = hs::compile(sparse_times_dense, GetParam());
  const auto [offsets, columns, values, x] = sparse(100, 50, 7);
  const Vector<float> first = multiply(offsets, columns, values, x);
  const auto launches_of = [&](const Vector<Index>& given) {
    const auto before = hs::statistics();
    EXPECT_EQ(multiply(given, columns, values, x), first);
    return (hs::statistics() - before).launches;
  };
  const Index one = is_interpreted() ? 0 : 1;
  EXPECT_EQ(launches_of(offsets), one);
  EXPECT_EQ(launches_of(Vector<Index>(offsets)), one);  // shares its elements
  EXPECT_EQ(launches_of(hasten_test::vector_of(offsets.to_vector())), 2 * one);  // has its own
  std::vector<Index> falling = offsets.to_vector();
  std::swap(falling[40], falling[50]);
  const Vector<Index> wrong = hasten_test::vector_of(falling);
  for (int i = 0; i < 2; ++i) EXPECT_THROW(multiply(wrong, columns, values, x), hs::ShapeError);
  EXPECT_EQ(launches_of(offsets), one);
  // The owner of borrowed memory may write there.
  std::vector<Index> own = offsets.to_vector();
  const auto lent = Vector<Index>::borrow(static_cast<Index>(own.size()), own.data(), [] {});
  EXPECT_EQ(launches_of(lent), 2 * one);
  EXPECT_EQ(launches_of(lent), 2 * one);
}

// -- joined arrays --------------------------------------------------------------------------------

TEST_P(LaunchTable, PartsOfAConcat) {
  const auto of_vectors = [](Acc<Vector<float>> a, Acc<Vector<float>> b) {
    return hs::concat(a, hs::reverse(b) * 2.0f, hs::map([](auto x) { return hs::sqrt(x); }, a),
                      hs::fill(hs::size(b), Exp<float>(7.0f)));
  };
  std::vector<std::tuple<Vector<float>, Vector<float>>> calls;
  for (const auto& [m, n] : {std::pair<Index, Index>{0, 1}, {1, 0}, {7, 31}, {64, 65}, {40'009, 3}})
    calls.emplace_back(some_vector(m), some_vector(n));
  expect(1, of_vectors, calls);
  expect_stored({}, of_vectors);
}

TEST_P(LaunchTable, PartsOfAConcatOnEachAxis) {
  using Cube = hs::Array<float, 3>;
  const auto on_axes = [](Acc<Cube> a, Acc<Cube> b) {
    return std::tuple{hs::concat_on<0>(a, b, a), hs::concat_on<1>(b, a + 1.0f),
                      hs::concat_on<2>(a, b)};
  };
  const auto cube = [](Index l, Index m, Index n) {
    return Cube::from_function(hs::ix(l, m, n), [](Ix<3> ix) {
      return static_cast<float>((ix[0] + 3 * ix[1] + ix[2]) % 7);
    });
  };
  std::vector<std::tuple<Cube, Cube>> calls;
  calls.emplace_back(cube(1, 1, 1), cube(1, 1, 1));
  calls.emplace_back(cube(3, 5, 7), cube(2, 6, 33));
  calls.emplace_back(cube(2, 0, 7), cube(2, 6, 4));
  calls.emplace_back(cube(9, 33, 130), cube(8, 40, 65));
  expect(3, on_axes, calls);
}

// A launch for each part costs less for large parts than a test for each element.
TEST_P(LaunchTable, LargePartsOfAConcat) {
  const auto twice = [](Acc<Vector<float>> a) { return hs::concat(a, a + 1.0f); };
  expect(1, twice, std::vector{std::tuple{some_vector(1 << 16)}});
  expect(2, twice, std::vector{std::tuple{some_vector((1 << 16) + 1)}});
}

// A kernel does not hold the code of arbitrarily many parts.
TEST_P(LaunchTable, ManyPartsOfAConcat) {
  const auto parts = [](Index count) {
    return [=](Acc<Vector<float>> a) {
      std::vector<Acc<Vector<float>>> all;
      for (Index i = 0; i < count; ++i) all.push_back(a + static_cast<float>(i));
      return hs::concat(all);
    };
  };
  expect(1, parts(8), std::vector{std::tuple{some_vector(100)}});
  expect(9, parts(9), std::vector{std::tuple{some_vector(100)}});
}

// -- conjugate gradients --------------------------------------------------------------------------

using Field = Matrix<float>;

// -laplace u, with u = 0 beyond the border.
Acc<Field> laplacian(const Acc<Field>& u) {
  return hs::stencil(
      [](auto at) { return 4.0f * at(0, 0) - at(-1, 0) - at(1, 0) - at(0, -1) - at(0, 1); },
      hs::boundary::outside(0.0f), u);
}

// x, the residual, the search direction, and the residual's square.
const auto conjugate_gradients = [](Acc<Field> x, Acc<Field> r, Acc<Field> p,
                                    Acc<Scalar<float>> square) {
  const auto q = laplacian(p);
  const auto alpha = hs::the(square) / hs::the(hs::sum_all(p * q));
  const auto next_x = x + alpha * p;
  const auto next_r = r - alpha * q;
  const auto next_square = hs::sum_all(next_r * next_r);
  const auto beta = hs::the(next_square) / hs::the(square);
  return std::tuple{next_x, next_r, next_r + beta * p, next_square};
};

// Launches: the operator with its product with the direction; the residual with its square; the
// rest.
TEST_P(LaunchTable, AStepOfConjugateGradients) {
  std::vector<std::tuple<Field, Field, Field, Scalar<float>>> calls;
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {3, 7}, {61, 130}})
    calls.emplace_back(some_matrix(rows, columns), some_matrix(rows, columns),
                       some_matrix(rows, columns), Scalar<float>{5});
  expect(3, conjugate_gradients, calls, 1e-4);
  expect_stored({"stencil", "sum_all"}, conjugate_gradients);
}

// -- layers of neural nets ------------------------------------------------------------------------

Acc<Matrix<float>> product(const Acc<Matrix<float>>& a, const Acc<Matrix<float>>& b) {
  const auto n = hs::shape(a)[0], m = hs::shape(b)[1];
  const auto rows = hs::replicate(hs::over(hs::keep, m, hs::keep), a);
  const auto columns = hs::replicate(hs::over(n, hs::keep, hs::keep), hs::transpose(b));
  return hs::sum(hs::zip_with(std::multiplies<>{}, rows, columns));
}

Acc<Matrix<float>> before_activation(const Acc<Matrix<float>>& x, const Acc<Matrix<float>>& w,
                                     const Acc<Vector<float>>& bias) {
  return product(x, w) + hs::replicate(hs::over(hs::shape(x)[0], hs::keep), bias);
}

using Layer = std::tuple<Matrix<float>, Matrix<float>, Vector<float>>;

TEST_P(LaunchTable, ADenseLayer) {
  const auto layer = [](Acc<Matrix<float>> x, Acc<Matrix<float>> w, Acc<Vector<float>> bias) {
    return hs::max(before_activation(x, w, bias), 3.0f);
  };
  std::vector<Layer> calls;
  for (const auto& [n, k, m] : {std::tuple{1, 1, 1}, {3, 0, 2}, {70, 90, 80}, {130, 67, 97}})
    calls.emplace_back(some_matrix(n, k), some_matrix(k, m), some_vector(m));
  expect(1, layer, calls);
  expect_stored({}, layer);
}

// The gradients by x, w and bias, from the gradient by the layer's results.
TEST_P(LaunchTable, TheBackwardPassOfADenseLayer) {
  const auto backward = [](Acc<Matrix<float>> x, Acc<Matrix<float>> w, Acc<Vector<float>> bias,
                           Acc<Matrix<float>> by_result) {
    const auto gradient =
        hs::zip_with([](auto z, auto g) { return hs::select(z > 300.0f, g, 0.5f * g); },
                     before_activation(x, w, bias), by_result);
    return std::tuple{product(gradient, hs::transpose(w)), product(hs::transpose(x), gradient),
                      hs::sum(hs::transpose(gradient))};
  };
  std::vector<std::tuple<Matrix<float>, Matrix<float>, Vector<float>, Matrix<float>>> calls;
  for (const auto& [n, k, m] : {std::tuple{1, 1, 1}, {5, 3, 2}, {70, 50, 60}})
    calls.emplace_back(some_matrix(n, k), some_matrix(k, m), some_vector(m), some_matrix(n, m));
  expect(4, backward, calls);
  expect_stored({"zip_with"}, backward);
}

// -- Fourier transforms ---------------------------------------------------------------------------

using Complex = std::complex<float>;

// Stockham's method in passes of radix 4, for n = 4^k.
const auto fourier = [](Acc<Vector<Complex>> x) {
  const auto n = hs::size(x), quarter = n / 4;
  const auto pass = [=](Acc<Vector<Complex>> a, Acc<Scalar<Index>> width) {
    const auto m = hs::the(width), l = quarter / m;
    const auto next = hs::generate(n, [=](Exp<Index> i) {
      const auto k = i % m, block = i / m, j = block / 4, part = block % 4;
      const auto at = k + j * m;
      const auto x0 = a[at], x1 = a[at + quarter], x2 = a[at + 2 * quarter],
                 x3 = a[at + 3 * quarter];
      const auto sum = x0 + x2, difference = x0 - x2, sum13 = x1 + x3;
      const auto turned = Exp<Complex>(Complex(0, -1)) * (x1 - x3);
      const auto even = hs::select(part == 0, sum + sum13, sum - sum13);
      const auto odd = hs::select(part == 1, difference + turned, difference - turned);
      const auto angle =
          -0.5f * std::numbers::pi_v<float> * hs::cast<float>(j * part) / hs::cast<float>(l);
      return hs::select(part % 2 == 0, even, odd) * hs::polar(Exp<float>(1), angle);
    });
    return std::tuple{next, hs::unit(4 * m)};
  };
  auto [result, width] =
      hs::awhile([=](Acc<Vector<Complex>>, Acc<Scalar<Index>> m) { return hs::the(m) < n; }, pass,
                 std::tuple{x, hs::unit(Exp<Index>(1))});
  return result;
};

Vector<Complex> some_signal(Index n) {
  return Vector<Complex>::from_function(n, [](Ix<1> ix) {
    return Complex(static_cast<float>(ix[0] * 7 % 5), static_cast<float>(ix[0] % 3));
  });
}

TEST_P(LaunchTable, FourierTransformsInPassesOfRadix4) {
  const auto transform = hs::compile(fourier, GetParam());
  for (const Index n : {1, 4, 16, 256}) {
    const auto x = some_signal(n), result = transform(x);
    for (Index k = 0; k < n; ++k) {
      std::complex<double> sum;
      for (Index j = 0; j < n; ++j)
        sum += std::complex<double>(x(j)) *
               std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k % n) /
                                   static_cast<double>(n));
      EXPECT_NEAR(std::abs(std::complex<double>(result(k)) - sum), 0, 1e-3) << n << ", " << k;
    }
  }
  if (is_interpreted()) return;
  const auto before = hs::statistics();
  transform(some_signal(1 << 18));
  EXPECT_EQ((hs::statistics() - before).launches, 9) << transform.explain();
}

// -- stencils -------------------------------------------------------------------------------------

Acc<Field> blurred(const Acc<Field>& u) {
  return hs::stencil(
      [](auto at) {
        Exp<float> sum = 4.0f * at(0, 0);
        for (int i = -1; i <= 1; ++i)
          for (int j = -1; j <= 1; ++j) sum += at(i, j) * (i * j == 0 ? 2.0f : 1.0f);
        return sum * 0.0625f;
      },
      hs::boundary::clamp, u);
}

TEST_P(LaunchTable, FiveIterationsOfAStencil) {
  std::vector<std::tuple<Field>> calls;
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {2, 3}, {61, 130}})
    calls.emplace_back(some_matrix(rows, columns));
  const auto in_a_loop = [](Acc<Field> u) { return hs::aiterate(5, blurred, u); };
  const auto unrolled = [](Acc<Field> u) {
    for (int i = 0; i < 5; ++i) u = blurred(u);
    return u;
  };
  expect(5, in_a_loop, calls, 1e-5);
  expect(5, unrolled, calls, 1e-5);
  expect_stored({"stencil", "stencil", "stencil", "stencil"}, unrolled);
}

// -- cliffs ---------------------------------------------------------------------------------------

// The kernels that explain() shows: "fold of rank 1, (f32) -> (f32)".
std::vector<std::string> kernels_of(const std::string& explained) {
  std::vector<std::string> result;
  std::istringstream lines(explained);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("kernel ")) result.push_back(line.substr(line.find(": ") + 2));
  return result;
}

TEST_P(LaunchTable, SumsOverAllAxes) {
  using Cube = hs::Array<float, 3>;
  const auto squares = [](Acc<Cube> a) { return hs::sum_all(a * a); };
  std::vector<std::tuple<Cube>> calls;
  for (const auto& [l, m, n] : {std::tuple<Index, Index, Index>{0, 3, 2}, {1, 1, 1}, {130, 70, 3}})
    calls.emplace_back(Cube::from_function(hs::ix(l, m, n), [](Ix<3> ix) {
      return static_cast<float>((ix[0] + 3 * ix[1] + ix[2]) % 4);
    }));
  expect(1, squares, calls);
  expect_stored({}, squares);
  if (is_interpreted()) return;
  EXPECT_EQ(kernels_of(hs::compile(squares, GetParam()).explain().str()),
            std::vector<std::string>{"fold of rank 3, (f32) -> (f32)"});
}

TEST_P(LaunchTable, ACostlyFactorIsStoredAsItIsComputed) {
  const auto program = [](Acc<Matrix<float>> x, Acc<Matrix<float>> y) {
    const auto d = hs::map([](auto e) { return hs::exp(hs::sin(e)); }, y);
    return product(hs::transpose(x), d);
  };
  std::vector<std::tuple<Matrix<float>, Matrix<float>>> calls;
  for (const auto& [n, k, m] : {std::tuple{1, 1, 1}, {0, 3, 2}, {70, 50, 60}})
    calls.emplace_back(some_matrix(n, k), some_matrix(n, m));
  expect(2, program, calls, 1e-4);
  expect_stored({"map"}, program);
}

TEST_P(LaunchTable, ArgumentsOfTheMinimumOfSquares) {
  using Cube = hs::Array<float, 3>;
  const auto program = [](Acc<Cube> a, Acc<Cube> b) {
    const auto d = a - b;
    return hs::argmin(hs::sum(d * d));
  };
  std::vector<std::tuple<Cube, Cube>> short_rows, long_rows;
  const auto cube = [](Index l, Index m, Index n, Index step) {
    return Cube::from_function(hs::ix(l, m, n), [=](Ix<3> ix) {
      return static_cast<float>((ix[0] + step * ix[1] + ix[2]) % 7);
    });
  };
  for (const auto& [l, m, n] : {std::tuple<Index, Index, Index>{1, 1, 1}, {4, 3, 0}, {130, 9, 3}})
    short_rows.emplace_back(cube(l, m, n, 2), cube(l, m, n, 3));
  long_rows.emplace_back(cube(20, 9, 100, 2), cube(20, 9, 100, 3));
  expect(1, program, short_rows);
  expect(2, program, long_rows);
  expect_stored({}, program);
}

HASTEN_ON_EVERY_DEVICE(LaunchTable);

}  // namespace
