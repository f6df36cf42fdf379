// The arrays of a loop's state that are kept in memory, and the stores into that memory.
#include "kernels/analysis/private_arrays.hpp"

#include "backends/c_like/text/source.hpp"
#include "kernels/text/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hasten::test {
namespace {

using backends::c_like::Dialect;
using backends::c_like::IndexWidth;
using kernels::PrivateArrays;
using testing::HasSubstr;
using testing::Not;

// A state of a counter and four elements; `body` computes x31 to x34 from the elements x21 to x24,
// the counter x20 and the index x7. `after` computes x50 from the results x41 to x44.
kernels::Kernel loop(const std::string& body, const std::string& after = "x50 = add x41 x44") {
  kernels::Kernel kernel = kernels::parse_kernel(
      "kernel map rank 1 {\n inputs i32\n outputs i32\n scalars (x0: i32, x1: i32)\n"
      " element (x2: i64) {\n"
      "  x7 = load_linear %0.0 x2\n"
      "  x3 = const 0 : i32; x4 = const 1 : i32; x5 = const 9 : i32\n"
      "  x40, x41, x42, x43, x44 = while x3 x3 x4 x4 x5"
      "   (x10: i32, x11: i32, x12: i32, x13: i32, x14: i32) { x15 = lt x10 x1; -> x15 }"
      "   do (x20: i32, x21: i32, x22: i32, x23: i32, x24: i32) {\n" +
      body + "; x30 = add x20 x4; -> x30, x31, x32, x33, x34 }\n" + after + "\n  -> x50\n }\n}\n");
  kernels::verify(kernel);
  return kernel;
}

const core::While& while_of(const kernels::Kernel& kernel) {
  return std::get<core::While>(kernel.element.body[4].op);
}

std::string text(const kernels::Kernel& kernel) {
  return source_of(kernel, {}, Dialect::opencl, IndexWidth::narrow);
}

const std::string changes =
    "x8 = extract x7 x21 x22 x23 x24; x9 = add x8 x0; "
    "x31, x32, x33, x34 = insert x7 x9 x21 x22 x23 x24";

TEST(PrivateArrays, StateThatIsChangedAtAPlace) {
  const kernels::Kernel kernel = loop(changes);
  const PrivateArrays arrays(kernel, 4);
  ASSERT_EQ(arrays.all().size(), 1U);
  EXPECT_EQ(arrays.all()[0].size, 4U);
  EXPECT_EQ(arrays[22].array, 0U);
  EXPECT_EQ(arrays[22].element, 1U);
  EXPECT_EQ(arrays[34].element, 3U);
  EXPECT_EQ(arrays[20].array, core::none);  // the counter
  EXPECT_FALSE(arrays.is_read(22));
  EXPECT_TRUE(arrays.is_read(41));  // after the loop
  EXPECT_FALSE(arrays.is_read(42));
}

TEST(PrivateArrays, SmallOnesAreNot) { EXPECT_TRUE(PrivateArrays(loop(changes), 5).all().empty()); }

TEST(PrivateArrays, WhatNobodyLooksIntoIsNot) {
  EXPECT_TRUE(PrivateArrays(loop("x31 = add x21 x0; x32 = add x22 x0; x33 = add x23 x0; x34 = add "
                                 "x24 x0"),
                            4)
                  .all()
                  .empty());
}

TEST(PrivateArrays, WhatIsReplacedByItselfIsStoredWhereTheRoundEnds) {
  const kernels::Kernel kernel = loop(
      "x8 = extract x7 x21 x22 x23 x24; x31 = add x8 x0; x32 = add x21 x0; x33 = add x23 x3; "
      "x34 = add x24 x3");
  const PrivateArrays arrays(kernel, 4);
  ASSERT_EQ(arrays.all().size(), 1U);
  const core::While& while_ = while_of(kernel);
  EXPECT_EQ(arrays.stores(while_.init).size(), 4U);
  EXPECT_EQ(arrays.stores(while_.body.results).size(), 4U);
  EXPECT_TRUE(arrays.is_read(21));
}

TEST(PrivateArrays, ElementsReplacedOneByOneAreStoredBeforeAPlaceIsLookedInto) {
  const kernels::Kernel kernel = loop(
      "x8 = extract x7 x0 x22 x23 x24; x31 = add x8 x0; "
      "x32, x33, x34, x35 = insert x8 x31 x0 x22 x23 x24");
  const PrivateArrays arrays(kernel, 4);
  ASSERT_EQ(arrays.all().size(), 1U);
  const core::While& while_ = while_of(kernel);
  const auto& extract = std::get<core::Extract>(while_.body.body[0].op);
  ASSERT_EQ(arrays.stores(extract.elements).size(), 1U);
  EXPECT_EQ(arrays.stores(extract.elements)[0].value, 0U);
  EXPECT_EQ(arrays.stores(extract.elements)[0].place.element, 0U);
}

// Old elements are read after memory has changed: they are selected from values, not from memory.
TEST(PrivateArrays, OldVersionsAreValues) {
  const kernels::Kernel kernel = loop(changes +
                                      "; x36 = extract x9 x21 x22 x23 x24; x37 = add x36 "
                                      "x0; x38 = extract x9 x31 x32 x33 x34");
  const PrivateArrays arrays(kernel, 4);
  const auto& body = while_of(kernel).body.body;
  EXPECT_EQ(arrays.array_of(body[2]), 0U);
  EXPECT_EQ(arrays.array_of(body[3]), core::none);
  EXPECT_EQ(arrays.array_of(body[5]), 0U);
  EXPECT_TRUE(arrays.is_read(23));
}

// Outside loops, code may be hoisted, so memory must not change.
TEST(PrivateArrays, AfterTheLoopMemoryIsReadAlone) {
  const kernels::Kernel kernel =
      loop(changes,
           "x45 = extract x7 x41 x42 x43 x44; "
           "x46, x47, x48, x49 = insert x7 x45 x41 x42 x43 x44; x50 = add x46 x49");
  const PrivateArrays arrays(kernel, 4);
  EXPECT_EQ(arrays.array_of(kernel.element.body[5]), 0U);
  EXPECT_EQ(arrays.array_of(kernel.element.body[6]), core::none);
}

TEST(PrivateArrays, TextsHaveArrays) {
  const kernels::Kernel kernel = kernels::parse_kernel(
      "kernel map rank 1 {\n inputs i32\n outputs i32\n scalars (x0: i32)\n element (x1: i64) {\n"
      "x2 = load_linear %0.0 x1; x3 = const 0 : i32; x4 = const 1 : i32\n"
      "x5, x6, x7, x8, x9, x10 = while x3 x3 x3 x3 x3 x3 (x11: i32, x12: i32, x13: i32, x14: i32, "
      "x15: i32, x16: i32) { x17 = lt x11 x0; -> x17 } do (x21: i32, x22: i32, x23: i32, x24: i32, "
      "x25: i32, x26: i32) { x27 = add x21 x4; x28, x29, x30, x31, x32 = insert x2 x21 x22 x23 x24 "
      "x25 x26; -> x27, x28, x29, x30, x31, x32 }\n -> x8\n }\n}\n");
  const std::string c = text(kernel);
  EXPECT_THAT(c, HasSubstr("i32 array0[5];"));
  EXPECT_THAT(c, HasSubstr("array0[(u32)v"));
  EXPECT_THAT(c, HasSubstr("= array0[2];"));
  EXPECT_THAT(c, Not(HasSubstr("= array0[1];")));
}

}  // namespace
}  // namespace hasten::test
