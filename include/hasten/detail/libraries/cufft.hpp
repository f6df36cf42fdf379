// NVIDIA's cuFFT, opened when a program for a CUDA device first calls it; in
// src/libraries/cufft.cpp.
#pragma once

#include <hasten/detail/libraries/cuda_queue.hpp>

#include <complex>
#include <cstdint>
#include <span>

namespace hasten::detail {

/// The library's file, "libcufft.so.12"; empty: there is none, and nothing below may be called.
/// Opens it.
[[nodiscard]] const char* cufft_file();
[[nodiscard]] inline bool has_cufft() { return *cufft_file() != '\0'; }

/// Tells the device that calls: so many transforms side by side of arrays of these extents (1 to 3,
/// none 0), not scaled; forward: with exp(-2 pi i ...). Extents beyond 32 bits are a ShapeError,
/// what cuFFT refuses is a TargetError. Instantiated for float and double.
template <class R>
void cufft_complex(const CudaQueue& queue, std::span<const std::int64_t> extents,
                   std::int64_t count, bool forward, void* from, void* to);
/// Of real arrays: to the first half of each row, extent / 2 + 1 numbers of the last axis.
template <class R>
void cufft_from_real(const CudaQueue& queue, std::span<const std::int64_t> extents,
                     std::int64_t count, void* from, void* to);

}  // namespace hasten::detail
