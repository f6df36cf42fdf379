// If a rank has no memory for the rows that it receives, all ranks fail; later calls work again.
#include <hasten/hasten.hpp>
#include <hasten/mpi.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace hs = hasten;
using hs::Acc, hs::Ix;

namespace {

using Ints = hs::Vector<std::int32_t>;

constexpr std::int64_t size = 1 << 22;

// During its lifetime, the process may use only this many bytes more than it already does.
class Room {
 public:
  explicit Room(rlim_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    constexpr rlim_t page = 4096;
    const rlimit now{pages * page + bytes, before_.rlim_max};
    setrlimit(RLIMIT_AS, &now);
  }
  ~Room() { setrlimit(RLIMIT_AS, &before_); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

 private:
  rlimit before_{};
};

std::int32_t number(std::int64_t i) { return static_cast<std::int32_t>(i % 1009); }

// An array of which each rank has computed a part.
Ints made_by_parts() {
  static const auto f = hs::compile(
      [](const hs::Exp<std::int64_t>& n) {
        return hs::map([](auto i) { return hs::cast<std::int32_t>(i % 1009); }, hs::iota(n));
      },
      {.target = hs::mpi::target()});
  return f(size);
}

bool is_last() { return hs::mpi::rank() == hs::mpi::size() - 1; }

void expect_all_see(const Ints& made) {
  for (const std::int64_t i : {std::int64_t{0}, size / 2, size - 1}) EXPECT_EQ(made(i), number(i));
}

TEST(RanksWithoutMemory, LookAgain) {
  if (hs::mpi::size() == 1) GTEST_SKIP() << "needs ranks that bring something";
  const Ints made = made_by_parts();
  {
    const Room room(is_last() ? size : RLIM_INFINITY / 2);  // a quarter of what it would receive
    EXPECT_THROW(static_cast<void>(made(0)), hs::Error) << "rank " << hs::mpi::rank();
  }
  expect_all_see(made);
}

TEST(RanksWithoutMemory, CallAgain) {
  if (hs::mpi::size() == 1) GTEST_SKIP() << "needs ranks that bring something";
  const auto f = hs::compile([](Acc<Ints> a) { return hs::sum(hs::reverse(a)); },
                             {.target = hs::mpi::target()});
  const Ints made = made_by_parts();
  const std::int32_t sum = f(made).item();
  {
    const Room room(is_last() ? size : RLIM_INFINITY / 2);
    try {
      EXPECT_EQ(f(made).item(), sum);  // succeeds if no rank needs all of it
    } catch (const hs::Error&) {}
  }
  EXPECT_EQ(f(made).item(), sum);
  expect_all_see(made);
}

}  // namespace
