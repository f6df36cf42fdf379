// cuBLAS's functions, looked up once, and a handle for each stream. Its matrices are column-major:
// it sees a row-major matrix transposed, so that products are computed with their factors
// exchanged.
#include <hasten/detail/libraries/cublas.hpp>

#include "libraries/opened.hpp"

#include <algorithm>
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
  ByNumber<Functions> functions;
};

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

bool find_all(void* library, ByNumber<Functions>& all) {
  return find_all(library, "S", all.s) && find_all(library, "D", all.d) &&
         find_all(library, "C", all.c) && find_all(library, "Z", all.z);
}

bool find_all(void* library, Cublas& to) {
  void* const driver = open_driver();
  return driver && find(driver, "cuMemsetD8Async", to.set_bytes) &&
         find(library, "cublasCreate_v2", to.create) &&
         find(library, "cublasDestroy_v2", to.destroy) &&
         find(library, "cublasSetStream_v2", to.set_stream) &&
         find(library, "cublasSetPointerMode_v2", to.set_pointer_mode) &&
         find_all(library, to.functions);
}

// Never destroyed: programs may run while the process ends.
const Cublas& cublas() {
  static const auto& found = *new const Cublas([] {
    Cublas library;
    open_first("HASTEN_CUBLAS_LIBRARY", {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"},
               [&](void* opened, const std::string& file) {
                 if (!find_all(opened, library)) return false;
                 library.file = file;
                 return true;
               });
    return library;
  }());
  return found;
}

template <class T>
const Functions<T>& functions() {
  return cublas().functions.of<T>();
}

void check(int status, const char* what) {
  if (status != 0)
    throw TargetError(std::string("blas: ") + cublas().file + " fails in " + what +
                      " with status " + std::to_string(status) +
                      "; HASTEN_CUBLAS_LIBRARY=none computes in the language");
}

int size(std::int64_t extent) {
  return count_in_32_bits(extent, "blas", cublas().file, "take parts of the array, or matmul");
}

// Leading dimensions are at least 1, even for matrices without elements.
int row(std::int64_t extent) { return std::max(size(extent), 1); }

// One for each stream of each context: a handle has memory that its stream's work uses. Calls
// enqueue work and return, so that one lock for all delays nobody.
class Handles {
 public:
  template <class F>
  void with(const CudaQueue& queue, F f) {
    const std::lock_guard lock(mutex_);
    auto known = handles_.find({queue.context, queue.stream});
    if (known == handles_.end()) {
      if (handles_.size() >= most) forget_all();
      Handle made = nullptr;
      check(cublas().create(&made), "cublasCreate");
      known = handles_.emplace(std::pair(queue.context, queue.stream), made).first;
    }
    check(cublas().set_stream(known->second, queue.stream), "cublasSetStream");
    f(known->second);
  }

 private:
  static constexpr std::size_t most = 64;

  // cuBLAS waits for the work of a handle that is destroyed.
  void forget_all() {
    for (const auto& [queue, handle] : handles_) (void)cublas().destroy(handle);
    handles_.clear();
  }

  std::mutex mutex_;
  std::map<std::pair<void*, void*>, Handle> handles_;
};

// Never destroyed: programs may run while the process ends.
Handles& handles() {
  static auto& all = *new Handles;
  return all;
}

// cuBLAS does not write results of empty sums.
void set_to_zero(const CudaQueue& queue, void* to, std::int64_t bytes) {
  check(cublas().set_bytes(reinterpret_cast<std::uintptr_t>(to), 0, static_cast<std::size_t>(bytes),
                           queue.stream),
        "cuMemsetD8Async");
}

// For a row-major matrix, which cuBLAS sees transposed already.
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

// gemv supports no matrix that is conjugated and not transposed.
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
