// NVIDIA's cuBLAS, opened when a program for a CUDA device first calls it; defined in
// src/libraries/cublas.cpp.
#pragma once

#include <hasten/detail/libraries/blas.hpp>
#include <hasten/detail/libraries/cuda_queue.hpp>

#include <cstdint>

namespace hasten::detail {

/// Opens the library and returns its file name, "libcublas.so.13". If it is empty, there is no
/// library, and none of the functions below may be called.
[[nodiscard]] const char* cublas_file();
[[nodiscard]] inline bool has_cublas() { return *cublas_file() != '\0'; }

// Matrices are row-major and contiguous, all in the memory of the calling device, where the work is
// enqueued. Extents beyond 32 bits are a ShapeError, a call that cuBLAS rejects is a TargetError.
// Instantiated for float, double and complex numbers of these.

/// c = op(a) op(b) for each of `batches` consecutive matrices, where op(a) is m x k and op(b) k x
/// n.
template <class T>
struct CublasProduct {
  BlasForm form_a, form_b;
  std::int64_t m, n, k, batches;
  const void *a, *b;
  void* c;
};
template <class T>
void cublas_gemm(const CudaQueue& queue, const CublasProduct<T>& product);

/// y = op(a) x, where `a` has the given numbers of rows and columns in memory.
template <class T>
void cublas_gemv(const CudaQueue& queue, BlasForm form, std::int64_t rows, std::int64_t columns,
                 const void* a, const void* x, void* y);
/// The sum of products; complex numbers are not conjugated.
template <class T>
void cublas_dot(const CudaQueue& queue, std::int64_t n, const void* x, const void* y, void* sum);

}  // namespace hasten::detail
