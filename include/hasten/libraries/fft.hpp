// Discrete Fourier transforms: by FFTW on the CPU and by cuFFT on CUDA devices if they are found at
// run time, otherwise in the language. Not part of <hasten/hasten.hpp>: docs/foreign.md.
#pragma once

#include <hasten/detail/libraries/cufft.hpp>
#include <hasten/detail/libraries/fftw.hpp>
#include <hasten/detail/uninitialised.hpp>
#include <hasten/hasten.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hasten::detail {

template <class C>
using RealOf = typename C::value_type;

template <class C>
constexpr void check_transformed() {
  static_assert(std::is_same_v<C, std::complex<float>> || std::is_same_v<C, std::complex<double>>,
                "hasten::fft: transforms complex numbers; of real ones take rfft, of others "
                "cast<float>(a) first");
}
template <int K, std::size_t N>
constexpr void check_axes() {
  static_assert(K >= 1 && K <= 3, "hasten::fft: transforms 1, 2 or 3 axes");
  static_assert(K <= static_cast<int>(N), "hasten::fft: the array has fewer axes than that");
}

// -- in the language ------------------------------------------------------------------------------

/// exp(-2 pi i k / n) for 0 <= k < n < 2^60, where `quarter` is the integer nearest to 4 k / n. The
/// angle is reduced in integers, so that sine and cosine receive a small and nearly exact argument.
template <class C>
Exp<C> root_of_unity(const Exp<std::int64_t>& k, const Exp<std::int64_t>& n,
                     const Exp<std::int64_t>& quarter) {
  using R = RealOf<C>;
  const Exp<R> part = cast<R>(4 * k - quarter * n) / cast<R>(n);
  const Exp<R> angle = part * static_cast<R>(1.57079632679489661923);
  const Exp<R> c = cos(angle), s = sin(angle);
  const Exp<std::int64_t> turn = quarter & 3;
  const Exp<R> x = select(turn == 0, c, select(turn == 1, -s, select(turn == 2, -c, s)));
  const Exp<R> y = select(turn == 0, s, select(turn == 1, c, select(turn == 2, -s, -c)));
  return Exp<C>(x, -y);
}

/// Transforms four elements that lie a quarter of a row apart, and multiplies all results but the
/// first by powers of `turn`.
template <class C>
std::array<Exp<C>, 4> butterfly(const std::array<Exp<C>, 4>& x, const Exp<C>& turn) {
  const Exp<C> turn2 = turn * turn;
  const Exp<C> even = x[0] + x[2], odd = x[1] + x[3], left = x[0] - x[2], rest = x[1] - x[3];
  const Exp<C> right(-imag(rest), real(rest));
  return {even + odd, turn * (left - right), turn2 * (even - odd), turn * turn2 * (left + right)};
}

/// Transforms each row, whose extent n is a power of two, by Stockham's fast transform, which needs
/// no bit reversal (Van Loan, Computational Frameworks for the Fast Fourier Transform, sections 1.7
/// and 2.4): in radix 4, with one final radix-2 round if the logarithm is odd. Each round reads and
/// writes all elements.
template <class C>
Acc<Matrix<C>> transform_powers(const Exp<std::int64_t>& n, const Acc<Matrix<C>>& x) {
  using I = Exp<std::int64_t>;
  const I rows = get<0>(shape(x)), quarter = n / 4, half = n / 2;
  const I logarithm = cast<std::int64_t>(count_trailing_zeros(max(n, I(1))));
  // Computed by shifts, which cannot fail, and from n, not from a reshape, which can: therefore the
  // roots can be hoisted out of the loop below.
  const auto roots = compute(generate(quarter, [=](const I& k) {
    return root_of_unity<C>(k, n, (4 * k + (n >> 1)) >> logarithm);
  }));
  const auto round = [=](const I& k, const Acc<Matrix<C>>& state) {
    const I together = I(1) << (2 * k);  // number of interleaved transforms
    const auto four = [=](const Exp<Ix<2>>& at) {
      const I row = get<0>(at), i = get<1>(at);
      const I within = i & (together - 1), first = i - within;
      const auto y = butterfly<C>({state(row, i), state(row, i + quarter),
                                   state(row, i + 2 * quarter), state(row, i + 3 * quarter)},
                                  roots[first]);
      const I to = within + 4 * first;
      return std::array{std::pair{ix(row, to), y[0]}, std::pair{ix(row, to + together), y[1]},
                        std::pair{ix(row, to + 2 * together), y[2]},
                        std::pair{ix(row, to + 3 * together), y[3]}};
    };
    return force(push_many<4>(ix(rows, quarter), shape(x), four));
  };
  const auto by_fours = aiterate(logarithm / 2, round, x);
  const auto two = [=](const Exp<Ix<2>>& at) {
    const I row = get<0>(at), i = get<1>(at);
    const Exp<C> a = by_fours(row, i), b = by_fours(row, i + half);
    return std::array{std::pair{ix(row, i), a + b}, std::pair{ix(row, i + half), a - b}};
  };
  return acond((logarithm & 1) == 1, force(push_many<2>(ix(rows, half), shape(x), two)), by_fours);
}

/// Transforms each row, of any extent from 1, as a convolution with a chirp, by transforms of a
/// power of two (Bluestein, A linear filtering approach to the computation of the discrete Fourier
/// transform, 1970). Squares are reduced in integers.
template <class C>
Acc<Matrix<C>> transform_chirp(const Acc<Matrix<C>>& x) {
  const Exp<std::int64_t> rows = get<0>(shape(x)), n = get<1>(shape(x));
  const Exp<std::int64_t> one(1);
  const Exp<std::int64_t> m = one << (64 - count_leading_zeros(max(2 * n - 2, one)));
  const auto chirp = compute(generate(n, [=](const Exp<std::int64_t>& k) {
    const Exp<std::int64_t> square = (k * k) % (2 * n);
    return root_of_unity<C>(square, 2 * n, (4 * square + n) / (2 * n));
  }));
  const auto padded = generate(ix(rows, m), [=](const Exp<Ix<2>>& at) {
    return if_(at[1] < n, x(at[0], at[1]) * chirp[at[1]], Exp<C>(C(0)));
  });
  const auto filter = generate(ix(one, m), [=](const Exp<Ix<2>>& at) {
    const Exp<std::int64_t> distance = min(at[1], m - at[1]);
    return if_(distance < n, conj(chirp[distance]), Exp<C>(C(0)));
  });
  const auto response = transform_powers(m, filter);
  const auto spectrum = transform_powers(m, padded);
  const auto product = generate(shape(spectrum), [=](const Exp<Ix<2>>& at) {
    return conj(spectrum[at] * response(Exp<std::int64_t>(0), at[1]));  // inverse, by conjugation
  });
  const auto convolved = transform_powers(m, product);
  const Exp<RealOf<C>> scale = cast<RealOf<C>>(1) / cast<RealOf<C>>(m);
  return generate(ix(rows, n), [=](const Exp<Ix<2>>& at) {
    return conj(convolved[at]) * Exp<C>(scale, Exp<RealOf<C>>(RealOf<C>(0))) * chirp[at[1]];
  });
}

/// Transforms each row of the innermost axis, forward.
template <class C, std::size_t N>
Acc<Array<C, N>> transform_rows(const Acc<Array<C, N>>& x) {
  const auto extents = shape(x);
  const Exp<std::int64_t> n = get<N - 1>(extents);
  const auto rows = reshape(ix(size(x) / max(n, Exp<std::int64_t>(1)), n), x);
  const auto transformed =
      acond((n & (n - 1)) == 0, transform_powers(n, rows), transform_chirp(rows));
  return reshape(extents, transformed);
}

/// Transforms the innermost K axes, forward.
template <int K, class C, std::size_t N>
Acc<Array<C, N>> transform_axes(const Acc<Array<C, N>>& x) {
  Acc<Array<C, N>> y = transform_rows(x);
  if constexpr (K >= 2) y = transpose(transform_rows(transpose(y)));
  if constexpr (K == 3) y = transpose_on<-3, -1>(transform_rows(transpose_on<-3, -1>(y)));
  return y;
}

template <class C, std::size_t N>
Acc<Array<C, N>> conjugates(const Acc<Array<C, N>>& x) {
  return map([](const Exp<C>& z) { return conj(z); }, x);
}
/// Transforms in either direction, unscaled.
template <int K, class C, std::size_t N>
Acc<Array<C, N>> transform(bool forward, const Acc<Array<C, N>>& x) {
  if (forward) return transform_axes<K>(x);
  return conjugates(transform_axes<K>(conjugates(x)));
}

template <class R, std::size_t N>
Acc<Array<std::complex<R>, N>> as_complex(const Acc<Array<R, N>>& x) {
  return map([](const Exp<R>& re) { return Exp<std::complex<R>>(re, Exp<R>(R(0))); }, x);
}
constexpr std::int64_t half_of(std::int64_t extent) { return extent == 0 ? 0 : extent / 2 + 1; }

/// The first half of each row, including the middle.
template <class C, std::size_t N>
Acc<Array<C, N>> first_half(const Acc<Array<C, N>>& x) {
  const Exp<std::int64_t> n = get<N - 1>(shape(x));
  return take(n / 2 + 1, x);
}

// -- by FFTW --------------------------------------------------------------------------------------

/// The innermost K extents, and the number of such arrays.
template <int K>
std::pair<std::vector<std::int64_t>, std::int64_t> jobs_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis + K < shape.size(); ++axis) count *= shape[axis];
  return {{shape.end() - K, shape.end()}, count};
}

/// The array, 64-byte aligned as FFTW expects it: itself, or a copy of borrowed memory.
template <class A>
A aligned(const A& x) {
  if (reinterpret_cast<std::uintptr_t>(elements_of(x)) % 64 == 0) return x;
  const A copy = uninitialised<A>(shape_of(x));
  std::copy_n(elements_of(x), x.size(), elements_of(copy));
  return copy;
}

template <class C, std::size_t N, int K>
struct ByFftw {
  bool forward;

  Array<C, N> operator()(const Array<C, N>& given) const {
    const Array<C, N> x = aligned(given);
    const auto result = uninitialised<Array<C, N>>(shape_of(x));
    const auto [extents, count] = jobs_of<K>(shape_of(x));
    if (x.size() > 0)
      fftw_complex<RealOf<C>>(extents, count, forward, elements_of(x), elements_of(result));
    return result;
  }
};

template <class R, std::size_t N, int K>
struct ByFftwOfReal {
  Array<std::complex<R>, N> operator()(const Array<R, N>& given) const {
    const Array<R, N> x = aligned(given);
    const auto [extents, count] = jobs_of<K>(shape_of(x));
    std::vector<std::int64_t> shape = shape_of(x);
    shape.back() = half_of(shape.back());
    const auto result = uninitialised<Array<std::complex<R>, N>>(std::move(shape));
    if (x.size() > 0) fftw_from_real<R>(extents, count, elements_of(x), elements_of(result));
    return result;
  }
};

// -- by cuFFT -------------------------------------------------------------------------------------

/// A new array on the device, with the extents of another one except the last.
template <class A, class B>
DeviceArray<A> allocated_like(const DeviceCall& call, const DeviceArray<B>& x, std::int64_t last) {
  std::array<std::int64_t, A::rank> extents{};
  std::copy_n(x.shape().begin(), A::rank, extents.begin());
  extents.back() = last;
  return call.allocate<A>(extents);
}

template <class C, std::size_t N, int K>
struct ByCufft {
  bool forward;

  using A = DeviceArray<Array<C, N>>;
  A operator()(const DeviceCall& call, const A& x) const {
    const A result = allocated_like<Array<C, N>>(call, x, x.extent(N - 1));
    const auto [extents, count] = jobs_of<K>(x.shape());
    if (x.size() > 0)
      cufft_complex<RealOf<C>>(cuda_queue(call), extents, count, forward, x.memory(),
                               result.memory());
    return result;
  }
};

template <class R, std::size_t N, int K>
struct ByCufftOfReal {
  using Result = Array<std::complex<R>, N>;
  DeviceArray<Result> operator()(const DeviceCall& call, const DeviceArray<Array<R, N>>& x) const {
    const auto result = allocated_like<Result>(call, x, half_of(x.extent(N - 1)));
    const auto [extents, count] = jobs_of<K>(x.shape());
    if (x.size() > 0)
      cufft_from_real<R>(cuda_queue(call), extents, count, x.memory(), result.memory());
    return result;
  }
};

// -------------------------------------------------------------------------------------------------

template <int K, class C, std::size_t N>
Acc<Array<C, N>> transformed(bool forward, const Acc<Array<C, N>>& x, const Where& where) {
  check_transformed<C>();
  check_axes<K, N>();
  const auto in_the_language = [=](const Acc<Array<C, N>>& y) { return transform<K>(forward, y); };
  const auto own = [=](const Acc<Array<C, N>>& y) {
    return detail::foreign_acc(
        where, on_cuda("cufft::complex", ByCufft<C, N, K>{forward}).if_there(&has_cufft),
        in_the_language, y);
  };
  if (!has_fftw<RealOf<C>>()) return own(x);
  return detail::foreign_acc(where, on_cpu("fft::complex", ByFftw<C, N, K>{forward}), own, x);
}

}  // namespace hasten::detail

namespace hasten {

/// The discrete Fourier transform of the innermost K axes (1 to 3), batched over the other axes:
/// out[k] = sum over j of x[j] exp(-2 pi i j k / n). Any extents, also 0. Work: n log n per axis;
/// in the language, extents that are not a power of two take about four times as much. The CPU uses
/// FFTW and CUDA devices cuFFT if they are found; under Determinism::everywhere the language
/// computes it.
template <int K = 1, class C, std::size_t N>
Acc<Array<C, N>> fft(const Acc<Array<C, N>>& x, detail::Where where = detail::Where::current()) {
  return detail::transformed<K>(true, x, where);
}

/// The inverse of fft<K>: with exp(+2 pi i j k / n), divided by the number of elements that are
/// transformed together.
template <int K = 1, class C, std::size_t N>
Acc<Array<C, N>> ifft(const Acc<Array<C, N>>& x, detail::Where where = detail::Where::current()) {
  using R = detail::RealOf<C>;
  const auto extents = shape(x);
  Exp<std::int64_t> count = get<N - 1>(extents);
  if constexpr (K >= 2) count = count * get<N - 2>(extents);
  if constexpr (K == 3) count = count * get<N - 3>(extents);
  const Exp<R> scale = cast<R>(1) / cast<R>(max(count, Exp<std::int64_t>(1)));
  return map([=](const Exp<C>& z) { return z * Exp<C>(scale, Exp<R>(R(0))); },
             detail::transformed<K>(false, x, where));
}

/// The transform of real numbers (float or double). On the innermost axis, of extent n, it returns
/// the first n / 2 + 1 elements; the others are their conjugates. An empty axis yields an empty
/// one.
template <int K = 1, class R, std::size_t N>
Acc<Array<std::complex<R>, N>> rfft(const Acc<Array<R, N>>& x,
                                    detail::Where where = detail::Where::current()) {
  static_assert(std::is_same_v<R, float> || std::is_same_v<R, double>,
                "hasten::rfft: transforms float and double; of complex numbers take fft, of others "
                "cast<float>(a) first");
  detail::check_axes<K, N>();
  const auto in_the_language = [](const Acc<Array<R, N>>& y) {
    return detail::first_half(detail::transform<K>(true, detail::as_complex(y)));
  };
  const auto own = [=](const Acc<Array<R, N>>& y) {
    return detail::foreign_acc(
        where,
        on_cuda("cufft::real", detail::ByCufftOfReal<R, N, K>{}).if_there(&detail::has_cufft),
        in_the_language, y);
  };
  if (!detail::has_fftw<R>()) return own(x);
  return detail::foreign_acc(where, on_cpu("fft::real", detail::ByFftwOfReal<R, N, K>{}), own, x);
}

}  // namespace hasten
