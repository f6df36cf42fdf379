// Random sequences of calls, most of them wrong: each ends with a status and, for an error, a text;
// right calls succeed. To be run under AddressSanitizer, which must find nothing.
#include "test_programs.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

class Caller {
 public:
  explicit Caller(std::uint32_t seed) : random_(seed) {}
  ~Caller() {
    for (auto& array : results_) test_programs_free_array(&array);
    for (auto* context : contexts_) test_programs_free_context(context);
  }

  void step() {
    switch (pick(8)) {
      case 0: return create();
      case 1: return seen(test_programs_free_context(context()));
      case 2: return seen(test_programs_free_array(pick(9) == 0 ? nullptr : &result()));
      case 3: return copy();
      default: return call();
    }
  }

 private:
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  static void seen(test_programs_status status) {
    ASSERT_GE(status, TEST_PROGRAMS_OK);
    ASSERT_LT(status, TEST_PROGRAMS_INTERNAL_ERROR) << test_programs_last_error();
    if (status == TEST_PROGRAMS_OK) return;
    ASSERT_GT(std::string(test_programs_last_error()).size(), 5U);
  }

  void create() {
    constexpr std::int32_t threads[] = {0, 1, 2, -1, 1 << 20}, levels[] = {0, 0, 1, 2, 3, 9, -4},
                           targets[] = {0, 0, 0, 1, 3, 17};
    const test_programs_options options{threads[pick(5)], levels[pick(7)],
                                        pick(4) == 0 ? -1 : std::int64_t{pick(3)} * 4096,
                                        targets[pick(6)], pick(9) == 0 ? 7 : 0};
    auto*& to = contexts_[pick(contexts_.size())];
    if (to) seen(test_programs_free_context(to));
    seen(test_programs_create_context(&to, pick(3) == 0 ? nullptr : &options));
  }

  // Freed contexts stay in the list.
  test_programs_context* context() { return contexts_[pick(contexts_.size())]; }
  test_programs_array& result() { return results_[pick(results_.size())]; }

  // The contents of two equal structs are freed twice.
  void copy() {
    test_programs_array& to = result();
    test_programs_free_array(&to);
    to = result();
  }

  test_programs_array argument() {
    auto array = pick(2) == 0 ? test_programs_f32_1(memory_.data(), pick(5) * 50)
                              : test_programs_i64_1(places_.data(), pick(5) * 50);
    switch (pick(12)) {
      case 0: array.rank = static_cast<std::int32_t>(pick(9)) - 3; break;
      case 1: array.components = static_cast<std::int32_t>(pick(99)) - 9; break;
      case 2: array.types[0] = static_cast<std::int32_t>(pick(40)) - 9; break;
      case 3: array.extents[0] = -static_cast<std::int64_t>(pick(1000)); break;
      case 4: array.extents[0] = INT64_MAX - pick(3); break;
      case 5: array.data[0] = nullptr; break;
      case 6: array.data[0] = static_cast<char*>(array.data[0]) + 1; break;
      default: break;
    }
    if (pick(6) == 0) return result();
    return array;
  }

  void call() {
    const test_programs_array a = argument(), b = argument();
    const auto* first = pick(20) == 0 ? nullptr : &a;
    auto* const place = pick(20) == 0 ? nullptr : &result();
    std::int64_t size = 0;
    float total = 0;
    switch (pick(7)) {
      case 0: return seen(test_programs_sorted(context(), first, place));
      case 1: return seen(test_programs_positive(context(), first, place));
      case 2: return seen(test_programs_dot(context(), first, &b, place));
      case 3: return seen(test_programs_gathered(context(), first, &b, place));
      case 4: return seen(test_programs_as_rows(context(), first, pick(90), place));
      case 5:
        return seen(test_programs_relaxed(context(), first, static_cast<int>(pick(3)), pick(2) == 0,
                                          place, pick(9) == 0 ? nullptr : &size, &total));
      default:
        return seen(test_programs_filled(context(), pick(3) == 0 ? INT64_MAX : pick(5000), place));
    }
  }

  std::mt19937 random_;
  std::array<test_programs_context*, 3> contexts_{};
  std::array<test_programs_array, 5> results_{};
  std::vector<float> memory_ = std::vector<float>(200, 0.5F);
  std::vector<std::int64_t> places_ = std::vector<std::int64_t>(200, 3);
};

TEST(LibraryMisuse, TenThousandSequences) {
  for (std::uint32_t seed = 0; seed < 10'000; ++seed) {
    Caller caller(seed);
    for (int step = 0; step < 12; ++step) caller.step();
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

TEST(LibraryMisuse, ThreadsShareAContext) {
  test_programs_context* context = nullptr;
  ASSERT_EQ(test_programs_create_context(&context, nullptr), TEST_PROGRAMS_OK);
  const std::vector<float> ones(300'000, 1);
  const auto xs = test_programs_f32_1(ones.data(), 300'000);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        test_programs_array sum{};
        if (test_programs_dot(context, &xs, &xs, &sum) == TEST_PROGRAMS_OK)
          right += *static_cast<float*>(sum.data[0]) == 300'000;
        test_programs_free_array(&sum);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 200);
  EXPECT_EQ(test_programs_free_context(context), TEST_PROGRAMS_OK);
}

}  // namespace
