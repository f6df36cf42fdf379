// cuBLAS's functions, looked up once, and a handle for each stream. Its matrices are column-major:
// a row-major matrix is the transposed one to it, so that products are computed with their factors
// exchanged.
#include <hasten/detail/libraries/cublas.hpp>

#include "support/env.hpp"

#include <hasten/run/error.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace hasten::detail {
namespace {

// The values of cublas_api.h.
constexpr int as_it_is = 0, transposed = 1, conjugated = 2;
constexpr int numbers_on_host = 0, numbers_on_device = 1;

using Handle = void*;

template <class T>
struct Functions {
  int (*gemm)(Handle, int, int, int, int, int, const T*, const void*, int, long long, const void*,
              int, long long, const T*, void*, int, long long, int) = nullptr;
  int (*gemv)(Handle, int, int, int, const T*, const void*, int, const void*, int, const T*, void*,
              int) = nullptr;
  int (*dot)(Handle, int, const void*, int, const void*, int, void*) = nullptr;
};

struct Cublas {
  std::string file;
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*set_stream)(Handle, void* stream) = nullptr;
  int (*set_pointer_mode)(Handle, int) = nullptr;
  int (*set_bytes)(std::uintptr_t address, unsigned char, std::size_t bytes,
                   void* stream) = nullptr;
  Functions<float> s;
  Functions<double> d;
  Functions<std::complex<float>> c;
  Functions<std::complex<double>> z;
};

template <class F>
bool find(void* library, const std::string& name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name.c_str()));
  return function != nullptr;
}

template <class T>
bool find_all(void* library, const std::string& letter, Functions<T>& functions) {
  const bool is_complex = letter == "C" || letter == "Z";
  return find(library, "cublas" + letter + "gemmStridedBatched", functions.gemm) &&
         find(library, "cublas" + letter + "gemv_v2", functions.gemv) &&
         find(library, "cublas" + letter + (is_complex ? "dotu_v2" : "dot_v2"), functions.dot);
}

// The driver that the target uses.
void* open_driver() {
  const std::string own = support::env("HASTEN_CUDA_LIBRARY");
  return dlopen(own.empty() ? "libcuda.so.1" : own.c_str(), RTLD_NOW | RTLD_LOCAL);
}

bool open(const std::string& file, Cublas& to) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const driver = library ? open_driver() : nullptr;
  const bool has_all = driver && find(driver, "cuMemsetD8Async", to.set_bytes) &&
                       find(library, "cublasCreate_v2", to.create) &&
                       find(library, "cublasDestroy_v2", to.destroy) &&
                       find(library, "cublasSetStream_v2", to.set_stream) &&
                       find(library, "cublasSetPointerMode_v2", to.set_pointer_mode) &&
                       find_all(library, "S", to.s) && find_all(library, "D", to.d) &&
                       find_all(library, "C", to.c) && find_all(library, "Z", to.z);
  if (has_all) to.file = file;
  return has_all;
}

// Never destroyed: programs may run while the process ends.
const Cublas& cublas() {
  static const auto& found = *new const Cublas([] {
    Cublas library;
    const std::string own = support::env("HASTEN_CUBLAS_LIBRARY");
    if (!own.empty()) {
      (void)open(own, library);
      return library;
    }
    for (const char* const file : {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"})
      if (open(file, library)) break;
    return library;
  }());
  return found;
}

template <class T>
const Functions<T>& functions() {
  if constexpr (std::is_same_v<T, float>) {
    return cublas().s;
  } else if constexpr (std::is_same_v<T, double>) {
    return cublas().d;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return cublas().c;
  } else {
    return cublas().z;
  }
}

void check(int status, const char* what) {
  if (status != 0)
    throw TargetError(std::string("blas: ") + cublas().file + " fails in " + what +
                      " with status " + std::to_string(status) +
                      "; HASTEN_CUBLAS_LIBRARY=none computes in the language");
}

int size(std::int64_t extent) {
  if (extent > std::numeric_limits<int>::max())
    throw ShapeError("blas: an extent of " + std::to_string(extent) + ", but " + cublas().file +
                     " counts in 32 bits; take parts of the array, or matmul");
  return static_cast<int>(extent);
}

// Leading dimensions are at least 1, also of matrices without elements.
int row(std::int64_t extent) { return std::max(size(extent), 1); }

// One for each stream of each context: a handle has memory that its stream's work uses. Calls tell
// the device what to do and return, so that one lock for all holds nobody up.
class Handles {
 public:
  template <class F>
  void with(const CudaQueue& queue, F f) {
    const std::lock_guard lock(mutex_);
    Handle& handle = handles_[{queue.context, queue.stream}];
    if (!handle) check(cublas().create(&handle), "cublasCreate");
    check(cublas().set_stream(handle, queue.stream), "cublasSetStream");
    f(handle);
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<void*, void*>, Handle> handles_;
};

// Never destroyed: programs may run while the process ends.
Handles& handles() {
  static auto& all = *new Handles;
  return all;
}

// cuBLAS leaves what it has nothing to add up for.
void set_to_zero(const CudaQueue& queue, void* to, std::int64_t bytes) {
  check(cublas().set_bytes(reinterpret_cast<std::uintptr_t>(to), 0, static_cast<std::size_t>(bytes),
                           queue.stream),
        "cuMemsetD8Async");
}

// Of a row-major matrix, which is the transposed one already.
int operation(BlasForm form) {
  return form == BlasForm::plain        ? as_it_is
         : form == BlasForm::transposed ? transposed
                                        : conjugated;
}

}  // namespace

const char* cublas_file() { return cublas().file.c_str(); }

// The transposed product is the product of the transposed factors, the second one first.
template <class T>
void cublas_gemm(const CudaQueue& queue, const CublasProduct<T>& p) {
  if (p.m == 0 || p.n == 0 || p.batches == 0) return;
  if (p.k == 0)
    return set_to_zero(queue, p.c, p.batches * p.m * p.n * static_cast<std::int64_t>(sizeof(T)));
  const int row_a = row(p.form_a == BlasForm::plain ? p.k : p.m);
  const int row_b = row(p.form_b == BlasForm::plain ? p.n : p.k);
  const T one{1}, zero{0};
  handles().with(queue, [&](Handle handle) {
    check(cublas().set_pointer_mode(handle, numbers_on_host), "cublasSetPointerMode");
    check(functions<T>().gemm(handle, operation(p.form_b), operation(p.form_a), size(p.n),
                              size(p.m), size(p.k), &one, p.b, row_b, p.k * p.n, p.a, row_a,
                              p.m * p.k, &zero, p.c, row(p.n), p.m * p.n, size(p.batches)),
          "gemm");
  });
}

// gemv knows no matrix that is conjugated and not transposed.
template <class T>
void cublas_gemv(const CudaQueue& queue, BlasForm form, std::int64_t rows, std::int64_t columns,
                 const void* a, const void* x, void* y) {
  const bool is_plain = form == BlasForm::plain;
  if (rows == 0 || columns == 0 || form == BlasForm::adjoint)
    return cublas_gemm<T>(queue, {form, BlasForm::plain, is_plain ? rows : columns, 1,
                                  is_plain ? columns : rows, 1, a, x, y});
  const T one{1}, zero{0};
  handles().with(queue, [&](Handle handle) {
    check(cublas().set_pointer_mode(handle, numbers_on_host), "cublasSetPointerMode");
    check(functions<T>().gemv(handle, is_plain ? transposed : as_it_is, size(columns), size(rows),
                              &one, a, row(columns), x, 1, &zero, y, 1),
          "gemv");
  });
}

template <class T>
void cublas_dot(const CudaQueue& queue, std::int64_t n, const void* x, const void* y, void* sum) {
  if (n == 0) return set_to_zero(queue, sum, sizeof(T));
  handles().with(queue, [&](Handle handle) {
    check(cublas().set_pointer_mode(handle, numbers_on_device), "cublasSetPointerMode");
    check(functions<T>().dot(handle, size(n), x, 1, y, 1, sum), "dot");
  });
}

template void cublas_gemm(const CudaQueue&, const CublasProduct<float>&);
template void cublas_gemm(const CudaQueue&, const CublasProduct<double>&);
template void cublas_gemm(const CudaQueue&, const CublasProduct<std::complex<float>>&);
template void cublas_gemm(const CudaQueue&, const CublasProduct<std::complex<double>>&);
template void cublas_gemv<float>(const CudaQueue&, BlasForm, std::int64_t, std::int64_t,
                                 const void*, const void*, void*);
template void cublas_gemv<double>(const CudaQueue&, BlasForm, std::int64_t, std::int64_t,
                                  const void*, const void*, void*);
template void cublas_gemv<std::complex<float>>(const CudaQueue&, BlasForm, std::int64_t,
                                               std::int64_t, const void*, const void*, void*);
template void cublas_gemv<std::complex<double>>(const CudaQueue&, BlasForm, std::int64_t,
                                                std::int64_t, const void*, const void*, void*);
template void cublas_dot<float>(const CudaQueue&, std::int64_t, const void*, const void*, void*);
template void cublas_dot<double>(const CudaQueue&, std::int64_t, const void*, const void*, void*);
template void cublas_dot<std::complex<float>>(const CudaQueue&, std::int64_t, const void*,
                                              const void*, void*);
template void cublas_dot<std::complex<double>>(const CudaQueue&, std::int64_t, const void*,
                                               const void*, void*);

}  // namespace hasten::detail
