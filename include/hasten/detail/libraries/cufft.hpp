// NVIDIA's cuFFT, opened when a program for a CUDA device first calls it; defined in
// src/libraries/cufft.cpp.
#pragma once

#include <hasten/detail/libraries/cuda_queue.hpp>

#include <complex>
#include <cstdint>
#include <span>

namespace hasten::detail {

/// Opens the library and returns its file name, "libcufft.so.12". If it is empty, there is no
/// library, and none of the functions below may be called.
[[nodiscard]] const char* cufft_file();
[[nodiscard]] inline bool has_cufft() { return *cufft_file() != '\0'; }

/// Enqueues on the calling device a batch of `count` unscaled transforms of contiguous arrays of
/// these extents (1 to 3, none 0); forward uses exp(-2 pi i ...). Extents beyond 32 bits are a
/// ShapeError, a call that cuFFT rejects is a TargetError. Instantiated for float and double.
template <class R>
void cufft_complex(const CudaQueue& queue, std::span<const std::int64_t> extents,
                   std::int64_t count, bool forward, void* from, void* to);
/// Transforms real arrays to the first half of each row: extent / 2 + 1 numbers of the last axis.
template <class R>
void cufft_from_real(const CudaQueue& queue, std::span<const std::int64_t> extents,
                     std::int64_t count, void* from, void* to);

}  // namespace hasten::detail
