// Properties of the caller's thread and process: floating-point modes, small stacks, little memory.
#include "../support.hpp"
#include "child.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <cfenv>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

using hasten_test::in_child;
using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

class AttacksSurroundings : public hasten_test::OnEveryDevice {};

// Numbers whose sums round, and denormal ones; each `salt` makes another program.
Vector<float> results(const hs::Options& options, float salt) {
  const auto xs = hs::iota<float>(20000);
  const auto small = hs::map([](auto x) { return x * 1e-42F; }, xs);
  const auto thirds =
      hs::map([=](auto x) { return hs::sqrt(x / 3.0F) + hs::constant(salt) / 7.0F; }, xs);
  return hs::run(hs::concat(small, thirds, hs::scanl1(std::plus<>{}, thirds)), options);
}

TEST_P(AttacksSurroundings, RoundingModesOfTheCaller) {
  const auto expected = results(GetParam(), 1);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const auto again = results(GetParam(), 1);  // the kernels are compiled already
    const int after = std::fegetround();
    const auto other = results(GetParam(), static_cast<float>(mode + 2));  // and here they are not
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(after, mode);
    EXPECT_TRUE(identical(again, expected)) << mode;
    EXPECT_TRUE(identical(other, results(GetParam(), static_cast<float>(mode + 2)))) << mode;
  }
}

TEST_P(AttacksSurroundings, ExceptionFlagsOfTheCaller) {
  std::feclearexcept(FE_ALL_EXCEPT);
  results(GetParam(), 2);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
  std::feraiseexcept(FE_DIVBYZERO);
  results(GetParam(), 2);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_DIVBYZERO);
  std::feclearexcept(FE_ALL_EXCEPT);
}

#if defined(__SSE2__)
TEST_P(AttacksSurroundings, FlushingToZero) {
  const auto expected = results(GetParam(), 3);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040U);
  const auto again = results(GetParam(), 3);
  const unsigned after = _mm_getcsr();
  const auto other = results(GetParam(), 4);
  _mm_setcsr(before);
  EXPECT_EQ(after & 0x8040U, 0x8040U);
  EXPECT_TRUE(identical(again, expected));
  EXPECT_TRUE(identical(other, results(GetParam(), 4)));
}
#endif

// Runs f on a thread with a stack of this size.
void on_stack(std::size_t bytes, std::function<void()> f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* work) -> void* {
                  (*static_cast<std::function<void()>*>(work))();
                  return nullptr;
                },
                &f),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST_P(AttacksSurroundings, SmallStacks) {
  const hs::Options options = GetParam();
  const auto expected = results(options, 5);
  for (int i = 0; i < 3; ++i)
    on_stack(std::size_t{128} << 10, [&] {
      EXPECT_TRUE(identical(results(options, 5), expected));
      const auto salt = static_cast<float>(10 + i);
      results(options, salt);
      const auto rows = hs::generate(hs::ix(50, 70), [=](const Exp<hs::Ix<2>>& ix) {
        return hs::sin(hs::cast<float>(ix[0] * 3 + ix[1])) + hs::constant(salt);
      });
      hs::run(hs::sort(hs::flatten(rows)), options);
      EXPECT_THROW(hs::run(hs::minimum(hs::use(Vector<float>{})), options), hs::ShapeError);
    });
}

HASTEN_ON_EVERY_DEVICE(AttacksSurroundings);

#if HASTEN_WITH_LLVM && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// The size of this process's address space.
std::size_t bytes_mapped() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(Memory, ThatEndsWhileCompiling) {
  const auto program = [](float salt) {
    const auto x = hs::iota<float>(1000);
    return hs::sum(hs::map([=](auto v) { return hs::exp(v * hs::constant(salt)); }, x));
  };
  hs::run(program(0.5F), {.target = hs::cpu()});
  int refused = 0;
  for (std::size_t room = 0; room < 200; room += 4) {
    const int status = in_child([&] {
      const std::size_t most = bytes_mapped() + (room << 20);
      const rlimit limit{most, most};
      setrlimit(RLIMIT_AS, &limit);
      try {
        hs::run(program(static_cast<float>(room)), {.target = hs::cpu()});
      } catch (const hs::MemoryError&) {
        if (hs::run(program(0.5F), {.target = hs::cpu()}).item() <= 0) std::_Exit(9);
        std::_Exit(5);
      }
      std::_Exit(0);
    });
    EXPECT_TRUE(status == 0 || status == 5) << status << " with " << room << " MiB";
    refused += status == 5 ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
}

// Without any limit, a call that finds no memory is cut into parts: on the cpu target, too.
TEST(Memory, ThatEndsWhileRunning) {
  constexpr std::int64_t n = 250'000'000;  // 2 GB of numbers
  const auto kept = hs::filter([](auto i) { return i % 10'000 == 3; }, hs::iota<std::int64_t>(n));
  hs::run(hs::sum(hs::iota<std::int64_t>(1000)), {.target = hs::cpu()});
  const int status = in_child([&] {
    const std::size_t most = bytes_mapped() + (std::size_t{1} << 30);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_AS, &limit);
    try {
      constexpr std::int64_t kept_elements = n / 10'000;
      const auto compiled = hs::compile([&] { return hs::size(kept); }, {.target = hs::cpu()});
      std::_Exit(compiled() == kept_elements ? 0 : 9);
    } catch (const hs::MemoryError&) {
      std::_Exit(5);
    }
  });
  EXPECT_EQ(status, 0);
}

#endif

}  // namespace
