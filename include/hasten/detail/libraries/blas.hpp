// The machine's BLAS, opened at run time; defined in src/libraries/blas.cpp.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

namespace hasten::detail {

template <class T>
inline constexpr bool is_blas_number =
    std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

/// How a matrix is used: as stored, transposed, or conjugate-transposed. The values are those of
/// cblas.h.
enum class BlasForm : int { plain = 111, transposed = 112, adjoint = 113 };

/// The library's file name, "libopenblas.so.0". If it is empty, there is no library, and none of
/// the functions below may be called.
[[nodiscard]] const char* blas_file();

// Matrices are row-major and contiguous. Extents beyond 32 bits are a ShapeError. Instantiated for
// float, double and complex numbers of these.

/// c = alpha op(a) op(b) + beta c, where op(a) is m x k and op(b) k x n. If beta is 0, c is not
/// read.
template <class T>
struct BlasProduct {
  BlasForm form_a, form_b;
  std::int64_t m, n, k;
  T alpha;
  const T *a, *b;
  T beta;
  T* c;
};
template <class T>
void blas_gemm(const BlasProduct<T>& product);

/// y = op(a) x, where `a` has the given numbers of rows and columns in memory.
template <class T>
void blas_gemv(BlasForm form, std::int64_t rows, std::int64_t columns, const T* a, const T* x,
               T* y);
/// The sum of products; complex numbers are not conjugated.
template <class T>
[[nodiscard]] T blas_dot(std::int64_t n, const T* x, const T* y);
/// y += alpha x.
template <class T>
void blas_axpy(std::int64_t n, T alpha, const T* x, T* y);

}  // namespace hasten::detail
