// The part of cuBLAS that src/libraries/cublas.cpp calls: plain sums, computed in the stream.
// Matrices are column-major, as in cuBLAS.
#include "tests/fake_cuda/stream.hpp"

#include <complex>
#include <cstdint>

using namespace fake_cuda;

namespace {

constexpr int success = 0, not_initialised = 1, invalid_value = 7, execution_failed = 13;
constexpr int as_it_is = 0, conjugated = 2;

struct Handle {
  CUstream stream = nullptr;
  int pointer_mode = 0;
};

Handle* handle_of(void* handle) { return static_cast<Handle*>(handle); }

template <class T>
T conjugate(T x) {
  return x;
}
template <class R>
std::complex<R> conjugate(std::complex<R> x) {
  return std::conj(x);
}

// A matrix as an operation uses it.
template <class T>
struct Used {
  const T* data;
  long long row;  // elements between columns
  int operation;

  T operator()(long long i, long long j) const {
    if (operation == as_it_is) return data[j * row + i];
    const T x = data[i * row + j];
    return operation == conjugated ? conjugate(x) : x;
  }
};

template <class T>
const T* read(Device& device, const void* address, long long count) {
  return reinterpret_cast<const T*>(device.memory(reinterpret_cast<CUdeviceptr>(address),
                                                  static_cast<std::size_t>(count) * sizeof(T)));
}
template <class T>
T* written(Device& device, void* address, long long count) {
  return const_cast<T*>(read<T>(device, address, count));
}

int tell(void* handle, const std::function<CUresult(Device&)>& work) {
  if (!handle) return not_initialised;
  Device* device = nullptr;
  if (enter(&device) != CUDA_SUCCESS) return execution_failed;
  const CUresult told = submit(*device, handle_of(handle)->stream,
                               guarded(*device, [device, work] { return work(*device); }));
  return told == CUDA_SUCCESS ? success : execution_failed;
}

template <class T>
struct Product {
  int operation_a, operation_b;
  long long m, n, k;
  T alpha, beta;
  const void *a, *b;
  void* c;
  long long row_a, row_b, row_c, step_a, step_b, step_c, batches;

  // The span of rows and columns in memory, including the gap between two matrices.
  [[nodiscard]] static long long extent(long long row, long long columns, long long step,
                                        long long batches) {
    return (batches - 1) * step + row * (columns - 1) + row;
  }

  CUresult run(Device& device) const {
    const bool plain_a = operation_a == as_it_is, plain_b = operation_b == as_it_is;
    const T* const from_a = read<T>(device, a, extent(row_a, plain_a ? k : m, step_a, batches));
    const T* const from_b = read<T>(device, b, extent(row_b, plain_b ? n : k, step_b, batches));
    T* const to = written<T>(device, c, extent(row_c, n, step_c, batches));
    if (!from_a || !from_b || !to) return CUDA_ERROR_ILLEGAL_ADDRESS;
    for (long long batch = 0; batch < batches; ++batch) {
      const Used<T> x{from_a + batch * step_a, row_a, operation_a};
      const Used<T> y{from_b + batch * step_b, row_b, operation_b};
      for (long long j = 0; j < n; ++j)
        for (long long i = 0; i < m; ++i) {
          T sum{};
          for (long long l = 0; l < k; ++l) sum += x(i, l) * y(l, j);
          T& at = to[batch * step_c + j * row_c + i];
          at = beta == T{} ? alpha * sum : alpha * sum + beta * at;
        }
    }
    return CUDA_SUCCESS;
  }
};

template <class T>
int multiply(void* handle, const Product<T>& product) {
  const bool fits = product.m > 0 && product.n > 0 && product.k > 0 && product.batches > 0 &&
                    product.row_c >= product.m;
  if (!fits || handle_of(handle)->pointer_mode != 0) return invalid_value;
  return tell(handle, [product](Device& device) { return product.run(device); });
}

template <class T>
int sum_of_products(void* handle, int n, const void* x, int step_x, const void* y, int step_y,
                    void* sum) {
  if (n <= 0 || step_x != 1 || step_y != 1 || handle_of(handle)->pointer_mode != 1)
    return invalid_value;
  return tell(handle, [=](Device& device) {
    const T *const a = read<T>(device, x, n), *const b = read<T>(device, y, n);
    T* const to = written<T>(device, sum, 1);
    if (!a || !b || !to) return CUDA_ERROR_ILLEGAL_ADDRESS;
    *to = T{};
    for (int i = 0; i < n; ++i) *to += a[i] * b[i];
    return CUDA_SUCCESS;
  });
}

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
  *handle = new Handle;
  return success;
}
int cublasDestroy_v2(void* handle) {
  delete handle_of(handle);
  return success;
}
int cublasSetStream_v2(void* handle, CUstream stream) {
  handle_of(handle)->stream = stream;
  return success;
}
int cublasSetPointerMode_v2(void* handle, int mode) {
  handle_of(handle)->pointer_mode = mode;
  return success;
}

#define FAKE_CUBLAS(letter, T, dot)                                                               \
  int cublas##letter##gemmStridedBatched(                                                         \
      void* handle, int operation_a, int operation_b, int m, int n, int k, const T* alpha,        \
      const void* a, int row_a, long long step_a, const void* b, int row_b, long long step_b,     \
      const T* beta, void* c, int row_c, long long step_c, int batches) {                         \
    return multiply<T>(handle, {operation_a, operation_b, m, n, k, *alpha, *beta, a, b, c, row_a, \
                                row_b, row_c, step_a, step_b, step_c, batches});                  \
  }                                                                                               \
  int cublas##letter##gemv_v2(void* handle, int operation, int m, int n, const T* alpha,          \
                              const void* a, int row_a, const void* x, int step_x, const T* beta, \
                              void* y, int step_y) {                                              \
    if (step_x != 1 || step_y != 1) return invalid_value;                                         \
    const int rows = operation == as_it_is ? m : n, columns = operation == as_it_is ? n : m;      \
    return multiply<T>(handle, {operation, as_it_is, rows, 1, columns, *alpha, *beta, a, x, y,    \
                                row_a, columns, rows, 0, 0, 0, 1});                               \
  }                                                                                               \
  int cublas##letter##dot(void* handle, int n, const void* x, int step_x, const void* y,          \
                          int step_y, void* sum) {                                                \
    return sum_of_products<T>(handle, n, x, step_x, y, step_y, sum);                              \
  }
// Four types; C has a different name for the function of each.
FAKE_CUBLAS(S, float, dot_v2)
FAKE_CUBLAS(D, double, dot_v2)
FAKE_CUBLAS(C, std::complex<float>, dotu_v2)
FAKE_CUBLAS(Z, std::complex<double>, dotu_v2)
#undef FAKE_CUBLAS

}  // extern "C"
