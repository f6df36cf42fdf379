// The functions of cblas, looked up once. Sizes are its ints.
#include <hasten/detail/libraries/blas.hpp>

#include "libraries/opened.hpp"

#include <algorithm>
#include <string>

namespace hasten::detail {
namespace {

constexpr int row_major = 101;

template <class T>
inline constexpr bool is_complex = !std::is_floating_point_v<T>;
// Complex numbers are passed by address, and so are their results.
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
  ByNumber<Functions> functions;
};

template <class T>
bool find_all(void* library, const std::string& letter, Functions<T>& functions) {
  const std::string begin = "cblas_" + letter;
  const bool has_dot = is_complex<T> ? find(library, begin + "dotu_sub", functions.dot_to)
                                     : find(library, begin + "dot", functions.dot);
  return has_dot && find(library, begin + "gemm", functions.gemm) &&
         find(library, begin + "gemv", functions.gemv) &&
         find(library, begin + "axpy", functions.axpy);
}

bool find_all(void* library, ByNumber<Functions>& all) {
  return find_all(library, "s", all.s) && find_all(library, "d", all.d) &&
         find_all(library, "c", all.c) && find_all(library, "z", all.z);
}

// Never destroyed: programs may run while the process ends.
const Blas& blas() {
  static const auto& found = *new const Blas([] {
    Blas library;
    open_first("HASTEN_BLAS_LIBRARY", {"libopenblas.so.0", "libblis.so.4", "libblas.so.3"},
               [&](void* opened, const std::string& file) {
                 if (!find_all(opened, library.functions)) return false;
                 library.file = file;
                 return true;
               });
    return library;
  }());
  return found;
}

template <class T>
const Functions<T>& functions() {
  return blas().functions.of<T>();
}

int size(std::int64_t extent) {
  return count_in_32_bits(extent, "blas", blas().file, "take parts of the array, or matmul");
}

// Leading dimensions are at least 1, even for matrices without elements.
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
