// The machine's BLAS through blas.hpp: the library's results on the CPU and on CUDA devices, the
// language's elsewhere; all are near those of a plain loop.
#include "../support.hpp"

#include <hasten/libraries/blas.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <sstream>
#include <string>

using hs::Acc, hs::Array, hs::Matrix, hs::Vector, hs::blas::Form;

namespace {

template <class T>
T number(std::int64_t i) {
  const auto x = static_cast<double>(i * 37 % 11) - 5;
  if constexpr (hs::detail::is_complex_leaf<T>)
    return T(static_cast<typename T::value_type>(x), static_cast<typename T::value_type>(i % 3));
  else
    return static_cast<T>(x);
}

template <class T>
Matrix<T> matrix(std::int64_t rows, std::int64_t columns, std::int64_t from = 0) {
  return Matrix<T>::from_function(
      {rows, columns}, [=](hs::Ix<2> i) { return number<T>(from + i[0] * columns + i[1]); });
}
template <class T>
Vector<T> vector(std::int64_t n, std::int64_t from = 0) {
  return Vector<T>::from_function({n}, [=](hs::Ix<1> i) { return number<T>(from + i[0]); });
}

// The element of a matrix as the product uses it.
template <class T>
T at(const Matrix<T>& a, Form form, std::int64_t row, std::int64_t column) {
  if (form == Form::plain) return a(row, column);
  const T x = a(column, row);
  if constexpr (hs::detail::is_complex_leaf<T>)
    return form == Form::adjoint ? std::conj(x) : x;
  else
    return x;
}

// All numbers are small integers, so that every order of a sum has the same result.
template <class T>
Matrix<T> plain_product(const Matrix<T>& a, Form form_a, const Matrix<T>& b, Form form_b) {
  const std::int64_t m = a.shape()[form_a == Form::plain ? 0 : 1],
                     k = a.shape()[form_a == Form::plain ? 1 : 0],
                     n = b.shape()[form_b == Form::plain ? 1 : 0];
  return Matrix<T>::from_function({m, n}, [&](hs::Ix<2> i) {
    T sum{};
    for (std::int64_t j = 0; j < k; ++j) sum += at(a, form_a, i[0], j) * at(b, form_b, j, i[1]);
    return sum;
  });
}

class Blas : public hasten_test::OnEveryDevice {
 protected:
  static bool is_cuda() { return hs::test::kind_of(GetParam().target.name()) == "cuda"; }
  void SetUp() override {
    OnEveryDevice::SetUp();
    if (!IsSkipped() && hs::blas::library().empty() && hs::test::is_promised("blas"))
      FAIL() << "no BLAS was found";
    if (!IsSkipped() && is_cuda() && hs::blas::cuda_library().empty() &&
        hs::test::is_promised("cublas"))
      FAIL() << "no cuBLAS was found";
  }

  template <class T>
  static void check_products(std::int64_t m, std::int64_t n, std::int64_t k) {
    for (const Form form_a : {Form::plain, Form::transposed, Form::adjoint})
      for (const Form form_b : {Form::plain, Form::transposed}) {
        const auto a = form_a == Form::plain ? matrix<T>(m, k) : matrix<T>(k, m);
        const auto b = form_b == Form::plain ? matrix<T>(k, n, 5) : matrix<T>(n, k, 5);
        const auto c = matrix<T>(m, n, 9);
        const auto product = plain_product(a, form_a, b, form_b);
        EXPECT_EQ(run(hs::blas::gemm(hs::use(a), hs::use(b), form_a, form_b)), product)
            << m << " " << n << " " << k;
        const auto sum = Matrix<T>::from_function(
            {m, n}, [&](hs::Ix<2> i) { return T(2) * product(i[0], i[1]) - T(3) * c(i[0], i[1]); });
        EXPECT_EQ(run(hs::blas::gemm(T(2), hs::use(a), hs::use(b), hs::parameter(T(-3)), hs::use(c),
                                     form_a, form_b)),
                  sum);
      }
  }

  template <class T>
  static void check_vectors(std::int64_t n) {
    const auto x = vector<T>(n), y = vector<T>(n, 4);
    T sum{};
    for (std::int64_t i = 0; i < n; ++i) sum += x(i) * y(i);
    EXPECT_EQ(run(hs::blas::dot(hs::use(x), hs::use(y))).item(), sum);
    EXPECT_EQ(run(hs::blas::axpy(T(3), hs::use(x), hs::use(y))),
              Vector<T>::from_function({n}, [&](hs::Ix<1> i) { return T(3) * x(i[0]) + y(i[0]); }));
    const auto a = matrix<T>(7, n);
    const auto column = run(hs::reshape(hs::Ix(n, 1), hs::use(x)));
    EXPECT_EQ(run(hs::blas::gemv(hs::use(a), hs::use(x))).to_vector(),
              plain_product(a, Form::plain, column, Form::plain).to_vector());
    EXPECT_EQ(run(hs::blas::gemv(hs::use(matrix<T>(n, 5)), hs::use(x), Form::adjoint)).to_vector(),
              plain_product(matrix<T>(n, 5), Form::adjoint, column, Form::plain).to_vector());
  }

  template <class T>
  static void check_type() {
    for (const std::int64_t n : {0, 1, 3, 33}) {
      check_products<T>(n, 5, 4), check_products<T>(5, n, 4), check_products<T>(5, 4, n);
      check_vectors<T>(n);
    }
    const auto a = Array<T, 3>::from_function(
        {3, 4, 5}, [](hs::Ix<3> i) { return number<T>(i[0] * 20 + i[1] * 5 + i[2]); });
    const auto b = run(hs::reverse(hs::use(a)));
    const auto batches = run(hs::blas::gemm(hs::use(a), hs::use(b), Form::adjoint, Form::plain));
    ASSERT_EQ(batches.shape(), hs::Ix(3, 5, 5));
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto one = [&](const Array<T, 3>& of) {
        return run(hs::slice(hs::over(i, hs::keep, hs::keep), hs::use(of)));
      };
      EXPECT_EQ(one(batches), plain_product(one(a), Form::adjoint, one(b), Form::plain));
    }
    const auto twice = run(hs::blas::gemm(T(1), hs::use(a), hs::use(b), T(1), hs::use(batches),
                                          Form::adjoint, Form::plain));
    for (std::int64_t i = 0; i < batches.size(); ++i)
      EXPECT_EQ(twice(i / 25, i / 5 % 5, i % 5), T(2) * batches(i / 25, i / 5 % 5, i % 5));
  }
};

TEST_P(Blas, GivesProductsOfEveryForm) {
  check_type<float>();
  check_type<double>();
  check_type<std::complex<float>>();
  check_type<std::complex<double>>();
}

// explain() names the library where it is called, and only there.
TEST_P(Blas, IsSaidByExplain) {
  const auto f = hs::compile(
      [](const Acc<Matrix<float>>& a, const Acc<Matrix<float>>& b) { return hs::blas::gemm(a, b); },
      GetParam());
  std::ostringstream text;
  text << f.explain();
  const bool on_host =
      GetParam().target.name() == "cpu" || GetParam().target.name() == "interpreter";
  const bool by_cublas = is_cuda() && !hs::blas::cuda_library().empty();
  const bool by_blas = on_host && !hs::blas::library().empty();
  const auto says = [&](const char* name) { return text.str().find(name) != std::string::npos; };
  EXPECT_EQ(says("cublas::gemm"), by_cublas) << text.str();
  EXPECT_EQ(says("blas::gemm"), by_blas || by_cublas) << text.str();
}

TEST_P(Blas, WrongExtentsAreErrors) {
  const auto a = hs::use(matrix<float>(3, 4)), b = hs::use(matrix<float>(3, 4));
  const auto x = hs::use(vector<float>(3)), y = hs::use(vector<float>(4));
  EXPECT_THROW((void)run(hs::blas::gemm(a, b)), hs::ShapeError);
  EXPECT_NO_THROW((void)run(hs::blas::gemm(a, b, Form::plain, Form::transposed)));
  EXPECT_THROW((void)run(hs::blas::gemm(1.0F, a, b, 1.0F, b, Form::plain, Form::transposed)),
               hs::ShapeError);
  const auto batches = [](std::int64_t n) {
    return hs::use(Array<float, 3>::from_function({n, 2, 2}, [](hs::Ix<3>) { return 1.0F; }));
  };
  EXPECT_THROW((void)run(hs::blas::gemm(batches(3), batches(2))), hs::ShapeError);
  EXPECT_THROW((void)run(hs::blas::gemm(1.0F, batches(3), batches(3), 1.0F, batches(1))),
               hs::ShapeError);
  EXPECT_THROW((void)run(hs::blas::gemm(1.0F, batches(1), batches(1), 1.0F, batches(3))),
               hs::ShapeError);
  EXPECT_THROW((void)run(hs::blas::gemv(a, x)), hs::ShapeError);
  EXPECT_THROW((void)run(hs::blas::dot(x, y)), hs::ShapeError);
  EXPECT_THROW((void)run(hs::blas::axpy(2.0F, x, y)), hs::ShapeError);
}

// As in BLAS, operands that are multiplied by 0 are not read.
TEST_P(Blas, ZeroTimesAnythingIsZero) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const Matrix<float> a{{1, 2}, {3, 4}}, c{{none, 1}, {1, INFINITY}};
  EXPECT_EQ(run(hs::blas::gemm(1.0F, hs::use(a), hs::use(a), 0.0F, hs::use(c))),
            (Matrix<float>{{7, 10}, {15, 22}}));
  EXPECT_EQ(run(hs::blas::gemm(0.0F, hs::use(c), hs::use(a), 2.0F, hs::use(a))),
            (Matrix<float>{{2, 4}, {6, 8}}));
  EXPECT_EQ(run(hs::blas::axpy(0.0F, hs::use(Vector<float>{none, INFINITY}),
                               hs::use(Vector<float>{1, 2}))),
            (Vector<float>{1, 2}));
}

HASTEN_ON_EVERY_DEVICE(Blas);

}  // namespace
