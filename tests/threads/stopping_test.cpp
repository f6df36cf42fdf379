// Calls that are stopped while others begin, run and end.
#include "support.hpp"

#include <chrono>
#include <stop_token>
#include <thread>
#include <vector>

namespace hasten {
namespace {

using hasten_test::on_threads;
using Ints = Vector<std::int64_t>;

constexpr int thread_count = 6;
constexpr std::int64_t forever = std::int64_t{1} << 60;

// Every element counts up to a bound.
auto count_to(const Options& options) {
  return compile(
      [](const Acc<Ints>& xs, const Exp<std::int64_t>& bound) {
        return map(
            [=](const Exp<std::int64_t>& x) {
              return while_loop([=](auto k) { return k < bound; }, [](auto k) { return k + 1; }, x);
            },
            xs);
      },
      options);
}

class StoppingThreads : public testing::TestWithParam<Target> {};

TEST_P(StoppingThreads, ATokenStopsTheCallsOfAllThreads) {
  std::stop_source source;
  const auto count = count_to({.target = GetParam(), .stop = source.get_token()});
  const Ints xs{1, 2, 3, 4, 5};
  EXPECT_EQ(count(xs, 10), (Ints{10, 10, 10, 10, 10}));
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.request_stop();
  });
  on_threads(thread_count, [&](int) { EXPECT_THROW((void)count(xs, forever), StoppedError); });
}

// What is cancelled may be there already; what is not cancelled is right.
TEST_P(StoppingThreads, CancelsMeetCallsAtAnyPoint) {
  const auto count = count_to({.target = GetParam()});
  const Ints xs{1, 2, 3}, expected{1000, 1000, 1000};
  on_threads(thread_count, [&](int thread) {
    for (int round = 0; round < 30; ++round) {
      const auto first = count.async(xs, 1000);
      const auto second = count.async(xs, thread % 2 == 0 ? 1000 : forever);
      if (round % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50 * round));
      second.cancel();
      try {
        EXPECT_EQ(second.get(), expected);
      } catch (const StoppedError&) {
        EXPECT_THROW((void)second.get(), StoppedError);
      }
      EXPECT_EQ(first.get(), expected);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Targets, StoppingThreads, testing::Values(cpu(), interpreter()),
                         [](const auto& of) { return of.param.name(); });

}  // namespace
}  // namespace hasten
