// Sorts that are cut into ranges, over devices and in time, with keys of any width and any
// distribution: the results equal the interpreter's bit for bit, and equal keys keep their order.
#include <hasten/hasten.hpp>

#include "tests/support/devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Ix, hs::Vector;

namespace {

// One element, fewer than parts, a prime, around tiles and samples, and a large one.
constexpr std::int64_t sizes[] = {0, 1, 2, 7, 63, 64, 65, 1009, 4096, 4097, 40'009};

std::uint64_t scattered(std::int64_t i) {
  auto x = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  return x ^ (x >> 27);
}

/// Keys of one distribution: `name` says which.
template <class T>
struct Keys {
  const char* name;
  T (*at)(std::int64_t i);
};
template <class T>
std::vector<Keys<T>> distributions() {
  std::vector<Keys<T>> all = {
      {"equal", [](std::int64_t) { return T{7}; }},
      {"greatest", [](std::int64_t) { return std::numeric_limits<T>::max(); }},
      {"sorted", [](std::int64_t i) { return static_cast<T>(i); }},
      {"reversed", [](std::int64_t i) { return static_cast<T>(-i); }},
      {"few", [](std::int64_t i) { return static_cast<T>(scattered(i) % 3); }},
      {"one and few", [](std::int64_t i) { return static_cast<T>(i % 97 == 0 ? i % 5 : 3); }},
      {"any", [](std::int64_t i) {
         const auto word = scattered(i);
         if constexpr (std::is_floating_point_v<T>)
           return static_cast<T>(static_cast<std::int64_t>(word)) * T(1e-12);
         else
           return static_cast<T>(word);
       }}};
  if constexpr (std::is_floating_point_v<T>)
    all.push_back({"special", [](std::int64_t i) {
                     constexpr T infinity = std::numeric_limits<T>::infinity();
                     const T nan = T(std::nan("")), other_nan = T(std::nan("3"));
                     const T some[] = {T(0),      -T(0), nan,   -nan,  infinity,
                                       -infinity, T(1),  T(-1), -T(0), other_nan};
                     return some[scattered(i) % std::size(some)];
                   }});
  return all;
}

template <class T>
auto bits(const Vector<T>& array) {
  using Word = std::conditional_t<
      sizeof(T) == 8, std::uint64_t,
      std::conditional_t<sizeof(T) == 4, std::uint32_t,
                         std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
  std::vector<Word> words;
  for (const T x : array.span()) words.push_back(std::bit_cast<Word>(x));
  return words;
}

class SortedRanges : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam().find("opencl") != std::string::npos) hs::test::require_device("opencl");
  }
  // The processor alone: parts come one after the other.
  void TearDown() override { unsetenv("HASTEN_STREAMING"); }
  void cut(int parts) { setenv("HASTEN_STREAMING", std::to_string(parts).c_str(), 1); }

  template <class T>
  void expect_sorted() const {
    const auto f = hs::compile(
        [](const Acc<Vector<T>>& a) {
          return std::tuple(hs::sort(a), hs::sort(a, hs::Order::descending));
        },
        options());
    const auto by_key = hs::compile(
        [](const Acc<Vector<T>>& keys, const Acc<Vector<std::int32_t>>& values) {
          return hs::sort_by_key(keys, values).second;
        },
        options());
    for (const Keys<T>& keys : distributions<T>())
      for (const std::int64_t n : sizes) {
        SCOPED_TRACE(testing::Message() << keys.name << ", " << n);
        const auto xs = Vector<T>::from_function(n, [&](Ix<1> i) { return keys.at(i[0]); });
        const auto places = Vector<std::int32_t>::from_function(
            n, [](Ix<1> i) { return static_cast<std::int32_t>(i[0]); });
        const hs::Options whole{.target = hs::interpreter()};
        const auto [ascending, descending] = f(xs);
        EXPECT_EQ(bits(ascending), bits(hs::run(hs::sort(hs::use(xs)), whole)));
        EXPECT_EQ(bits(descending),
                  bits(hs::run(hs::sort(hs::use(xs), hs::Order::descending), whole)));
        const auto expected = hs::run(hs::sort_by_key(hs::use(xs), hs::use(places)).second, whole);
        EXPECT_EQ(by_key(xs, places), expected);
      }
  }

 private:
  [[nodiscard]] hs::Options options() const {
    hs::Options some{.target = hs::Target(GetParam())};
    if (GetParam().starts_with("multi")) some.split = {3, 1};
    return some;
  }
};

TEST_P(SortedRanges, OfFloats) {
  for (const int parts : {4, 16}) {
    cut(parts);
    expect_sorted<float>();
  }
}
TEST_P(SortedRanges, OfDoubles) {
  cut(4);
  expect_sorted<double>();
}
TEST_P(SortedRanges, OfIntegersOfAnyWidth) {
  cut(4);
  expect_sorted<std::int32_t>();
  expect_sorted<std::int8_t>();
  expect_sorted<std::uint16_t>();
  expect_sorted<std::uint64_t>();
}

TEST_P(SortedRanges, OfKeysOfSeveralComponents) {
  cut(4);
  using Pairs = Vector<std::tuple<std::int32_t, std::uint8_t>>;
  for (const std::int64_t n : sizes) {
    SCOPED_TRACE(n);
    const auto xs = Pairs::from_function(n, [](Ix<1> i) {
      return std::tuple(static_cast<std::int32_t>(scattered(i[0]) % 5),
                        static_cast<std::uint8_t>(scattered(i[0]) >> 20));
    });
    const auto program = [](const Acc<Pairs>& a) { return hs::sort(a); };
    EXPECT_EQ(hs::run(program(hs::use(xs)), {.target = hs::Target(GetParam())}),
              hs::run(program(hs::use(xs)), {.target = hs::interpreter()}));
  }
}

INSTANTIATE_TEST_SUITE_P(SeveralDevices, SortedRanges,
                         testing::Values("cpu", "opencl:0", "multi:cpu,opencl:0"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == ':' || c == ','; }, '_');
                           return name;
                         });

// A range of one key only is no longer than others: it fits where a part does.
TEST(SortsThatStream, OfOneKeyFitTheirBudget) {
  hs::test::require_device("opencl");
  constexpr std::int64_t n = 300'000;
  const auto xs = Vector<float>::from_function(n, [](Ix<1>) { return 2.5F; });
  const auto places = Vector<std::int32_t>::from_function(
      n, [](Ix<1> i) { return static_cast<std::int32_t>(i[0]); });
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& keys, const Acc<Vector<std::int32_t>>& values) {
        return hs::sort_by_key(keys, values).second;
      },
      {.target = hs::opencl(0), .memory_limit = 512 * 1024});
  EXPECT_EQ(f(xs, places), places);
}

}  // namespace
