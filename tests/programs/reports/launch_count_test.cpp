// launch_count(): the launches of one call, known before the first call.
#include "tests/programs/support.hpp"

#include <functional>
#include <tuple>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

class LaunchCount : public hasten_test::OnEveryDevice {
 protected:
  /// One call launches this often, by the statistics. The interpreter launches nothing.
  template <class F, class... Args>
  static void expect_launched(std::int64_t launches, const F& f, const Args&... args) {
    f(args...);
    const hs::Statistics before = f.statistics();
    f(args...);
    const bool is_interpreted = GetParam().target.name() == "interpreter";
    EXPECT_EQ((f.statistics() - before).launches, is_interpreted ? 0 : launches) << f.explain();
  }
};

const auto twice = [](const auto& x) { return x * 2.0f; };

TEST_P(LaunchCount, IsWhatACallLaunches) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& x) {
        const auto doubled = hs::compute(hs::map(twice, x));
        return std::tuple{hs::reverse(doubled), hs::scanl1(std::plus<>{}, doubled)};
      },
      GetParam());
  EXPECT_GE(f.launch_count(), 2) << f.explain();
  expect_launched(f.launch_count(), f, Vector<float>{1, 2, 3});
}

TEST_P(LaunchCount, CountsOneKernelAsOftenAsItIsLaunched) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& x, const Acc<Vector<float>>& y) {
        return std::tuple{hs::scanl1(std::plus<>{}, x), hs::scanl1(std::plus<>{}, y)};
      },
      GetParam());
  EXPECT_EQ(f.kernel_count(), 1) << f.explain();
  EXPECT_EQ(f.launch_count(), 2) << f.explain();
}

TEST_P(LaunchCount, CountsLoopsOnce) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& x, const Exp<std::int64_t>& n) {
        return hs::aiterate(n, [](const Acc<Vector<float>>& v) { return hs::map(twice, v); }, x);
      },
      GetParam());
  const std::int64_t in_a_round = f.launch_count();
  EXPECT_EQ(in_a_round, 1) << f.explain();
  expect_launched(5 * in_a_round, f, Vector<float>{1, 2, 3}, 5);
  const auto with_condition = hs::compile(
      [](const Acc<Vector<float>>& x) {
        return hs::awhile([](const Acc<Vector<float>>& v) { return hs::the(hs::sum(v)) < 100.0f; },
                          [](const Acc<Vector<float>>& v) { return hs::map(twice, v); }, x);
      },
      GetParam());
  EXPECT_EQ(with_condition.launch_count(), 2) << with_condition.explain();
}

TEST_P(LaunchCount, CountsTheLongerBranch) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& x, const Exp<bool>& both) {
        const auto y = hs::map(twice, x);
        return hs::acond(both, hs::reverse(hs::scanl1(std::plus<>{}, y)), y);
      },
      GetParam());
  EXPECT_EQ(f.launch_count(), 3) << f.explain();  // y is needed by both
  expect_launched(3, f, Vector<float>{1, 2, 3}, true);
  expect_launched(1, f, Vector<float>{1, 2, 3}, false);
}

TEST_P(LaunchCount, CountsNoCopiesSortsAndForeignCalls) {
  const auto same = hs::compile([](const Acc<Vector<float>>& x) { return x; }, GetParam());
  EXPECT_EQ(same.launch_count(), 0);
  const auto foreign = hs::compile(
      [](const Acc<Vector<float>>& x) {
        return hs::foreign_acc(
            hs::on_cpu("launch_count::same", [](const Vector<float>& a) { return a; }),
            [](const Acc<Vector<float>>& a) { return hs::map(twice, a); }, x);
      },
      {.target = hs::cpu()});
  EXPECT_EQ(foreign.launch_count(), 0) << foreign.explain();
}

HASTEN_ON_EVERY_DEVICE(LaunchCount);

}  // namespace
