// A call waits only for its own work: while one call's launches are held on the fake CUDA driver,
// others copy, compute, allocate memory and return. A wait for a foreign launch would never return
// here.
#include <hasten/hasten.hpp>

#include "tests/support/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <thread>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

namespace {

using Ints = Vector<std::int32_t>;

constexpr std::int64_t large = 1 << 18;  // 1 MiB: copied in pieces

class OwnWork : public hs::test::OnFakeCuda {
 protected:
  static hs::Options options() { return {.target = hs::cuda(1)}; }
  static Ints numbers(std::int64_t n, std::int32_t first = 0) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = first + static_cast<std::int32_t>(i % 1000);
    return {n, std::span<const std::int32_t>(values)};
  }

  // Several launches, between which blocks are freed.
  static Acc<Ints> long_chain(const Acc<Ints>& xs) {
    Acc<Ints> v = xs;
    for (int i = 1; i <= 6; ++i) v = hs::compute(hs::scanl1(std::plus<>{}, hs::reverse(v)));
    return v;
  }
  static Acc<Ints> loop(const Exp<std::int64_t>& n, const Acc<Ints>& xs) {
    return hs::aiterate(n, [](const Acc<Ints>& v) { return v * 3 + 1; }, xs);
  }
  static Acc<Ints> short_call(const Acc<Ints>& xs) {
    const auto sums = hs::compute(hs::scanl1(std::plus<>{}, xs));
    return hs::zip_with(std::plus<>{}, sums, hs::compute(hs::reverse(xs)));
  }

  /// Starts a call on another thread and waits until all its launches are held, at least this many
  /// launches and graphs.
  [[nodiscard]] std::future<Ints> begin_held(long long launches, long long graphs,
                                             const std::function<Ints()>& call) const {
    const long long before = counts().graph_launches;
    std::future<Ints> pending;
    holding([&] {
      pending = std::async(std::launch::async, call);
      EXPECT_TRUE(are_held(launches));
      EXPECT_TRUE(becomes_true([&] { return counts().graph_launches >= before + graphs; }));
    });
    return pending;
  }
  /// The number of held launches once it is stable: those that a call enqueues before it waits for
  /// them.
  [[nodiscard]] long long held_when_settled() const {
    EXPECT_TRUE(are_held(1));
    long long settled = 0;
    EXPECT_TRUE(becomes_true([&] {
      settled = counts().held;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return counts().held == settled;
    }));
    return settled;
  }
  static bool is_done(const std::future<Ints>& pending) {
    return pending.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  /// Runs f on another thread; if it does not return, the held launches are released.
  void expect_to_return(const std::function<void()>& f) const {
    auto done = std::async(std::launch::async, f);
    const auto state = done.wait_for(std::chrono::seconds(20));
    EXPECT_EQ(state, std::future_status::ready) << "it waits for another call's work";
    if (state != std::future_status::ready) release_all();
    done.get();
  }

  /// Several calls, from upload to download, on arrays of several sizes.
  template <class Program>
  void expect_calls_to_return(const Program& f, const Program& oracle) const {
    for (const std::int64_t n : {std::int64_t{100}, std::int64_t{5000}, large})
      for (std::int32_t i = 0; i < 6; ++i) {
        const Ints xs = numbers(n, i), expected = oracle(xs);
        expect_to_return([&] { EXPECT_EQ(f(xs), expected) << n; });
      }
  }
};

TEST_F(OwnWork, CallsReturnWhileAnotherIsUnderWay) {
  const auto held = hs::compile(long_chain, options());
  const auto f = hs::compile(short_call, options());
  const auto oracle = hs::compile(short_call, {.target = hs::interpreter()});
  const Ints xs = numbers(large), expected = held(xs);
  static_cast<void>(f(xs)(0));
  auto pending = begin_held(6, 0, [&] { return held(xs); });
  expect_calls_to_return(f, oracle);
  EXPECT_FALSE(is_done(pending));
  release_all();
  EXPECT_EQ(pending.get(), expected);
  // The memory that the call used is available again.
  const long long allocations = counts().allocations;
  for (int i = 0; i < 10; ++i) static_cast<void>(f(xs)(0));
  EXPECT_EQ(counts().allocations, allocations);
}

TEST_F(OwnWork, SeveralCallsAreUnderWay) {
  const auto held = hs::compile(short_call, options());
  const Ints xs = numbers(5000), expected = held(xs);
  static_cast<void>(held.async(xs).get()(0));
  std::vector<hs::Pending<Ints>> pending;
  long long of_a_call = 0;
  holding([&] {
    pending.push_back(held.async(xs));
    of_a_call = held_when_settled();
  });
  release_all();
  EXPECT_EQ(pending.back().get(), expected);
  pending.clear();
  holding([&] {
    for (int i = 0; i < 3; ++i) pending.push_back(held.async(xs));
    // The launches of all three calls; later launches are not held.
    EXPECT_TRUE(are_held(3 * of_a_call));
  });
  expect_to_return([&] { EXPECT_EQ(held(xs), expected); });
  for (const auto& call : pending) EXPECT_FALSE(call.ready());
  release_all();
  for (const auto& call : pending) EXPECT_EQ(call.get(), expected);
}

TEST_F(OwnWork, AReplayHoldsNobodyUp) {
  const auto held = hs::compile(loop, options());
  const auto f = hs::compile(short_call, options());
  const auto oracle = hs::compile(short_call, {.target = hs::interpreter()});
  const std::int64_t rounds = 2000;
  const Ints xs = numbers(large), expected = held(rounds, xs);
  static_cast<void>(f(xs)(0));
  auto pending = begin_held(3, 1, [&] { return held(rounds, xs); });
  expect_calls_to_return(f, oracle);
  EXPECT_FALSE(is_done(pending));
  release_all();
  EXPECT_EQ(pending.get(), expected);
}

TEST_F(OwnWork, ProgramsAreDroppedWhileOthersAreUnderWay) {
  const auto held = hs::compile(long_chain, options());
  const Ints xs = numbers(5000), expected = held(xs);
  auto pending = begin_held(6, 0, [&] { return held(xs); });
  expect_to_return([&] {
    for (std::int32_t k = 0; k < 20; ++k) {
      const auto f = hs::compile(
          [&](const Acc<Ints>& v) {
            return hs::aiterate(std::int64_t{20}, [&](const Acc<Ints>& w) { return w * 3 + k; }, v);
          },
          options());
      static_cast<void>(f(xs)(0));
    }
  });
  release_all();
  EXPECT_EQ(pending.get(), expected);
}

// Copies between two devices bypass the host.
TEST_F(OwnWork, ArraysGoFromDeviceToDevice) {
  const auto here = hs::compile(short_call, {.target = hs::cuda(0)});
  const auto there = hs::compile(short_call, {.target = hs::cuda(1)});
  const auto oracle = hs::compile(short_call, {.target = hs::interpreter()});
  const Ints xs = numbers(large);
  Ints v = xs, expected = xs;
  const FakeCudaCounts before = counts();
  for (int round = 0; round < 6; ++round) {
    v = round % 2 == 0 ? here(v) : there(v);
    expected = oracle(expected);
  }
  const FakeCudaCounts after = counts();
  EXPECT_EQ(after.copies_on_device - before.copies_on_device, 5);
  EXPECT_EQ(after.copies_to_device - before.copies_to_device, 1);
  EXPECT_EQ(after.copies_from_device, before.copies_from_device);
  EXPECT_EQ(v, expected);
}

}  // namespace
