// Transforms through fft.hpp: by FFTW on the CPU, by cuFFT on CUDA devices, in the language
// elsewhere. All are near the sums that define them; under Determinism::everywhere, every target
// computes the language's transform.
#include "../support.hpp"

#include <hasten/libraries/fft.hpp>

#include <algorithm>
#include <complex>
#include <sstream>
#include <string>

using hs::Acc, hs::Array, hs::Matrix, hs::Vector;

namespace {

using Wide = std::complex<double>;

double noise(std::int64_t i) { return static_cast<double>((i * 7919 + 13) % 1009) / 504.0 - 1.0; }

template <class C>
Matrix<C> signals(std::int64_t rows, std::int64_t n) {
  return Matrix<C>::from_function({rows, n}, [=](hs::Ix<2> i) {
    using R = typename C::value_type;
    const std::int64_t at = i[0] * n + i[1];
    return C(static_cast<R>(noise(at)), static_cast<R>(noise(at + 500)));
  });
}

// Row `row` by the definition, in double.
template <class C>
std::vector<Wide> transformed(const Matrix<C>& x, std::int64_t row, int sign) {
  const std::int64_t n = x.shape()[1];
  std::vector<Wide> result(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t j = 0; j < n; ++j)
      result[static_cast<std::size_t>(k)] +=
          Wide(x(row, j)) * std::polar(1.0, sign * 2 * M_PI * static_cast<double>(j * k % n) /
                                                static_cast<double>(n));
  return result;
}

// The largest difference, relative to the largest magnitude.
template <class C>
double error_of(const Matrix<C>& got, std::int64_t row, const std::vector<Wide>& expected) {
  double most = 0, largest = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    most = std::max(most, std::abs(Wide(got(row, static_cast<std::int64_t>(k))) - expected[k]));
    largest = std::max(largest, std::abs(expected[k]));
  }
  return largest == 0 ? most : most / largest;
}

template <class C>
constexpr double bound = std::is_same_v<C, Wide> ? 1e-14 : 4e-6;

class Fft : public hasten_test::OnEveryDevice {
 protected:
  static bool is_cuda() { return hs::test::kind_of(GetParam().target.name()) == "cuda"; }
  void SetUp() override {
    OnEveryDevice::SetUp();
    const bool is_found = hs::detail::has_fftw<float>() && hs::detail::has_fftw<double>();
    if (!IsSkipped() && !is_found && hs::test::is_promised("fftw")) FAIL() << "no FFTW was found";
    if (!IsSkipped() && is_cuda() && hs::test::is_promised("cufft") && !hs::detail::has_cufft())
      FAIL() << "no cuFFT was found";
  }

  template <class C>
  static void check_rows(std::int64_t n, const hs::Options& options) {
    const auto x = signals<C>(3, n);
    const auto forward = hs::run(hs::fft(hs::use(x)), options);
    const auto back = hs::run(hs::ifft(hs::fft(hs::use(x))), options);
    ASSERT_EQ(forward.shape(), x.shape());
    for (std::int64_t row = 0; row < 3; ++row) {
      EXPECT_LT(error_of(forward, row, transformed(x, row, -1)), bound<C>) << n;
      std::vector<Wide> same;
      for (std::int64_t j = 0; j < n; ++j) same.emplace_back(x(row, j));
      EXPECT_LT(error_of(back, row, same), bound<C>) << n;
    }
  }
  static hs::Options everywhere() {
    hs::Options options = GetParam();
    options.determinism = hs::Determinism::everywhere;
    return options;
  }
};

TEST_P(Fft, IsTheSumThatDefinesIt) {
  for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 8, 13, 16, 32, 64, 97, 128, 256, 360, 512}) {
    check_rows<std::complex<float>>(n, GetParam());
    check_rows<std::complex<double>>(n, GetParam());
    check_rows<std::complex<double>>(n, everywhere());
  }
}

TEST_P(Fft, TakesSeveralAxes) {
  const auto x = Array<Wide, 4>::from_function({2, 3, 4, 6}, [](hs::Ix<4> i) {
    const std::int64_t at = ((i[0] * 3 + i[1]) * 4 + i[2]) * 6 + i[3];
    return Wide(noise(at), noise(at + 77));
  });
  const auto got = run(hs::fft<3>(hs::use(x)));
  const auto back = run(hs::ifft<3>(hs::use(got)));
  const auto root = [](std::int64_t a, std::int64_t b, std::int64_t n) {
    return std::polar(1.0, -2 * M_PI * static_cast<double>(a * b) / static_cast<double>(n));
  };
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t at = 0; at < 72; ++at) {
      const std::int64_t i = at / 24, j = at / 6 % 4, k = at % 6;
      Wide sum = 0;
      for (std::int64_t from = 0; from < 72; ++from)
        sum += x(b, from / 24, from / 6 % 4, from % 6) * root(i, from / 24, 3) *
               root(j, from / 6 % 4, 4) * root(k, from % 6, 6);
      EXPECT_LT(std::abs(got(b, i, j, k) - sum), 1e-12);
      EXPECT_LT(std::abs(back(b, i, j, k) - x(b, i, j, k)), 1e-14);
    }
}

TEST_P(Fft, OfRealNumbersIsHalf) {
  for (const std::int64_t n : {0, 1, 2, 7, 16, 100}) {
    const auto x = Matrix<float>::from_function(
        {5, n}, [=](hs::Ix<2> i) { return static_cast<float>(noise(i[0] * n + i[1])); });
    const auto as_complex = Matrix<std::complex<float>>::from_function(
        {5, n}, [&](hs::Ix<2> i) { return std::complex<float>(x(i[0], i[1]), 0); });
    const auto half = run(hs::rfft(hs::use(x)));
    ASSERT_EQ(half.shape(), hs::Ix(5, n == 0 ? 0 : n / 2 + 1));
    for (std::int64_t row = 0; row < 5; ++row) {
      std::vector<Wide> expected = transformed(as_complex, row, -1);
      if (n > 0) expected.resize(static_cast<std::size_t>(n / 2 + 1));
      EXPECT_LT(error_of(half, row, expected), bound<std::complex<float>>) << n;
    }
    const auto both = run(hs::rfft<2>(hs::use(x)));
    const auto all = run(hs::fft<2>(hs::use(as_complex)));
    for (std::int64_t row = 0; row < 5; ++row)
      for (std::int64_t k = 0; k < both.shape()[1]; ++k)
        EXPECT_LT(std::abs(both(row, k) - all(row, k)), 1e-4F);
  }
}

// The bits are the same, wherever the memory begins.
TEST_P(Fft, DoesNotDependOnAddresses) {
  constexpr std::int64_t n = 1000;
  std::vector<std::complex<float>> memory(n + 8);
  const auto x = signals<std::complex<float>>(1, n);
  const auto at = [&](std::ptrdiff_t offset) {
    std::complex<float>* const begin = memory.data() + offset;
    for (std::int64_t i = 0; i < n; ++i) begin[i] = x(0, i);
    return run(hs::fft(hs::use(Vector<std::complex<float>>::borrow(hs::Ix(n), begin, [] {}))));
  };
  const auto first = at(0);
  for (const std::ptrdiff_t offset : {1, 2, 3, 4}) EXPECT_TRUE(identical(first, at(offset)));
}

// One program serves all extents.
TEST_P(Fft, IsCompiledOnce) {
  const auto f =
      hs::compile([](const Acc<Vector<std::complex<float>>>& x) { return hs::fft(x); }, GetParam());
  for (const std::int64_t n : {4, 6, 64, 30}) {
    const auto x = signals<std::complex<float>>(1, n);
    const auto got = f(hs::run(hs::flatten(hs::use(x))));
    const auto expected = transformed(x, 0, -1);
    for (std::int64_t k = 0; k < n; ++k)
      EXPECT_LT(std::abs(Wide(got(k)) - expected[static_cast<std::size_t>(k)]), 1e-4);
  }
}

TEST_P(Fft, IsSaidByExplain) {
  const auto f = hs::compile([](const Acc<Vector<Wide>>& x) { return hs::fft(x); }, GetParam());
  std::ostringstream text;
  text << f.explain();
  const std::string target = GetParam().target.name();
  const bool by_cufft = is_cuda() && hs::detail::has_cufft();
  const bool by_fftw =
      hs::detail::has_fftw<double>() && (target == "cpu" || target == "interpreter");
  const auto says = [&](const char* name) { return text.str().find(name) != std::string::npos; };
  EXPECT_EQ(says("cufft::complex"), by_cufft) << text.str();
  EXPECT_EQ(says("fft::complex"), by_fftw || by_cufft) << text.str();
}

HASTEN_ON_EVERY_DEVICE(Fft);

}  // namespace
