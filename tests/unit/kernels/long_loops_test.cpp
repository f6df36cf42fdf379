// The loops of a kernel that check whether the call is to stop.
#include "kernels/analysis/loops/long_loops.hpp"

#include "backends/c_like/text/source.hpp"
#include "kernels/text/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hasten::test {
namespace {

using backends::c_like::Dialect;
using backends::c_like::IndexWidth;
using testing::HasSubstr;
using testing::Not;

// i = first; while (i < last) i = i + step.
std::string loop(const std::string& first, const std::string& last, const std::string& step) {
  return "x3 = const " + first + " : i64; x4 = const " + last + " : i64; x9 = const " + step +
         " : i64; x10 = while x3 (x5: i64) { x6 = lt x5 x4; -> x6 } do (x7: i64) { x8 = add x7 x9; "
         "-> x8 }";
}

kernels::Kernel map_of(const std::string& body) {
  const kernels::Kernel kernel = kernels::parse_kernel(
      "kernel map rank 1 {\n inputs i64\n outputs i64\n scalars (x0: i64)\n element (x2: i64) {\n" +
      body + "\n -> x10\n }\n}\n");
  kernels::verify(kernel);
  return kernel;
}

bool is_long(const std::string& body) { return kernels::LongLoops(map_of(body)).any(); }

TEST(LongLoops, WhatHasNoLoopIsNotLong) { EXPECT_FALSE(is_long("x10 = add x2 x0")); }

TEST(LongLoops, FewKnownRoundsAreShort) {
  EXPECT_FALSE(is_long(loop("0", "1000", "1")));
  EXPECT_FALSE(is_long(loop("-5000", "5000", "10")));
}

TEST(LongLoops, ManyRoundsAreLong) {
  EXPECT_TRUE(is_long(loop("0", "1000000", "1")));
  EXPECT_TRUE(is_long(loop("0", "5", "0")));   // never ends
  EXPECT_TRUE(is_long(loop("0", "5", "-1")));  // takes nearly for ever
}

TEST(LongLoops, UnknownRoundsAreLong) {
  EXPECT_TRUE(is_long(loop("5", "-9223372036854775807", "1")));  // the distance wraps
  EXPECT_TRUE(
      is_long("x10 = while x2 (x5: i64) { x6 = lt x5 x0; -> x6 } do (x7: i64) { x8 = add x7 x0; -> "
              "x8 }"));
}

TEST(LongLoops, RoundsOfLoopsInsideLoopsCount) {
  const auto nested = [](const std::string& inner) {
    return "x3 = const 0 : i64; x4 = const 500 : i64; x9 = const 1 : i64; x11 = const " + inner +
           " : i64; x10 = while x3 (x5: i64) { x6 = lt x5 x4; -> x6 } do (x7: i64) { x12 = while "
           "x3 "
           "(x13: i64) { x14 = lt x13 x11; -> x14 } do (x15: i64) { x16 = add x15 x9; -> x16 }; x8 "
           "= "
           "add x7 x9; -> x8 }";
  };
  EXPECT_FALSE(is_long(nested("0")));
  EXPECT_TRUE(is_long(nested("500")));
}

TEST(LongLoops, TextsLookWhereTheyAreAskedToAndHaveReasonTo) {
  const auto text = [](const std::string& body, bool polls) {
    return source_of(map_of(body), {}, Dialect::cuda, IndexWidth::narrow,
                     backends::c_like::main_module, polls);
  };
  EXPECT_THAT(text(loop("0", "1000000", "1"), true), HasSubstr("if (*stop != 0) break;"));
  EXPECT_THAT(text(loop("0", "1000000", "1"), false), Not(HasSubstr("stop")));
  EXPECT_THAT(text(loop("0", "10", "1"), true), Not(HasSubstr("stop")));
}

}  // namespace
}  // namespace hasten::test
