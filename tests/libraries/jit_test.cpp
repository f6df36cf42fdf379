// The same entries, compiled when a context is made, and a second library beside the first one.
#include "jit_programs.hpp"
#include "static_programs.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

TEST(LibrariesOfOtherKinds, GiveTheSame) {
  const std::vector<float> x{3, 1, 2, -5};
  const jit_programs::context jit;
  const static_programs::context linked;
  const auto a = jit.sorted(jit_programs_f32_1(x.data(), 4));
  const auto b = linked.sorted(static_programs_f32_1(x.data(), 4));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(a.data<float>()[i], b.data<float>()[i]);
  EXPECT_EQ(a.data<float>()[0], -5);
  const auto [relaxed, size, sum] = jit.relaxed(jit_programs_f32_1(x.data(), 4), 1, true);
  EXPECT_EQ(size, 4);
  EXPECT_EQ(relaxed.size(), 4);
  EXPECT_THROW((void)jit.divided(jit_programs_i32_1(nullptr, 1), 1), jit_programs::error);
}

TEST(LibrariesOfOtherKinds, DoNotTakeEachOthersThings) {
  static_programs_context* linked = nullptr;
  ASSERT_EQ(static_programs_create_context(&linked, nullptr), STATIC_PROGRAMS_OK);
  auto* const wrong = reinterpret_cast<jit_programs_context*>(linked);
  const std::vector<float> x{3};
  const auto xs = jit_programs_f32_1(x.data(), 1);
  jit_programs_array result{};
  EXPECT_EQ(jit_programs_sorted(wrong, &xs, &result), JIT_PROGRAMS_INVALID_ARGUMENT);
  EXPECT_EQ(jit_programs_free_context(wrong), JIT_PROGRAMS_INVALID_ARGUMENT);
  const auto ys = static_programs_f32_1(x.data(), 1);
  static_programs_array made{};
  ASSERT_EQ(static_programs_sorted(linked, &ys, &made), STATIC_PROGRAMS_OK);
  EXPECT_EQ(jit_programs_free_array(reinterpret_cast<jit_programs_array*>(&made)),
            JIT_PROGRAMS_INVALID_ARGUMENT);
  EXPECT_EQ(static_programs_free_array(&made), STATIC_PROGRAMS_OK);
  EXPECT_EQ(static_programs_free_context(linked), STATIC_PROGRAMS_OK);
}

// Options without a meaning at run time are rejected, not ignored.
TEST(LibrariesOfOtherKinds, RefuseOptionsThatMeanNothing) {
  jit_programs_context* context = nullptr;
  const auto create = [&](std::int32_t threads, std::int32_t level) {
    const jit_programs_options options{threads, level, 0, 0, 0};
    return jit_programs_create_context(&context, &options);
  };
  EXPECT_EQ(create(1, 0), JIT_PROGRAMS_INVALID_ARGUMENT);
  EXPECT_EQ(create(0, 2), JIT_PROGRAMS_INVALID_ARGUMENT);
  EXPECT_EQ(create(0, 99), JIT_PROGRAMS_INVALID_ARGUMENT);
  ASSERT_EQ(create(0, 0), JIT_PROGRAMS_OK);
  EXPECT_EQ(jit_programs_free_context(context), JIT_PROGRAMS_OK);
}

TEST(LibrariesOfOtherKinds, ErrorsOfEntriesNameTheElement) {
  const jit_programs::context jit;
  const std::vector<float> x{3};
  const std::vector<std::int64_t> at{9};
  try {
    (void)jit.gathered(jit_programs_f32_1(x.data(), 1), jit_programs_i64_1(at.data(), 1));
    FAIL();
  } catch (const jit_programs::error& error) {
    EXPECT_EQ(error.status(), JIT_PROGRAMS_INDEX_ERROR);
    EXPECT_NE(std::string(error.what()).find('9'), std::string::npos) << error.what();
  }
}

}  // namespace
