// A program ten times as large takes at most fifteen times as long up to its plan: tracing,
// sharing, passes, lowering. Nothing is compiled or run.
//
// The time is this thread's processor time, without a bound in seconds. One large program is beside
// ten small ones, half before and half after, which other load slows as much; the least ratio of
// several tries counts. Fifteen is the ratio on an otherwise idle machine, since ten times the
// memory misses more caches. Other load adds to that, so the test fails at 25; quadratic growth
// would take a hundred.
#include "tests/programs/support.hpp"

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>
#include <tuple>

using hs::Acc, hs::Exp, hs::Vector;
using Numbers = Acc<Vector<std::int32_t>>;

namespace {

struct Growing {
  const char* name;
  int operations;  // of the smaller program
  std::function<Numbers(const Numbers&, int)> make;
};

Numbers longer_by_one(const Numbers& a) {
  return hs::map([](auto x) { return x + 1; }, a);
}

const Growing programs[] = {
    {"ChainOfMaps", 2'000,
     [](Numbers a, int n) {
       for (int i = 0; i < n; ++i) a = longer_by_one(a);
       return a;
     }},
    {"ChainInMemory", 400,
     [](Numbers a, int n) {
       for (int i = 0; i < n; ++i) a = hs::compute(longer_by_one(a));
       return a;
     }},
    {"Expression", 2'000,
     [](const Numbers& a, int n) {
       return hs::map(
           [n](auto x) {
             auto y = x;
             for (int i = 0; i < n; ++i) y = (y ^ x) + i;
             return y;
           },
           a);
     }},
    {"SharedTwice", 1'000,
     [](Numbers a, int n) {
       for (int i = 0; i < n; ++i) a = hs::zip_with(std::plus<>{}, a, longer_by_one(a));
       return a;
     }},
    {"ReadsOfNeighbours", 300,
     [](Numbers a, int n) {
       for (int i = 0; i < n; ++i)
         a = hs::generate(3, [=](Exp<std::int64_t> x) { return a[x % 3] + a[(x + 1) % 3]; });
       return a;
     }},
    {"FoldsOfMaps", 300,
     [](Numbers a, int n) {
       for (int i = 0; i < n; ++i) {
         const Exp<std::int32_t> total = hs::the(hs::sum(a));
         a = hs::map([=](auto x) { return x - total; }, a);
       }
       return a;
     }},
    {"Conditions", 300,
     [](const Numbers& a, int n) {
       return hs::map(
           [n](auto x) {
             auto y = x;
             for (int i = 0; i < n; ++i) y = hs::select(y < i, y + 2, y - 1);
             return y;
           },
           a);
     }},
};

double seconds_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Every program is different, so nothing is found in a cache.
double seconds_to_plan(const Growing& program, int operations) {
  static int number = 0;
  const double start = seconds_of_thread();
  const auto f = hs::compile<Numbers(Numbers)>(
      [&](const Numbers& a) {
        return program.make(hs::map([](auto x) { return x * hs::constant(++number); }, a),
                            operations);
      },
      {.target = hs::interpreter()});
  EXPECT_GT(f.kernel_count(), 0);
  return seconds_of_thread() - start;
}

class Growth : public testing::TestWithParam<Growing> {};

double seconds_to_plan_all(const Growing& program, int operations, int times) {
  double sum = 0;
  for (int i = 0; i < times; ++i) sum += seconds_to_plan(program, operations);
  return sum;
}

TEST_P(Growth, IsLinear) {
  constexpr int tries = 4, times = 10;
  constexpr double promised = 15, most = 25;
  double ratio = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tries && ratio > promised; ++i) {
    const double before = seconds_to_plan_all(GetParam(), GetParam().operations, times / 2);
    const double large = seconds_to_plan(GetParam(), times * GetParam().operations);
    const double after = seconds_to_plan_all(GetParam(), GetParam().operations, times / 2);
    ratio = std::min(ratio, times * large / (before + after));
  }
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_LE(ratio, most);
}

INSTANTIATE_TEST_SUITE_P(Programs, Growth, testing::ValuesIn(programs),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
