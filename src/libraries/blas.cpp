// cblas's functions, looked up once. Sizes are its ints.
#include <hasten/detail/libraries/blas.hpp>

#include "support/env.hpp"

#include <hasten/run/error.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace hasten::detail {
namespace {

constexpr int row_major = 101;

template <class T>
inline constexpr bool is_complex = !std::is_floating_point_v<T>;
// Complex numbers go by address, and so do results of them.
template <class T>
using Number = std::conditional_t<is_complex<T>, const void*, T>;
template <class T>
using Data = std::conditional_t<is_complex<T>, void, T>;

template <class T>
Number<T> passed(const T& x) {
  if constexpr (is_complex<T>) {
    return &x;
  } else {
    return x;
  }
}

template <class T>
struct Functions {
  void (*gemm)(int, int, int, int, int, int, Number<T>, const Data<T>*, int, const Data<T>*, int,
               Number<T>, Data<T>*, int) = nullptr;
  void (*gemv)(int, int, int, int, Number<T>, const Data<T>*, int, const Data<T>*, int, Number<T>,
               Data<T>*, int) = nullptr;
  void (*axpy)(int, Number<T>, const Data<T>*, int, Data<T>*, int) = nullptr;
  T (*dot)(int, const T*, int, const T*, int) = nullptr;                     // of real numbers
  void (*dot_to)(int, const void*, int, const void*, int, void*) = nullptr;  // of complex ones
};

struct Blas {
  std::string file;
  Functions<float> s;
  Functions<double> d;
  Functions<std::complex<float>> c;
  Functions<std::complex<double>> z;
};

template <class F>
bool find(void* library, const std::string& name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, ("cblas_" + name).c_str()));
  return function != nullptr;
}

template <class T>
bool find_all(void* library, const std::string& letter, Functions<T>& functions) {
  const bool has_dot = is_complex<T> ? find(library, letter + "dotu_sub", functions.dot_to)
                                     : find(library, letter + "dot", functions.dot);
  return has_dot && find(library, letter + "gemm", functions.gemm) &&
         find(library, letter + "gemv", functions.gemv) &&
         find(library, letter + "axpy", functions.axpy);
}

Blas open_first(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    Blas blas;
    if (!library || !find_all(library, "s", blas.s) || !find_all(library, "d", blas.d) ||
        !find_all(library, "c", blas.c) || !find_all(library, "z", blas.z))
      continue;
    blas.file = file;
    return blas;
  }
  return {};
}

const Blas& blas() {
  static const Blas found = [] {
    const std::string own = support::env("HASTEN_BLAS_LIBRARY");
    if (!own.empty()) return open_first({own});
    return open_first({"libopenblas.so.0", "libblis.so.4", "libblas.so.3"});
  }();
  return found;
}

template <class T>
const Functions<T>& functions() {
  if constexpr (std::is_same_v<T, float>) {
    return blas().s;
  } else if constexpr (std::is_same_v<T, double>) {
    return blas().d;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return blas().c;
  } else {
    return blas().z;
  }
}

int size(std::int64_t extent) {
  if (extent > std::numeric_limits<int>::max())
    throw ShapeError("blas: an extent of " + std::to_string(extent) + ", but " + blas().file +
                     " counts in 32 bits; take parts of the array, or matmul");
  return static_cast<int>(extent);
}

// Leading dimensions are at least 1, also of matrices without elements.
int row(std::int64_t extent) { return std::max(size(extent), 1); }

}  // namespace

const char* blas_file() { return blas().file.c_str(); }

template <class T>
void blas_gemm(const BlasProduct<T>& p) {
  const int row_a = row(p.form_a == BlasForm::plain ? p.k : p.m);
  const int row_b = row(p.form_b == BlasForm::plain ? p.n : p.k);
  functions<T>().gemm(row_major, static_cast<int>(p.form_a), static_cast<int>(p.form_b), size(p.m),
                      size(p.n), size(p.k), passed(p.alpha), p.a, row_a, p.b, row_b, passed(p.beta),
                      p.c, row(p.n));
}

template <class T>
void blas_gemv(BlasForm form, std::int64_t rows, std::int64_t columns, const T* a, const T* x,
               T* y) {
  const T one{1}, zero{0};
  functions<T>().gemv(row_major, static_cast<int>(form), size(rows), size(columns), passed(one), a,
                      row(columns), x, 1, passed(zero), y, 1);
}

template <class T>
T blas_dot(std::int64_t n, const T* x, const T* y) {
  if constexpr (is_complex<T>) {
    T result;
    functions<T>().dot_to(size(n), x, 1, y, 1, &result);
    return result;
  } else {
    return functions<T>().dot(size(n), x, 1, y, 1);
  }
}

template <class T>
void blas_axpy(std::int64_t n, T alpha, const T* x, T* y) {
  functions<T>().axpy(size(n), passed(alpha), x, 1, y, 1);
}

template void blas_gemm(const BlasProduct<float>&);
template void blas_gemm(const BlasProduct<double>&);
template void blas_gemm(const BlasProduct<std::complex<float>>&);
template void blas_gemm(const BlasProduct<std::complex<double>>&);
template void blas_gemv(BlasForm, std::int64_t, std::int64_t, const float*, const float*, float*);
template void blas_gemv(BlasForm, std::int64_t, std::int64_t, const double*, const double*,
                        double*);
template void blas_gemv(BlasForm, std::int64_t, std::int64_t, const std::complex<float>*,
                        const std::complex<float>*, std::complex<float>*);
template void blas_gemv(BlasForm, std::int64_t, std::int64_t, const std::complex<double>*,
                        const std::complex<double>*, std::complex<double>*);
template float blas_dot(std::int64_t, const float*, const float*);
template double blas_dot(std::int64_t, const double*, const double*);
template std::complex<float> blas_dot(std::int64_t, const std::complex<float>*,
                                      const std::complex<float>*);
template std::complex<double> blas_dot(std::int64_t, const std::complex<double>*,
                                       const std::complex<double>*);
template void blas_axpy(std::int64_t, float, const float*, float*);
template void blas_axpy(std::int64_t, double, const double*, double*);
template void blas_axpy(std::int64_t, std::complex<float>, const std::complex<float>*,
                        std::complex<float>*);
template void blas_axpy(std::int64_t, std::complex<double>, const std::complex<double>*,
                        std::complex<double>*);

}  // namespace hasten::detail
