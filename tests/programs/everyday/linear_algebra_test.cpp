// Products of matrices and vectors, and norms, compared with loops on the host, on small whole
// numbers, so that sums of floats are exact.
#include "tests/programs/support.hpp"

#include <complex>
#include <functional>
#include <limits>

using hs::Acc, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;

class LinearAlgebra : public hasten_test::OnEveryDevice {};

template <class T>
T small(Index i) {
  if constexpr (hs::detail::is_complex_leaf<T>) {
    return T(static_cast<float>(i * 31 % 7) - 3, static_cast<float>(i * 17 % 5) - 2);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(i * 31 % 7 - 3);  // unsigned numbers wrap
  } else {
    return static_cast<T>(static_cast<float>(i * 31 % 7) - 3);
  }
}
template <class T>
Matrix<T> matrix(Index rows, Index columns) {
  return Matrix<T>::from_function({rows, columns},
                                  [](hs::Ix<2> ix) { return small<T>(ix[0] * 5 + ix[1]); });
}
template <class T>
Vector<T> vector(Index n) {
  return Vector<T>::from_function({n}, [](hs::Ix<1> ix) { return small<T>(ix[0] + 2); });
}

template <class T>
Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b) {
  return Matrix<T>::from_function({a.shape()[0], b.shape()[1]}, [&](hs::Ix<2> ix) {
    T sum{};
    for (Index k = 0; k < a.shape()[1]; ++k)
      sum = static_cast<T>(sum + static_cast<T>(a(ix[0], k) * b(k, ix[1])));
    return sum;
  });
}
template <class T>
Matrix<T> as_column(const Vector<T>& v) {
  return Matrix<T>::from_function({v.size(), 1}, [&](hs::Ix<2> ix) { return v(ix[0]); });
}
template <class T>
Matrix<T> as_row(const Vector<T>& v) {
  return Matrix<T>::from_function({1, v.size()}, [&](hs::Ix<2> ix) { return v(ix[1]); });
}

template <class T>
void products_of_every_size(const hs::Options& options) {
  const auto multiply =
      hs::compile([](Acc<Matrix<T>> a, Acc<Matrix<T>> b) { return hs::matmul(a, b); }, options);
  const auto by_vector =
      hs::compile([](Acc<Matrix<T>> a, Acc<Vector<T>> b) { return hs::matmul(a, b); }, options);
  const auto of_vector =
      hs::compile([](Acc<Vector<T>> a, Acc<Matrix<T>> b) { return hs::matmul(a, b); }, options);
  const Index sizes[][3] = {{0, 3, 2}, {3, 0, 2},   {3, 2, 0},   {1, 1, 1},
                            {2, 3, 4}, {13, 7, 11}, {31, 65, 9}, {61, 67, 71}};
  for (const auto& [n, k, m] : sizes) {
    const auto a = matrix<T>(n, k), b = matrix<T>(k, m);
    EXPECT_EQ(multiply(a, b), product(a, b)) << n << " " << k << " " << m;
    const auto v = vector<T>(k);
    EXPECT_EQ(by_vector(a, v).to_vector(), product(a, as_column(v)).to_vector());
    EXPECT_EQ(of_vector(v, b).to_vector(), product(as_row(v), b).to_vector());
  }
}

TEST_P(LinearAlgebra, MatmulOfFloats) { products_of_every_size<float>(GetParam()); }
TEST_P(LinearAlgebra, MatmulOfDoubles) { products_of_every_size<double>(GetParam()); }
TEST_P(LinearAlgebra, MatmulOfIntegers) {
  products_of_every_size<int>(GetParam());
  products_of_every_size<std::int8_t>(GetParam());  // products wrap
  products_of_every_size<std::uint64_t>(GetParam());
}
TEST_P(LinearAlgebra, MatmulOfComplexNumbers) {
  products_of_every_size<std::complex<float>>(GetParam());
}

// Large enough for tiles and panels. The interpreter, which has neither, would take long.
TEST_P(LinearAlgebra, MatmulOfLargerMatrices) {
  if (GetParam().target.name() == "interpreter") return;
  const auto a = matrix<float>(260, 195), b = matrix<float>(260, 190);
  const auto c = run(hs::matmul(hs::transpose(hs::use(a)), hs::use(b) + hs::use(b)));
  ASSERT_EQ(c.shape(), hs::ix(195, 190));
  for (Index at = 0; at < c.size(); at += 37) {
    const Index i = at / 190, j = at % 190;
    float sum = 0;
    for (Index k = 0; k < 260; ++k) sum += a(k, i) * 2 * b(k, j);
    ASSERT_EQ(c(i, j), sum) << i << " " << j;
  }
}

TEST_P(LinearAlgebra, HalfIsAddedUpAsFloat) {
  const Index n = 5000;  // in half, 2048 + 1 is 2048
  const auto ones = hs::fill(hs::ix(2, n), hs::half(1));
  EXPECT_EQ(run(hs::matmul(ones, hs::transpose(ones)))(1, 1), hs::half(5000));
  const auto row = hs::fill(n, hs::bfloat16(1));
  EXPECT_EQ(run(hs::dot(row, row)).item(), hs::bfloat16(5000));
  EXPECT_EQ(run(hs::norm2(hs::fill(4096, hs::half(2)))).item(), hs::half(128));
}

TEST_P(LinearAlgebra, ProductsInAnotherType) {
  const auto bytes = hs::use(Matrix<std::int8_t>{{100, 100}, {-100, 100}});
  EXPECT_EQ(run(hs::matmul<int>(bytes, hs::transpose(bytes))),
            (Matrix<int>{{20000, 0}, {0, 20000}}));
  const auto v = hs::use(Vector<std::int8_t>{100, 100});
  EXPECT_EQ(run(hs::dot<int>(v, v)).item(), 20000);
  EXPECT_EQ(run(hs::dot<double>(v, v)).item(), 20000.0);
  EXPECT_EQ(run(hs::matmul<int>(v, v)).item(), 20000);
}

TEST_P(LinearAlgebra, DotAndOuter) {
  for (const Index n : {0, 1, 7, 1009}) {
    const auto a = vector<int>(n), b = vector<int>(n);
    int sum = 0;
    for (Index i = 0; i < n; ++i) sum += a(i) * b(i);
    EXPECT_EQ(run(hs::dot(hs::use(a), hs::use(b))).item(), sum);
    EXPECT_EQ(run(hs::matmul(hs::use(a), hs::use(b))).item(), sum);
  }
  for (const auto& [n, m] : {std::pair<Index, Index>{0, 3}, {1, 1}, {7, 5}, {31, 130}}) {
    const auto a = vector<float>(n), b = vector<float>(m);
    EXPECT_EQ(run(hs::outer(hs::use(a), hs::use(b))), product(as_column(a), as_row(b)));
  }
  using C = std::complex<double>;
  const auto z = hs::use(Vector<C>{{1, 2}, {3, -1}});
  EXPECT_EQ(run(hs::dot(z, z)).item(), (C{1, 2} * C{1, 2} + C{3, -1} * C{3, -1}));
  EXPECT_EQ(run(hs::dot(hs::conj(z), z)).item(), (C{15, 0}));
}

TEST_P(LinearAlgebra, Norms) {
  const auto m = hs::use(Matrix<float>{{3, 4}, {5, 12}});
  EXPECT_EQ(run(hs::norm2(m)), (Vector<float>{5, 13}));
  EXPECT_EQ(run(hs::norm2_on<1>(m)), (Vector<float>{5, 13}));
  EXPECT_EQ(run(hs::norm2_on<0>(hs::transpose(m))), (Vector<float>{5, 13}));
  EXPECT_FLOAT_EQ(run(hs::norm2_all(m)).item(), std::sqrt(194.0f));
  EXPECT_EQ(run(hs::norm2(hs::use(Vector<double>{}))).item(), 0.0);
  const auto z = hs::use(Vector<std::complex<float>>{{3, 0}, {0, 4}});
  EXPECT_EQ(run(hs::norm2(z)).item(), 5.0f);
}

// An addend of a product and the function of the sum are part of the product's kernel.
TEST_P(LinearAlgebra, ALayerIsOneKernel) {
  auto layer = hs::compile(
      [](Acc<Matrix<float>> x, Acc<Matrix<float>> weights, Acc<Vector<float>> bias) {
        const auto y = hs::matmul(x, weights);
        return hs::max(y + hs::broadcast(hs::shape(y), bias), 0.0f);
      },
      GetParam());
  const auto x = matrix<float>(33, 20), w = matrix<float>(20, 47);
  const auto bias = vector<float>(47);
  const auto plain = product(x, w);
  const auto expected = Matrix<float>::from_function(
      {33, 47}, [&](hs::Ix<2> ix) { return std::max(plain(ix[0], ix[1]) + bias(ix[1]), 0.0f); });
  EXPECT_EQ(layer(x, w, bias), expected);
  EXPECT_EQ(layer.kernel_count(), 1);
}

HASTEN_ON_EVERY_DEVICE(LinearAlgebra);

}  // namespace
