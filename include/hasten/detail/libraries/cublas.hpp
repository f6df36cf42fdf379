// NVIDIA's cuBLAS, opened when a program for a CUDA device first calls it; in
// src/libraries/cublas.cpp.
#pragma once

#include <hasten/detail/libraries/blas.hpp>
#include <hasten/detail/libraries/cuda_queue.hpp>

#include <cstdint>

namespace hasten::detail {

/// The library's file, "libcublas.so.13"; empty: there is none, and nothing below may be called.
/// Opens it.
[[nodiscard]] const char* cublas_file();
[[nodiscard]] inline bool has_cublas() { return *cublas_file() != '\0'; }

// Matrices are row-major and contiguous, all in the memory of the device that calls, which is told
// what to do. Extents beyond 32 bits are a ShapeError, what cuBLAS refuses is a TargetError.
// Instantiated for float, double and complex numbers of these.

/// c = op(a) op(b) for each of `batches` matrices one behind the other; op(a) is m x k, op(b) k x
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

/// y = op(a) x, of `a` with so many rows and columns in memory.
template <class T>
void cublas_gemv(const CudaQueue& queue, BlasForm form, std::int64_t rows, std::int64_t columns,
                 const void* a, const void* x, void* y);
/// The sum of products, of complex numbers as they are.
template <class T>
void cublas_dot(const CudaQueue& queue, std::int64_t n, const void* x, const void* y, void* sum);

}  // namespace hasten::detail
