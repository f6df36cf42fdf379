// Results begin at multiples of 64 bytes, whatever operation makes them.
#include "../support.hpp"

#include <complex>
#include <cstdint>
#include <tuple>

using hs::Acc, hs::Array, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

class Alignment : public hasten_test::OnEveryDevice {
 protected:
  template <class T, std::size_t N>
  static void expect_aligned(const Array<T, N>& result) {
    const auto host = hs::detail::Access::host(result);
    for (std::size_t leaf = 0; leaf < host->leaves().size(); ++leaf)
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(host->data(leaf)) % 64, 0U) << leaf;
  }
  template <class... As>
  static void expect_aligned(const std::tuple<As...>& results) {
    std::apply([](const auto&... each) { (expect_aligned(each), ...); }, results);
  }
  template <class A, class B>
  static void expect_aligned(const std::pair<A, B>& results) {
    expect_aligned(results.first);
    expect_aligned(results.second);
  }
};

TEST_P(Alignment, OfResults) {
  for (const std::int64_t n : {0, 1, 7, 1000, 70'001}) {
    const auto a = hs::use(hasten_test::vector_of(hasten_test::numbers<float>(n, 3)));
    expect_aligned(run(a + 1.0F));
    expect_aligned(
        run(hs::map([](auto x) { return std::tuple{x > 5.0F, hs::cast<double>(x)}; }, a)));
    expect_aligned(run(hs::map([](auto x) { return hs::cast<hs::half>(x); }, a)));
    expect_aligned(run(
        hs::map([](auto x) { return Exp<std::complex<double>>(hs::cast<double>(x), 1.0); }, a)));
    expect_aligned(run(hs::sum(a)));
    expect_aligned(run(hs::scanl(std::plus<>{}, 0.0F, a)));
    expect_aligned(run(hs::sort(a)));
    expect_aligned(run(hs::filter([](auto x) { return x > 90.0F; }, a)));
    expect_aligned(run(hs::partition([](auto x) { return x > 50.0F; }, a)));
    expect_aligned(run(hs::concat(a, a)));
    expect_aligned(run(hs::drop(1, a)));
    expect_aligned(run(hs::reshape(hs::ix(1, n), a + 1.0F)));
    expect_aligned(run(hs::unzip(hs::zip(a + 1.0F, a * 2.0F))));
    expect_aligned(run(hs::permute(std::plus<>{}, a, [](auto i) { return i / 2; }, a)));
    expect_aligned(run(hs::aiterate(3, [](auto x) { return x + 1.0F; }, a)));
  }
}

// A copy, which is therefore in the host's own memory.
TEST_P(Alignment, OfArraysOfTheHost) {
  std::vector<float> list(100);
  expect_aligned(Vector<float>(std::span(list).subspan(1)));
  expect_aligned(Matrix<float>::borrow({9, 9}, list.data() + 1, {10, 1}, [] {}));
  expect_aligned(Matrix<float>{{1, 2}, {3, 4}});
}

HASTEN_ON_EVERY_DEVICE(Alignment);

}  // namespace
