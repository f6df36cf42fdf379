// FFTW, opened at run time; in src/libraries/fftw.cpp.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

namespace hasten::detail {

/// Whether the library for this precision (float, double) was found.
template <class R>
[[nodiscard]] bool has_fftw();

/// So many transforms side by side of arrays of these extents (1 to 3), not scaled; forward: with
/// exp(-2 pi i ...). Rows lie without gaps; both addresses are multiples of 64, since other
/// ones would get other code, and other last bits. Thread-safe. An extent beyond 32 bits is a
/// ShapeError. Instantiated for float and double; has_fftw() must be true.
template <class R>
void fftw_complex(std::span<const std::int64_t> extents, std::int64_t count, bool forward,
                  const std::complex<R>* from, std::complex<R>* to);
/// Of real arrays: to the first half of each row, extent / 2 + 1 numbers of the last axis.
template <class R>
void fftw_from_real(std::span<const std::int64_t> extents, std::int64_t count, const R* from,
                    std::complex<R>* to);

}  // namespace hasten::detail
