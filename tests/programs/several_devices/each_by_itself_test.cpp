// Two devices of one kind at once: several host threads, and arrays that one device computes and
// the other uses. PoCL's is one device of a CPU; HASTEN_OPENCL_SUBDEVICES=2 makes two of it, as an
// entry of CTest does. The fake CUDA driver has two.
#include <hasten/hasten.hpp>

#include "tests/support/devices.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

namespace {

using Ints = Vector<std::int32_t>;
using Program = hs::Compiled<Ints(Ints, std::int32_t)>;

constexpr int thread_count = 4;
constexpr std::int64_t n = 20'000;  // several tiles of a scan

class SeveralDevices : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { hs::test::require_device(GetParam(), 1); }

  static hs::Options device(int index) {
    return {.target = std::string_view(GetParam()) == "cuda" ? hs::cuda(index) : hs::opencl(index)};
  }

  /// Whether devices copy directly: always on CUDA, on OpenCL between parts of one device.
  static bool has_own_way() {
    return std::string_view(GetParam()) == "cuda" || std::getenv("HASTEN_OPENCL_SUBDEVICES");
  }

  /// The same program on each of the two devices.
  template <class F>
  static std::array<Program, 2> on_both(F f) {
    return {hs::compile(f, device(0)), hs::compile(f, device(1))};
  }
  static std::array<Program, 2> sums() {
    return on_both([](const Acc<Ints>& xs, const Exp<std::int32_t>& k) {
      return hs::scanl1(std::plus<>{}, xs + k);
    });
  }
  static std::array<Program, 2> sorts() {
    return on_both([](const Acc<Ints>& xs, const Exp<std::int32_t>& k) {
      return hs::sort(hs::map([=](const auto& x) { return x ^ k; }, xs));
    });
  }

  static std::vector<std::int32_t> numbers() {
    std::vector<std::int32_t> values(n);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::int32_t>(i * 7919 % 1009) - 500;
    return values;
  }
  static Ints array_of(const std::vector<std::int32_t>& values) {
    return {std::ssize(values), std::span<const std::int32_t>(values)};
  }
  // The results of `sums`, on the host: sums wrap.
  static std::vector<std::int32_t> sums_of(std::vector<std::int32_t> values, std::int32_t k) {
    std::uint32_t sum = 0;
    for (std::int32_t& x : values) {
      sum += static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(k);
      x = static_cast<std::int32_t>(sum);
    }
    return values;
  }
  static std::vector<std::int32_t> sorted(std::vector<std::int32_t> values, std::int32_t k) {
    for (std::int32_t& x : values) x ^= k;
    std::ranges::sort(values);
    return values;
  }

  static void on_threads(const std::function<void(int)>& f) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < thread_count; ++i) threads.emplace_back([&f, i] { f(i); });
  }
};

TEST_P(SeveralDevices, AResultOfOneIsAnArgumentOfTheOther) {
  const auto sum = sums();
  std::vector<std::int32_t> expected = numbers();
  Ints xs = array_of(expected);
  const hs::Statistics before = hs::statistics();
  for (std::int32_t round = 0; round < 6; ++round) {
    xs = sum[static_cast<std::size_t>(round % 2)](xs, round);
    expected = sums_of(expected, round);
  }
  const hs::Statistics moved = hs::statistics() - before;
  EXPECT_EQ(moved.bytes_to_devices, 6 * 4 * n);  // there are two devices
  // The last result still exists. The others avoid the host if there is another way.
  EXPECT_EQ(moved.bytes_from_devices, has_own_way() ? 0 : 5 * 4 * n);
  EXPECT_EQ(xs.to_vector(), expected);
}

TEST_P(SeveralDevices, ThreadsRunOnBothAtOnce) {
  const auto sum = sums(), sort = sorts();
  on_threads([&](int thread) {
    std::vector<std::int32_t> expected = numbers();
    Ints xs = array_of(expected);
    for (std::int32_t round = 0; round < 6; ++round) {
      const auto on = static_cast<std::size_t>((thread + round) % 2);
      xs = sum[on](sort[1 - on](xs, thread), round);
      expected = sums_of(sorted(expected, thread), round);
    }
    EXPECT_EQ(xs.to_vector(), expected) << thread;
  });
}

TEST_P(SeveralDevices, OneArrayIsUsedOnBothAtOnce) {
  const auto sum = sums();
  for (std::int32_t round = 0; round < 4; ++round) {
    // Only one device has it, when all threads begin to use it.
    const Ints shared = sum[static_cast<std::size_t>(round % 2)](array_of(numbers()), round);
    on_threads([&](int thread) {
      const Ints result = sum[static_cast<std::size_t>(thread % 2)](shared, thread);
      EXPECT_EQ(result.to_vector(), sums_of(sums_of(numbers(), round), thread)) << thread;
    });
  }
}

TEST_P(SeveralDevices, LoopsWhoseConditionsTheHostReads) {
  const auto halves = on_both([](const Acc<Ints>& xs, const Exp<std::int32_t>& k) {
    return hs::awhile([](const Acc<Ints>& a) { return hs::size(a) > 1; },
                      [=](const Acc<Ints>& a) {
                        const auto half = hs::size(a) / 2;
                        return hs::zip_with(std::plus<>{}, hs::take(half, a), hs::drop(half, a)) +
                               k;
                      },
                      xs);
  });
  constexpr std::int64_t size = 4096;
  const Ints ones = array_of(std::vector<std::int32_t>(size, 1));
  on_threads([&](int thread) {
    // Each of twelve rounds doubles and adds k.
    EXPECT_EQ(halves[static_cast<std::size_t>(thread % 2)](ones, thread).to_vector(),
              (std::vector<std::int32_t>{4096 + 4095 * thread}));
  });
}

INSTANTIATE_TEST_SUITE_P(Of, SeveralDevices, testing::Values("opencl", "cuda"),
                         [](const testing::TestParamInfo<const char*>& of) {
                           return std::string(of.param);
                         });

}  // namespace
