// The primitive element types, in host arrays and in programs, on every target.
#include "support.hpp"

#include <limits>
#include <sstream>

using hs::Acc, hs::Exp, hs::Vector;

namespace {

class ElementTypes : public hasten_test::OnEveryTarget {
 protected:
  template <class T>
  static Exp<T> value(T v) {
    return hs::parameter(v);
  }
};

template <class A>
std::string shown(const A& array) {
  std::ostringstream out;
  out << array;
  return out.str();
}

/// The operations of every numeric type, on arrays and as a scalar.
template <class T, class Run>
void check_number(Run run) {
  const Vector<T> v{T(1), T(2), T(3), T(5)};
  EXPECT_EQ(v(3), T(5));
  EXPECT_EQ(v.to_vector(), (std::vector<T>{T(1), T(2), T(3), T(5)}));
  EXPECT_EQ(v.span()[1], T(2));
  const auto a = hs::use(v);
  EXPECT_EQ(run(a + a * T(2) - T(1)), (Vector<T>{T(2), T(5), T(8), T(14)}));
  EXPECT_EQ(run(hs::sum(a)).item(), T(11));
  EXPECT_EQ(run(hs::map([](Exp<T> x) { return x * x == T(9); }, a)),
            (Vector<bool>{false, false, true, false}));
  EXPECT_EQ(run(hs::cast<double>(a)), (Vector<double>{1, 2, 3, 5}));
  EXPECT_EQ(run(hs::select(a < T(3), a, T(7))), (Vector<T>{T(1), T(2), T(7), T(7)}));
  const auto f = hs::compile([](Exp<T> x, Acc<Vector<T>> y) { return x + y; });
  EXPECT_EQ(f(T(1), v)(0), T(2));
  EXPECT_TRUE(identical(v, run(a)));
  const T borrowed[] = {T(4), T(6)};
  EXPECT_EQ(run(-hs::use(Vector<T>::borrow(2, borrowed, [] {}))), (Vector<T>{T(-4), T(-6)}));
}

TEST_P(ElementTypes, NumbersOfEveryWidth) {
  const auto check = [&]<class T>(T) { check_number<T>([](const auto& p) { return run(p); }); };
  check(char{});
  check(std::int8_t{});
  check(std::int16_t{});
  check(std::int32_t{});
  check(std::int64_t{});
  check(std::uint8_t{});
  check(std::uint16_t{});
  check(std::uint32_t{});
  check(std::uint64_t{});
  check(hs::half{});
  check(hs::bfloat16{});
  check(float{});
  check(double{});
}

TEST_P(ElementTypes, CharIsSignedAndHasItsOwnName) {
  const Vector<char> v{'a', 'z', static_cast<char>(200)};
  EXPECT_EQ(run(hs::use(v) + 1)(0), 'b');
  EXPECT_EQ(run(hs::cast<std::int32_t>(hs::use(v)))(2), -56);
  EXPECT_EQ(run(hs::use(v) < char{0}), (Vector<bool>{false, false, true}));
}

TEST_P(ElementTypes, SmallFloatsRoundEveryOperation) {
  EXPECT_EQ(run(value(hs::half(2048)) + 1), hs::half(2048));
  EXPECT_EQ(run(value(hs::half(2048)) + 1 + 1), hs::half(2048));
  EXPECT_EQ(run(value(hs::half(2048)) + 3), hs::half(2052));
  EXPECT_EQ(run(value(hs::half(60000)) * 2), hs::half(HUGE_VAL));
  EXPECT_EQ(run(value(hs::bfloat16(256)) + 1), hs::bfloat16(256));
  EXPECT_EQ(run(value(hs::half(1)) / 3), hs::half(1.0F / 3));
  EXPECT_EQ(run(hs::sqrt(value(hs::bfloat16(2)))), hs::bfloat16(std::sqrt(2.0F)));
  // The exact result is just above the midpoint of two halves; rounding to float first would hide
  // it.
  EXPECT_EQ(run(hs::fma(value(hs::half::from_bits(0x3c01)), hs::half::from_bits(0x1000), 1)),
            hs::half(1 + 0x1p-10F));
  EXPECT_EQ(run(hs::cast<hs::half>(value(65519.999))), hs::half(65504));
  EXPECT_EQ(run(hs::cast<hs::half>(value(1 + 0x1p-11 + 0x1p-50))), hs::half(1 + 0x1p-10));
  EXPECT_EQ(run(hs::cast<hs::half>(value(1 + 0x1p-11))), hs::half(1));
  const std::int64_t big = (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
  EXPECT_EQ(run(hs::cast<hs::bfloat16>(value(big))).bits(), 0x5d81);
  // Products halfway between two numbers, and addends that decide: a small one, a tiny one, zero.
  const auto fused = [](float a, float b, float c) {
    return run(hs::fma(value(hs::bfloat16(a)), value(hs::bfloat16(b)), value(hs::bfloat16(c))));
  };
  for (const float little : {0x1p-20F, 0x1p-60F, 0x1p-100F, 0x1p-130F}) {
    EXPECT_EQ(fused(129 / 128.0F, 1.5F, little), hs::bfloat16(194 / 128.0F)) << little;
    EXPECT_EQ(fused(129 / 128.0F, 1.5F, -little), hs::bfloat16(193 / 128.0F)) << little;
    EXPECT_EQ(fused(129 / 128.0F, -1.5F, little), hs::bfloat16(-193 / 128.0F)) << little;
    EXPECT_EQ(fused(131 / 128.0F, 1.5F, little), hs::bfloat16(197 / 128.0F)) << little;
    EXPECT_EQ(fused(131 / 128.0F, 1.5F, -little), hs::bfloat16(196 / 128.0F)) << little;
  }
  EXPECT_EQ(fused(129 / 128.0F, 1.5F, 0), hs::bfloat16(194 / 128.0F));
  EXPECT_EQ(fused(2.5713938924237539e-39F, -1.2372269858227519e33F, 2.5713938924237539e-39F).bits(),
            0xb655);
  EXPECT_EQ(run(hs::cast<std::int32_t>(value(hs::half(-2.75F)))), -2);
  EXPECT_EQ(run(hs::bit_cast<std::uint16_t>(value(hs::half(1)))), 0x3c00);
  EXPECT_EQ(run(hs::bit_cast<hs::bfloat16>(value<std::int16_t>(0x4049))), hs::bfloat16(3.14F));
  EXPECT_EQ(run(hs::cast<float>(value(hs::half(0.1F))) + hs::half(1)), float{hs::half(0.1F)} + 1);
  EXPECT_THROW((void)(value(hs::half(1)) + 1e6), hs::BuildError);
}

// Every half times every tenth half, compared with the float product, rounded.
TEST_P(ElementTypes, AllHalves) {
  std::vector<hs::half> all;
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits)
    all.push_back(hs::half::from_bits(static_cast<std::uint16_t>(bits)));
  const auto a = hs::use(hasten_test::vector_of(all));
  const auto [product, root, wide] =
      run(std::tuple{a * hs::half(0.3F), hs::sqrt(hs::abs(a)), hs::cast<float>(a)});
  const auto same = [](float got, float wanted) {
    return got == wanted || (std::isnan(got) && std::isnan(wanted));
  };
  for (std::int64_t i = 0; i < product.size(); ++i) {
    const float x = all[static_cast<std::size_t>(i)];
    ASSERT_TRUE(same(wide(i), x)) << i;
    ASSERT_TRUE(same(product(i), hs::half(x * hs::half(0.3F)))) << i;
    ASSERT_TRUE(same(root(i), hs::half(std::sqrt(std::fabs(x))))) << i;
  }
}

TEST_P(ElementTypes, FoldsOfHalvesRoundEveryStep) {
  // Depending on the grouping, the 1s are added before they meet 2048, or are lost one by one.
  const Vector<hs::half> v{hs::half(2048), 1, 1, 1};
  const hs::half sum = run(hs::sum(hs::use(v))).item();
  EXPECT_TRUE(sum == hs::half(2048) || sum == hs::half(2050) || sum == hs::half(2052)) << sum;
  EXPECT_EQ(run(hs::minimum(hs::use(v))).item(), hs::half(1));
  EXPECT_EQ(run(hs::maximum(hs::use(v))).item(), hs::half(2048));
}

TEST(HostArrays, PrintSmallFloats) {
  EXPECT_EQ(shown(Vector<hs::half>{1, 0.5F, 65504}), "[1, 0.5, 65504]");
  EXPECT_EQ(shown(Vector<hs::bfloat16>{-1, HUGE_VALF}), "[-1, inf]");
}

HASTEN_ON_EVERY_TARGET(ElementTypes);

}  // namespace
