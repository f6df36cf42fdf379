// A call that is stopped on one rank ends on all of them; later calls work again.
#include <hasten/hasten.hpp>
#include <hasten/mpi.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace hs = hasten;
using hs::Acc, hs::Ix, hs::Scalar;

namespace {

using Ints = hs::Vector<std::int32_t>;

Ints numbers(std::int64_t n) {
  return Ints::from_function(n, [](Ix<1> i) { return static_cast<std::int32_t>(i[0] % 1009); });
}

// Rounds in which parts read the last elements of other parts.
Acc<Ints> rounds_of(std::int64_t rounds, const Acc<Ints>& xs) {
  return hs::aiterate(
      rounds,
      [](const Acc<Ints>& v) {
        return hs::stencil([](auto at) { return at(-1) + at(1); }, hs::boundary::clamp, v);
      },
      xs);
}

void expect_others_hear(const std::function<void()>& call) {
  try {
    call();
    FAIL() << "rank " << hs::mpi::rank();
  } catch (const hs::StoppedError& error) {
    EXPECT_NE(std::string(error.what()).find("stopped"), std::string::npos);
  }
}

TEST(RanksThatAreStopped, BeforeTheCallEndOnAll) {
  const hs::Options options{.target = hs::mpi::target()};
  auto sum = hs::compile([](Acc<Ints> a) { return hs::sum(a); }, options);
  for (int rank = 0; rank < hs::mpi::size(); ++rank) {
    std::stop_source source;
    auto f = hs::compile([](Acc<Ints> a) { return rounds_of(3, a); },
                         {.target = hs::mpi::target(), .stop = source.get_token()});
    static_cast<void>(f(numbers(1000)));
    if (rank == hs::mpi::rank()) source.request_stop();
    expect_others_hear([&] { static_cast<void>(f(numbers(1000))); });
    EXPECT_EQ(sum(numbers(5)).item(), 10);
  }
}

TEST(RanksThatAreStopped, InTheCallEndOnAll) {
  const hs::Options options{.target = hs::mpi::target()};
  auto sum = hs::compile([](Acc<Ints> a) { return hs::sum(a); }, options);
  std::stop_source source;
  auto f = hs::compile([](Acc<Ints> a) { return rounds_of(1'000'000'000, a); },
                       {.target = hs::mpi::target(), .stop = source.get_token()});
  std::optional<std::jthread> stopper;
  if (hs::mpi::rank() == hs::mpi::size() - 1)
    stopper.emplace([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      source.request_stop();
    });
  expect_others_hear([&] { static_cast<void>(f(numbers(1000))); });
  EXPECT_EQ(sum(numbers(5)).item(), 10);
}

// No kernel here ends by itself, and no rank has the token of another.
TEST(RanksThatAreStopped, EndTheLoopsInTheKernelsOfAll) {
  if (hs::mpi::size() > 4) GTEST_SKIP() << "more ranks than these processors run soon enough";
  const hs::Options options{.target = hs::mpi::target()};
  auto sum = hs::compile([](Acc<Ints> a) { return hs::sum(a); }, options);
  const auto loops = [](Acc<Ints> a, hs::Exp<std::int64_t> bound) {
    return hs::map(
        [=](auto x) {
          return hs::while_loop([=](auto k) { return k < bound; },
                                [](auto k) { return k + (k | 1) % 2; }, hs::cast<std::int64_t>(x));
        },
        a);
  };
  for (int rank = 0; rank < hs::mpi::size(); ++rank) {
    std::stop_source source;
    hs::Options own = options;  // a rank that nobody here can stop has no token
    if (rank == hs::mpi::rank()) own.stop = source.get_token();
    auto f = hs::compile(loops, own);
    static_cast<void>(f(numbers(2000), 2000));
    std::optional<std::jthread> stopper;
    std::chrono::steady_clock::time_point asked;
    if (rank == hs::mpi::rank())
      stopper.emplace([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        asked = std::chrono::steady_clock::now();
        source.request_stop();
      });
    expect_others_hear([&] { static_cast<void>(f(numbers(2000), std::int64_t{1} << 60)); });
    const auto ended = std::chrono::steady_clock::now();
    stopper.reset();
    if (rank == hs::mpi::rank()) {
      EXPECT_LT(ended - asked, std::chrono::seconds(2));
    }
    EXPECT_EQ(sum(numbers(5)).item(), 10);  // which nothing of that call stops
  }
}

// One rank alone has work that does not end; the one that is stopped waits for it.
TEST(RanksThatAreStopped, WhileTheyWaitForTheKernelsOfOthers) {
  if (hs::mpi::size() > 4) GTEST_SKIP() << "more ranks than these processors run soon enough";
  const hs::Options options{.target = hs::mpi::target()};
  std::stop_source source;
  hs::Options own = options;
  if (hs::mpi::rank() == 0) own.stop = source.get_token();
  auto f = hs::compile(
      [](Acc<Ints> a, hs::Exp<std::int64_t> bound) {
        return hs::map(
            [=](auto x) {
              return hs::while_loop([=](auto k) { return k < bound && x == 1; },
                                    [](auto k) { return k + (k | 1) % 2; }, std::int64_t{0});
            },
            a);
      },
      own);
  const auto last = [](std::int64_t n) {
    return Ints::from_function(n, [=](Ix<1> i) { return i[0] == n - 1 ? 1 : 0; });
  };
  static_cast<void>(f(last(2000), 100));
  std::optional<std::jthread> stopper;
  if (hs::mpi::rank() == 0)
    stopper.emplace([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      source.request_stop();
    });
  expect_others_hear([&] { static_cast<void>(f(last(2000), std::int64_t{1} << 60)); });
  auto sum = hs::compile([](Acc<Ints> a) { return hs::sum(a); }, options);
  EXPECT_EQ(sum(numbers(5)).item(), 10);
}

}  // namespace
