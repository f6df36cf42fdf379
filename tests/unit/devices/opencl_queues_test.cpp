// The queues of OpenCL devices: commands in several queues have the effects of sequential
// execution, whatever memory they share.
#include "tests/support/devices.hpp"

#include <gtest/gtest.h>

#if HASTEN_WITH_OPENCL

#include "backends/c_like/launch/call_work.hpp"
#include "backends/opencl/devices.hpp"
#include "backends/opencl/driver.hpp"

#include <array>
#include <future>
#include <numeric>
#include <random>
#include <span>
#include <thread>
#include <vector>

namespace hasten::backends::opencl {
namespace {

using c_like::Address;
using c_like::Argument;
using c_like::Input;
using c_like::Number;

constexpr std::int64_t few = 1024, many = 1 << 18;  // elements of a block
using Block = std::vector<std::uint32_t>;

// Items take so long that a command which does not wait runs too early.
constexpr const char* text = R"(
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void churn(const __global uint* a, __global uint* b, const uint rounds, const uint seed) {
  const size_t i = get_group_id(0) * 256 + get_local_id(0);
  uint x = a[i];
  for (uint k = 0; k < rounds; ++k) x = x * 1664525u + seed;
  b[i] = b[i] * 3u + x;
}
)";

void mix(const Block& a, Block& b, std::uint32_t rounds, std::uint32_t seed) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    std::uint32_t x = a[i];
    for (std::uint32_t k = 0; k < rounds; ++k) x = x * 1664525U + seed;
    b[i] = b[i] * 3U + x;
  }
}

class OpenclQueues : public testing::Test {
 protected:
  void SetUp() override {
    test::require_device("opencl");
    if (IsSkipped() || HasFatalFailure()) return;
    const Library& found = *library();
    driver_ = make_driver(found, devices(found).front(), "opencl:0");
    program_ = driver_->load(driver_->compile(text, {}));
  }

  // Blocks on the device and their expected contents.
  struct Blocks {
    explicit Blocks(c_like::Driver& on, std::int64_t elements = few) : driver(on), size(elements) {
      for (Address& address : there) address = driver.allocate(bytes());
      for (Block& block : here) {
        block.resize(static_cast<std::size_t>(size));
        std::iota(block.begin(), block.end(), 7U);
      }
      for (std::size_t i = 0; i < here.size(); ++i) write(i);
    }
    ~Blocks() {
      for (Address address : there) driver.free(address);
    }
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;

    [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(size) * 4; }
    void write(std::size_t i) {
      Block copy = here[i];
      driver.write(there[i], reinterpret_cast<const std::byte*>(copy.data()), bytes());
      copy.assign(copy.size(), 0);  // the source may change once write returns
    }
    void write_pieces(std::size_t i, std::size_t bytes_of_first) {
      Block copy = here[i];
      const auto all = std::as_bytes(std::span(copy));
      const std::size_t second = bytes_of_first + 1;
      const backends::HostPiece pieces[] = {{bytes_of_first, all.subspan(bytes_of_first, 1)},
                                            {0, all.first(bytes_of_first)},
                                            {second, all.subspan(second)}};
      driver.write_pieces(there[i], pieces);
      copy.assign(copy.size(), 0);
    }
    // The first elements of another block to the end of this one.
    void copy(std::size_t from, std::size_t to, std::int64_t count) {
      const auto bytes_of_copy = static_cast<std::size_t>(count) * 4;
      driver.copy_from(there[to], bytes() - bytes_of_copy, driver, there[from], bytes_of_copy);
      std::copy_n(here[from].begin(), count, here[to].end() - count);
    }
    [[nodiscard]] Block read(std::size_t i) const {
      Block copy(static_cast<std::size_t>(size));
      driver.read(reinterpret_cast<std::byte*>(copy.data()), there[i], bytes());
      return copy;
    }

    c_like::Driver& driver;
    std::int64_t size;
    std::array<Address, 6> there = {};
    std::array<Block, 6> here;
  };

  // Random launches, uploads, downloads and allocations; what is read, during and at the end,
  // equals the result of sequential execution.
  void random_commands(std::uint32_t seed, int count, std::int64_t size = few) const {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    Blocks blocks(*driver_, size);
    for (int i = 0; i < count; ++i) {
      const std::size_t from = below(6), to = (from + 1 + below(5)) % 6;
      switch (below(14)) {
        case 0:
          std::iota(blocks.here[to].begin(), blocks.here[to].end(), below(1000));
          blocks.write(to);
          break;
        case 1: ASSERT_EQ(blocks.read(from), blocks.here[from]) << seed << " " << i; break;
        case 2:  // earlier launches still use the old block
          driver_->free(blocks.there[to]);
          blocks.there[to] = driver_->allocate(blocks.bytes());
          blocks.write(to);
          break;
        case 3:
          std::iota(blocks.here[to].begin(), blocks.here[to].end(), below(1000));
          blocks.write_pieces(to, 1 + below(4000));
          break;
        case 4: blocks.copy(from, to, 1 + below(static_cast<std::uint32_t>(size))); break;
        default: {
          const auto long_one = static_cast<std::uint32_t>(3000 * few / size) + 10;
          const std::uint32_t rounds = below(4) == 0 ? long_one : 10, mixed = below(1000);
          const Argument arguments[] = {Input{blocks.there[from]}, blocks.there[to],
                                        Number{rounds, 4}, Number{mixed, 4}};
          driver_->launch(*program_, "churn", {size / c_like::group_size}, arguments);
          mix(blocks.here[from], blocks.here[to], rounds, mixed);
        }
      }
    }
    for (std::size_t i = 0; i < blocks.here.size(); ++i)
      ASSERT_EQ(blocks.read(i), blocks.here[i]) << seed << " block " << i;
  }

  std::shared_ptr<c_like::Driver> driver_;
  std::shared_ptr<c_like::Program> program_;
};

TEST_F(OpenclQueues, AreAsOneAfterTheOther) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) random_commands(seed, 60);
}

// Of processors, these are in host memory that others get when their commands have ended.
TEST_F(OpenclQueues, LargeBlocks) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) random_commands(seed, 40, many);
}

TEST_F(OpenclQueues, OfSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (std::uint32_t i = 0; i < 5; ++i) random_commands(100 * thread + i, 60);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(OpenclQueues, FinishWaitsForAllOfThem) {
  Blocks blocks(*driver_);
  for (std::size_t to = 1; to < 6; ++to) {
    const Argument arguments[] = {Input{blocks.there[0]}, blocks.there[to], Number{5000, 4},
                                  Number{9, 4}};
    driver_->launch(*program_, "churn", {few / c_like::group_size}, arguments);
    mix(blocks.here[0], blocks.here[to], 5000, 9);
  }
  driver_->finish();
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(blocks.read(i), blocks.here[i]);
}

// Another thread's launch runs for seconds meanwhile.
TEST_F(OpenclQueues, ACallWaitsForItsOwnWork) {
  if (compute_units(*library(), devices(*library()).front().id) < 2)
    GTEST_SKIP() << "a device of one unit runs one launch after the other";
  Blocks theirs(*driver_), ours(*driver_);
  const auto churn = [&](const Blocks& blocks, std::uint32_t rounds) {
    const Argument arguments[] = {Input{blocks.there[0]}, blocks.there[1], Number{rounds, 4},
                                  Number{9, 4}};
    driver_->launch(*program_, "churn", {1}, arguments);
  };
  churn(ours, 1);  // is made in advance
  driver_->finish();
  std::promise<void> told, ends;
  std::thread other([&] {
    c_like::CallWork call(driver_);
    churn(theirs, 5'000'000);
    told.set_value();
    ends.get_future().wait();
    call.finish();
  });
  told.get_future().wait();
  {
    c_like::CallWork call(driver_);
    for (int i = 0; i < 5; ++i) {
      ours.write(2);
      churn(ours, 10);
      call.finish();
      EXPECT_EQ(ours.read(3), ours.here[3]);
    }
    EXPECT_TRUE(driver_->is_used_by_others(theirs.there[1])) << "it has waited for that";
    EXPECT_FALSE(driver_->is_used_by_others(ours.there[1]));
  }
  ends.set_value();
  other.join();
  EXPECT_FALSE(driver_->is_used_by_others(theirs.there[1]));
}

}  // namespace
}  // namespace hasten::backends::opencl

#endif
