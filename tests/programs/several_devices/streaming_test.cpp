// Programs whose arrays exceed Options::memory_limit stream through their device, and through each
// of several: results are the interpreter's.
#include <hasten/hasten.hpp>

#include "tests/support/devices.hpp"
#include "tests/support/fake_cuda.hpp"
#include "tests/support/rows_that_move.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Ix, hs::Matrix, hs::Vector;

namespace {

using Ints = Vector<std::int32_t>;
using Table = Matrix<std::int32_t>;

constexpr std::int64_t KiB = 1024;
constexpr std::int64_t sizes[] = {40'000, 65'537, 100'003};

Ints numbers(std::int64_t n) {
  return Ints::from_function(
      n, [](Ix<1> i) { return static_cast<std::int32_t>(i[0] * 7919 % 1009 - 500); });
}
Table table(std::int64_t rows, std::int64_t columns) {
  return Table::from_function({rows, columns}, [](Ix<2> i) {
    return static_cast<std::int32_t>((i[0] * 31 + i[1] * 7919) % 1009 - 500);
  });
}

/// f of arrays, as the interpreter computes it.
template <class F, class... Arrays>
void expect_equal(const hs::Options& options, F f, const Arrays&... arrays) {
  const auto expected = hs::run(f(hs::use(arrays)...), {.target = hs::interpreter()});
  EXPECT_EQ(hs::run(f(hs::use(arrays)...), options), expected);
}

void expect_all_operations(const hs::Options& options) {
  for (const std::int64_t n : sizes) {
    SCOPED_TRACE(n);
    const Ints xs = numbers(n);
    expect_equal(options, [](auto a) { return a * 3 + 1; }, xs);
    expect_equal(
        options, [](auto a, auto b) { return hs::zip_with(std::minus<>{}, a, b); }, xs,
        numbers(n - 77));
    expect_equal(options, [](auto a) { return hs::sum(a * a); }, xs);
    expect_equal(options, [](auto a) { return hs::scanl1(std::plus<>{}, a); }, xs);
    expect_equal(options, [](auto a) { return hs::scanl(std::plus<>{}, 3, a) * 2; }, xs);
    expect_equal(
        options,
        [](auto a) { return hs::histogram(10, [](auto x) { return hs::abs(x) % 10; }, a); }, xs);
    expect_equal(options, [](auto a, auto b) { return hs::concat(a, b * 2, a); }, xs, numbers(99));
    const auto third = [](auto x) { return x % 3 == 0; };
    expect_equal(options, [=](auto a) { return hs::filter(third, a) + 1; }, xs);
    expect_equal(options, [=](auto a) { return hs::sum(hs::filter(third, a)); }, xs);
    const auto near = [](auto at) { return at(-1) + 3 * at(2) - at(0); };
    expect_equal(
        options, [=](auto a) { return hs::stencil(near, hs::boundary::clamp, hs::compute(a + 1)); },
        xs);
    expect_equal(
        options,
        [=](auto a) {
          return hs::aiterate(
              3, [=](auto x) { return hs::stencil(near, hs::boundary::clamp, x); }, a);
        },
        xs);
  }
  const Table rows = table(3001, 17);
  expect_equal(options, [](auto a) { return hs::sum(a * a); }, rows);
  expect_equal(options, [](auto a) { return hs::sum_on<0>(a * a); }, rows);
  const auto across = [](auto at) { return at(-1, 0) + 2 * at(1, 0) - at(0, 1); };
  expect_equal(
      options, [=](auto a) { return hs::stencil(across, hs::boundary::clamp, a + 1); }, rows);
}

TEST(Streaming, ThroughOpenCl) {
  hs::test::require_device("opencl");
  expect_all_operations({.target = hs::opencl(0), .memory_limit = 128 * KiB});
}

TEST(Streaming, RowsThatMove) {
  hs::test::require_device("opencl");
  const hs::Options options{.target = hs::opencl(0), .memory_limit = 128 * KiB};
  for (const std::int64_t n : sizes)
    hs::test::for_rows_that_move([&](auto program) { expect_equal(options, program, numbers(n)); });
}

TEST(Streaming, ThroughEachOfSeveral) {
  hs::test::require_device("opencl");
  for (const std::vector<double>& split : {std::vector<double>{1, 1}, {0, 1}, {5, 1}})
    expect_all_operations({.target = hs::multi({hs::cpu(), hs::opencl(0)}),
                           .memory_limit = 1024 * KiB,
                           .split = split});
}

// The program's memory there is its results and its intermediate arrays: of these only a part.
TEST(Streaming, WhereKernelsWorkInHostMemory) {
  constexpr std::int64_t n = 1'000'000;
  const hs::Options options{.target = hs::cpu(), .memory_limit = 1024 * KiB};
  const auto f = hs::compile(
      [](const Acc<Ints>& a) {
        const auto scanned =
            hs::compute(hs::scanl1([](auto x, auto y) { return hs::max(x, y); }, a));
        return hs::sum(hs::zip_with(std::minus<>{}, scanned, a));
      },
      options);
  const auto whole = hs::compile(
      [](const Acc<Ints>& a) {
        const auto scanned =
            hs::compute(hs::scanl1([](auto x, auto y) { return hs::max(x, y); }, a));
        return hs::sum(hs::zip_with(std::minus<>{}, scanned, a));
      },
      {.target = hs::cpu()});
  const Ints xs = numbers(n);
  EXPECT_EQ(f(xs), whole(xs));
  EXPECT_LE(f.statistics().bytes_peak, options.memory_limit);
  EXPECT_GT(whole.statistics().bytes_peak, n * 4);
  EXPECT_THROW(hs::run(hs::use(xs) + 1, options), hs::MemoryError);  // the result does not fit
}

// A file that is mapped into memory: its pages are read when their part is.
TEST(Streaming, ArgumentsOnDisk) {
  hs::test::require_device("opencl");
  constexpr std::int64_t n = 1'000'000;
  std::string name = testing::TempDir() + "hasten_streaming_XXXXXX";
  const int file = mkstemp(name.data());
  ASSERT_GE(file, 0);
  unlink(name.c_str());
  std::vector<std::int32_t> values(static_cast<std::size_t>(n));
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < n; ++i)
    expected += values[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * 31 % 1009);
  const auto bytes = static_cast<std::size_t>(n) * sizeof(std::int32_t);
  ASSERT_EQ(write(file, values.data(), bytes), static_cast<ssize_t>(bytes));
  void* const pages = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  ASSERT_NE(pages, MAP_FAILED);
  {
    const auto xs = Ints::borrow(
        std::span(static_cast<const std::int32_t*>(pages), static_cast<std::size_t>(n)),
        [=] { munmap(pages, bytes); });
    const auto f =
        hs::compile([](const Acc<Ints>& a) { return hs::sum(hs::cast<std::int64_t>(a)); },
                    {.target = hs::opencl(0), .memory_limit = 512 * KiB});
    EXPECT_EQ(f(xs).item(), expected);
  }
}

class StreamingOnFakeCuda : public hs::test::OnFakeCuda {
 protected:
  static Acc<Ints> program(const Acc<Ints>& xs) {
    return hs::scanl1(std::plus<>{}, hs::compute(xs * 3) + 1);
  }
  static constexpr std::int64_t n = 50'000;
};

TEST_F(StreamingOnFakeCuda, AllOperations) {
  expect_all_operations({.target = hs::cuda(0), .memory_limit = 128 * KiB});
}

// Wherever the call fails, it has an error or its results, and later calls behave as if it had not
// happened.
TEST_F(StreamingOnFakeCuda, FailuresInTheMiddle) {
  const Ints expected = hs::run(program(hs::use(numbers(n))), {.target = hs::interpreter()});
  const hs::Options options{.target = hs::cuda(0), .memory_limit = 128 * KiB};
  for (const char* kind : {"alloc", "launch", "copy", "crash"})
    for (int at = 1; at <= 21; at += 4) {
      const auto f = hs::compile(program, options);
      EXPECT_EQ(f(numbers(n)), expected);
      fail(kind, at);
      try {
        EXPECT_EQ(f(numbers(n)), expected) << kind << " " << at;
      } catch (const hs::Error&) {}
      reset();
      EXPECT_EQ(f(numbers(n)), expected) << kind << " " << at;
    }
}

TEST_F(StreamingOnFakeCuda, OthersDoThePartsOfOneThatFails) {
  const Ints expected = hs::run(program(hs::use(numbers(n))), {.target = hs::interpreter()});
  for (const char* kind : {"launch", "copy", "lost"})
    for (const int at : {1, 5, 9, 30}) {
      const auto f = hs::compile(program, {.target = hs::multi({hs::cuda(0), hs::cpu()}),
                                           .memory_limit = 512 * KiB,
                                           .split = {20, 1}});
      EXPECT_EQ(f(numbers(n)), expected);
      fail(kind, at);
      EXPECT_EQ(f(numbers(n)), expected) << kind << " " << at;
      reset();
      EXPECT_EQ(f(numbers(n)), expected) << kind << " " << at;
    }
}

}  // namespace
