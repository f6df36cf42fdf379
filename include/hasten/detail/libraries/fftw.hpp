// FFTW, opened at run time; defined in src/libraries/fftw.cpp.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

namespace hasten::detail {

/// Whether the library for this precision (float, double) was found.
template <class R>
[[nodiscard]] bool has_fftw();

/// Computes a batch of `count` unscaled transforms of arrays of these extents (1 to 3); forward
/// uses exp(-2 pi i ...). Rows are contiguous. Both addresses are 64-byte aligned, since other
/// alignments would select other code, with other last bits. Thread-safe. An extent beyond 32 bits
/// is a ShapeError. Instantiated for float and double; has_fftw() must be true.
template <class R>
void fftw_complex(std::span<const std::int64_t> extents, std::int64_t count, bool forward,
                  const std::complex<R>* from, std::complex<R>* to);
/// Transforms real arrays to the first half of each row: extent / 2 + 1 numbers of the last axis.
template <class R>
void fftw_from_real(std::span<const std::int64_t> extents, std::int64_t count, const R* from,
                    std::complex<R>* to);

}  // namespace hasten::detail
