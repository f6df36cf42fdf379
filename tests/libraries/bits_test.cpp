// Every entry, called as C calls it, has the bits of its program in this process.
#include "arrays.hpp"
#include "programs.hpp"
#include "test_programs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hs = hasten;
using namespace library_programs;

template <class A>
test_programs_array of(const A& array) {
  return borrowed_as<test_programs_array>(*hs::detail::Access::host(array));
}
template <class A>
void expect_same(const A& expected, const test_programs::array& got, const std::string& what) {
  library_programs::expect_same(*hs::detail::Access::host(expected), got.c(), what);
}

const hs::Options on_cpu{.target = hs::cpu()};
constexpr std::int64_t sizes[] = {0, 1, 2, 31, 997, 70001};

class Libraries : public testing::Test {
 protected:
  std::vector<float> floats(std::int64_t n, float low = -1, float high = 1) {
    std::uniform_real_distribution<float> any(low, high);
    std::vector<float> list(static_cast<std::size_t>(n));
    for (float& x : list) x = any(random_);
    return list;
  }
  hs::Vector<float> vector(std::int64_t n, float low = -1, float high = 1) {
    return hs::Vector<float>(hs::Ix{n}, floats(n, low, high));
  }
  hs::Matrix<float> matrix(std::int64_t rows, std::int64_t columns) {
    return hs::Matrix<float>(hs::Ix{rows, columns}, floats(rows * columns));
  }

  std::mt19937 random_{7};
  test_programs::context library_;
};

// Results in the memory of arguments, where one result equals an argument's old value.
TEST_F(Libraries, ResultsMayTakeArgumentsMemory) {
  float now[] = {1, 2, 3}, before[] = {0, 5, 1};
  test_programs_context* context = nullptr;
  ASSERT_EQ(test_programs_create_context(&context, nullptr), TEST_PROGRAMS_OK);
  test_programs_array a = test_programs_f32_1(now, 3), b = test_programs_f32_1(before, 3);
  ASSERT_EQ(test_programs_stepped(context, &a, &b, &a, &b), TEST_PROGRAMS_OK)
      << test_programs_last_error();
  EXPECT_EQ((std::vector<float>(now, now + 3)), (std::vector<float>{2, -1, 5}));
  EXPECT_EQ((std::vector<float>(before, before + 3)), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(test_programs_free_context(context), TEST_PROGRAMS_OK);
}

TEST_F(Libraries, Dot) {
  const auto f = hs::compile(programs::dotp, on_cpu);
  for (const std::int64_t n : sizes) {
    const auto xs = vector(n), ys = vector(n);
    expect_same(f(xs, ys), library_.dot(of(xs), of(ys)), std::to_string(n));
  }
}

TEST_F(Libraries, StructsAndMathematicalFunctions) {
  const auto f = hs::compile(programs::black_scholes, on_cpu);
  for (const std::int64_t n : sizes) {
    std::vector<programs::Option> options;
    for (const float x : floats(n, 0.1F, 2)) options.push_back({10 * x, 20 / x, x});
    const auto list = hs::Vector<programs::Option>(hs::Ix{n}, options);
    expect_same(f(list), library_.black_scholes(of(list)), std::to_string(n));
  }
  const auto g = hs::compile(waves, on_cpu);
  const hs::Vector<double> x{0.0, -0.0, 1e-300, 0.5, -3.0, 1e9, INFINITY, NAN, 2.0};
  expect_same(g(x), library_.waves(of(x)), "waves");
}

TEST_F(Libraries, Bodies) {
  const auto f = hs::compile(programs::accelerations, on_cpu);
  for (const std::int64_t n : {0, 1, 5, 997}) {
    std::vector<programs::Body> bodies;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto x = floats(4);
      bodies.push_back({{x[0], x[1], x[2]}, 1 + x[3]});
    }
    const auto list = hs::Vector<programs::Body>(hs::Ix{n}, bodies);
    expect_same(f(list), library_.accelerations(of(list)), std::to_string(n));
  }
}

TEST_F(Libraries, StencilsAndProducts) {
  const auto f = hs::compile(programs::blurred, on_cpu);
  const auto g = hs::compile(product, on_cpu);
  for (const auto& [rows, columns] : {std::pair{0, 3}, {1, 1}, {7, 131}, {300, 257}}) {
    const auto image = matrix(rows, columns), other = matrix(columns, 61);
    const std::string what = std::to_string(rows) + " x " + std::to_string(columns);
    expect_same(f(image), library_.blurred(of(image)), what);
    expect_same(g(image, other), library_.product(of(image), of(other)), what);
  }
}

TEST_F(Libraries, ComplexNumbers) {
  const auto f = hs::compile(programs::fft_rows, on_cpu);
  for (const std::int64_t n : {1, 2, 64, 4096}) {
    std::vector<std::complex<float>> list;
    for (const float x : floats(3 * n)) list.emplace_back(x, x * x);
    const auto rows = hs::Matrix<std::complex<float>>(hs::Ix{std::int64_t{3}, n}, list);
    expect_same(f(-1.0F, rows), library_.fft_rows(-1.0F, of(rows)), std::to_string(n));
  }
}

TEST_F(Libraries, SizesThatFollowFromData) {
  const auto f = hs::compile(positive, on_cpu);
  const auto g = hs::compile(sorted, on_cpu);
  for (const std::int64_t n : sizes) {
    const auto x = vector(n);
    expect_same(f(x), library_.positive(of(x)), std::to_string(n));
    expect_same(g(x), library_.sorted(of(x)), std::to_string(n));
  }
}

TEST_F(Libraries, LoopsBranchesAndNumbers) {
  const auto f = hs::compile(relaxed, on_cpu);
  for (const std::int64_t n : {1, 31, 997})
    for (const bool doubled : {false, true}) {
      const auto x = vector(n);
      const auto [expected, size, sum] = f(x, 3, doubled);
      const auto [got, got_size, got_sum] = library_.relaxed(of(x), 3, doubled);
      expect_same(expected, got, std::to_string(n));
      EXPECT_EQ(size, got_size);
      EXPECT_EQ(sum, got_sum);
    }
}

TEST_F(Libraries, ConjugateGradients) {
  // The second difference plus the identity.
  constexpr std::int64_t n = 500;
  std::vector<std::int64_t> lengths, columns;
  std::vector<double> values;
  for (std::int64_t row = 0; row < n; ++row) {
    std::int64_t length = 0;
    for (std::int64_t column = std::max<std::int64_t>(row - 1, 0); column < std::min(n, row + 2);
         ++column, ++length) {
      columns.push_back(column);
      values.push_back(row == column ? 3.0 : -1.0);
    }
    lengths.push_back(length);
  }
  const auto vector_of = []<class T>(const std::vector<T>& list) {
    return hs::Vector<T>(hs::Ix{std::ssize(list)}, list);
  };
  const auto b = vector_of(std::vector<double>(n, 1.5));
  const auto l = vector_of(lengths), c = vector_of(columns);
  const auto v = vector_of(values);
  const auto f = hs::compile(programs::conjugate_gradient, on_cpu);
  const auto [x, steps] = f({l, c, v}, b, 1e-9, 1000);
  const auto [got, got_steps] = library_.conjugate_gradient(of(l), of(c), of(v), of(b), 1e-9, 1000);
  expect_same(x, got, "solution");
  expect_same(steps, got_steps, "steps");
  EXPECT_GT(steps.item(), 3);
}

TEST_F(Libraries, ArraysOfTheExportingProcess) {
  const auto f = hs::compile(running_counts, on_cpu);
  for (const std::int64_t n : sizes) {
    std::vector<std::uint8_t> keys;
    for (const float x : floats(n, 0, 255)) keys.push_back(static_cast<std::uint8_t>(x));
    const auto list = hs::Vector<std::uint8_t>(hs::Ix{n}, keys);
    expect_same(f(list), library_.running_counts(of(list)), std::to_string(n));
  }
}

TEST_F(Libraries, LoopsOverDifferentSpaces) {
  const auto f = hs::compile(joined, on_cpu);
  for (const std::int64_t n : sizes)
    for (const std::int64_t m : {std::int64_t{0}, std::int64_t{5}, std::int64_t{40009}}) {
      const auto x = vector(n), y = vector(m);
      expect_same(f(x, y), library_.joined(of(x), of(y)), std::to_string(n));
    }
  EXPECT_EQ(f.kernel_count(), 1);
}

TEST_F(Libraries, SmallFloatsAndBools) {
  const auto f = hs::compile(halved, on_cpu);
  std::vector<hs::half> list;
  for (const float x : floats(1003, -3, 3)) list.emplace_back(x);
  const auto x = hs::Vector<hs::half>(hs::Ix{std::ssize(list)}, list);
  const auto [values, flags] = f(x);
  const auto [got_values, got_flags] = library_.halved(of(x));
  expect_same(values, got_values, "values");
  expect_same(flags, got_flags, "flags");
}

TEST_F(Libraries, ResultsAreNeverTheCallersMemory) {
  const auto x = matrix(3, 5);
  const auto given = of(x);
  const auto got = library_.flat(given);
  EXPECT_NE(got.c().data[0], given.data[0]);
  expect_same(hs::compile(flat, on_cpu)(x), got, "flat");
}

TEST_F(Libraries, ResultsInMemoryOfTheCaller) {
  const auto x = vector(100);
  const auto expected = hs::compile(sorted, on_cpu)(x).to_vector();
  const auto given = of(x);
  std::vector<float> to(100);
  test_programs_context* context = nullptr;
  ASSERT_EQ(test_programs_create_context(&context, nullptr), TEST_PROGRAMS_OK);
  test_programs_array place = test_programs_f32_1(to.data(), 100);
  ASSERT_EQ(test_programs_sorted(context, &given, &place), TEST_PROGRAMS_OK);
  EXPECT_EQ(to, expected);
  EXPECT_EQ(place.owner, 0U);
  place = test_programs_f32_1(to.data(), 99);
  EXPECT_EQ(test_programs_sorted(context, &given, &place), TEST_PROGRAMS_INVALID_ARGUMENT);
  EXPECT_STREQ(test_programs_last_error(),
               "sorted: result r0 has extents {100}, and the memory is for {99}");
  EXPECT_EQ(test_programs_free_context(context), TEST_PROGRAMS_OK);
}

// Beside numbers, and arrays of the library's.
TEST_F(Libraries, SomeResultsInMemoryOfTheCaller) {
  const auto x = vector(70001);
  const auto [expected, expected_size, expected_sum] = hs::compile(relaxed, on_cpu)(x, 0, true);
  const auto given = of(x);
  std::vector<float> to(70001);
  test_programs_context* context = nullptr;
  ASSERT_EQ(test_programs_create_context(&context, nullptr), TEST_PROGRAMS_OK);
  test_programs_array place = test_programs_f32_1(to.data(), 70001);
  std::int64_t size = 0;
  float sum = 0;
  ASSERT_EQ(test_programs_relaxed(context, &given, 0, true, &place, &size, &sum), TEST_PROGRAMS_OK)
      << test_programs_last_error();
  EXPECT_EQ(to, expected.to_vector());
  EXPECT_EQ(size, expected_size);
  EXPECT_EQ(sum, expected_sum);
  to.assign(70001, 0.0F);
  size = 0;
  library_.relaxed_into(given, 0, true, place, size, sum);
  EXPECT_EQ(to, expected.to_vector());
  EXPECT_EQ(size, expected_size);
  test_programs_array short_place = test_programs_f32_1(to.data(), 7);
  EXPECT_THROW(library_.relaxed_into(given, 0, true, short_place, size, sum), test_programs::error);
  const auto [next, now] = hs::compile(stepped, on_cpu)(x, x);
  test_programs_array own{};
  ASSERT_EQ(test_programs_stepped(context, &given, &given, &place, &own), TEST_PROGRAMS_OK);
  EXPECT_EQ(to, next.to_vector());
  EXPECT_EQ(std::memcmp(own.data[0], now.span().data(), now.span().size_bytes()), 0);
  EXPECT_EQ(test_programs_free_array(&own), TEST_PROGRAMS_OK);
  test_programs_array same = place;
  EXPECT_EQ(test_programs_stepped(context, &given, &given, &place, &same),
            TEST_PROGRAMS_INVALID_ARGUMENT);
  EXPECT_STREQ(test_programs_last_error(),
               "stepped: memory of two results overlaps; give each memory of its own");
  EXPECT_EQ(test_programs_free_context(context), TEST_PROGRAMS_OK);
}

// The bits are the same on every level, and in process.
TEST_F(Libraries, EverywhereOnEveryLevel) {
  const hs::Options everywhere{.target = hs::cpu(), .determinism = hs::Determinism::everywhere};
  std::vector<programs::Option> options;
  std::vector<programs::Body> bodies;
  std::vector<double> numbers{0.0, -0.0, 1e-300, -3.0, 1e9, INFINITY, NAN};
  std::vector<hs::half> halves;
  for (const float x : floats(997, 0.1F, 2)) {
    options.push_back({10 * x, 20 / x, x});
    bodies.push_back({{x, 1 / x, x * x}, x});
    numbers.push_back(x);
    halves.emplace_back(x - 1);
  }
  const auto vector_of = []<class T>(const std::vector<T>& list) {
    return hs::Vector<T>(hs::Ix{std::ssize(list)}, list);
  };
  const auto a = vector_of(numbers);
  const auto b = vector_of(options);
  const auto c = vector_of(bodies);
  const auto d = vector_of(halves);
  for (const std::int32_t level : {TEST_PROGRAMS_BASELINE, TEST_PROGRAMS_AVX2}) try {
      const test_programs::context library({2, level, 0, 0, 0});
      const std::string what = "level " + std::to_string(level);
      expect_same(hs::compile(waves, everywhere)(a), library.waves_everywhere(of(a)), what);
      expect_same(hs::compile(programs::black_scholes, everywhere)(b),
                  library.quotes_everywhere(of(b)), what);
      expect_same(hs::compile(programs::accelerations, everywhere)(c),
                  library.pulls_everywhere(of(c)), what);
      const auto [values, flags] = hs::compile(halved, everywhere)(d);
      const auto [got, got_flags] = library.halved_everywhere(of(d));
      expect_same(values, got, what);
      expect_same(flags, got_flags, what);
    } catch (const test_programs::error& error) {
      EXPECT_EQ(error.status(), TEST_PROGRAMS_TARGET_ERROR) << error.what();
    }
}

// Lower levels have different bits, and are right.
TEST(LibraryLevels, EachGivesTheSameIntegersAndCloseFloats) {
  const std::vector<float> x(1000, 0.25F);
  for (const int32_t level : {TEST_PROGRAMS_BASELINE, TEST_PROGRAMS_AVX2, TEST_PROGRAMS_AVX512})
    for (const int32_t threads : {1, 3}) {
      test_programs_context* context = nullptr;
      const test_programs_options options{threads, level, 0, 0, 0};
      const auto status = test_programs_create_context(&context, &options);
      if (status == TEST_PROGRAMS_TARGET_ERROR) {
        EXPECT_NE(std::string(test_programs_last_error()).find("level"), std::string::npos);
        continue;
      }
      ASSERT_EQ(status, TEST_PROGRAMS_OK) << test_programs_last_error();
      const auto xs = test_programs_f32_1(x.data(), 1000);
      test_programs_array sum{};
      ASSERT_EQ(test_programs_dot(context, &xs, &xs, &sum), TEST_PROGRAMS_OK)
          << test_programs_last_error();
      EXPECT_EQ(*static_cast<float*>(sum.data[0]), 62.5F);
      test_programs_free_array(&sum);
      test_programs_free_context(context);
    }
}

}  // namespace
