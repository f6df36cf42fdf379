// The values of a kernel that fit 32 bits, and the launches that may use such code.
#include "kernels/analysis/indices/index_width.hpp"

#include "backends/c_like/text/source.hpp"
#include "kernels/text/parse.hpp"
#include "tests/unit/kernels/kernel_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hasten::test {
namespace {

using namespace backends::c_like;
using testing::HasSubstr;
using testing::Not;

// A map over one axis: `body` defines x10 of the output's type.
kernels::Kernel map_of(const std::string& body, const std::string& output = "i64") {
  const kernels::Kernel kernel = kernels::parse_kernel(
      "kernel map rank 1 {\n inputs i64\n outputs " + output +
      "\n scalars (x0: i64, x1: i64)\n element (x2: i64) {\n" + body + "\n -> x10\n }\n}\n");
  kernels::verify(kernel);
  return kernel;
}

bool is_narrow(const std::string& body, kernels::Value v, const std::string& output = "i64") {
  return index_widths(map_of(body, output), IndexWidth::narrow).is_narrow.at(v);
}

TEST(IndexWidth, IndicesOfTheSpaceAreNarrow) {
  EXPECT_TRUE(is_narrow("x10 = add x2 x2", 2));
  EXPECT_FALSE(index_widths(map_of("x10 = add x2 x2"), IndexWidth::wide).is_narrow.at(2));
}

TEST(IndexWidth, WhatIsStoredIsWideUnlessItFits) {
  EXPECT_TRUE(is_narrow("x10 = add x2 x2", 10));  // at most 2^31 - 2
  EXPECT_FALSE(is_narrow("x3 = const 2 : i64; x4 = add x2 x2; x10 = add x4 x3", 10));
  EXPECT_FALSE(is_narrow("x10 = mul x2 x2", 10));
  EXPECT_TRUE(is_narrow("x3 = const 1000 : i64; x4 = mul x2 x2; x10 = rem x4 x3", 10));
  EXPECT_FALSE(is_narrow("x3 = const 1000 : i64; x4 = mul x2 x2; x10 = rem x4 x3", 4));
  EXPECT_TRUE(is_narrow("x3 = const -1 : i64; x4 = add x2 x3; x10 = max x4 x3", 10));
  EXPECT_FALSE(is_narrow("x10 = shl x2 x2", 10));
}

TEST(IndexWidth, AddressesAreNarrowWhateverTheyAreMadeOf) {
  EXPECT_TRUE(is_narrow("x3 = mul x2 x0; x4 = add x3 x1; x10 = load_linear %0.0 x4", 4));
  EXPECT_TRUE(is_narrow("x3 = mul x2 x0; x4 = add x3 x1; x10 = load_linear %0.0 x4", 3));
  EXPECT_TRUE(is_narrow("x3 = load_linear %0.0 x2; x10 = load_linear %0.0 x3", 3));
  // A comparison depends on more than the low bits.
  EXPECT_FALSE(is_narrow("x3 = mul x2 x2; x4 = load_linear %0.0 x3; x10 = lt x3 x1", 3, "bool"));
  EXPECT_TRUE(is_narrow("x3 = mul x2 x0; x4 = cast x3 : i32; x10 = add x4 x4", 3, "i32"));
  EXPECT_FALSE(is_narrow("x3 = mul x2 x2; x4 = cast x3 : f32; x10 = add x4 x4", 3, "f32"));
  EXPECT_FALSE(is_narrow("x3 = mul x2 x2; x4 = cast x3 : bool; x10 = not x4", 3, "bool"));
}

TEST(IndexWidth, BranchesAndLoops) {
  EXPECT_TRUE(is_narrow("x3 = lt x2 x0; x10 = if x3 { -> x2 } else { x4 = sub x2 x0; -> x4 }", 10));
  // The state of a loop may have any value, whatever its later use requires.
  const std::string loop =
      "x3 = const 40 : i64; x9 = while x2 (x4: i64) { x5 = lt x4 x0; -> x5 } "
      "do (x6: i64) { x7 = mul x6 x3; -> x7 }; ";
  EXPECT_FALSE(is_narrow(loop + "x10 = load_linear %0.0 x9", 9));
  EXPECT_FALSE(is_narrow(loop + "x10 = load_linear %0.0 x9", 4));
}

// Only values that gain from 32 bits must be small, and only divisors must be positive.
TEST(IndexWidth, LaunchesOfLargeThings) {
  const kernels::Kernel kernel =
      map_of("x3 = rem x2 x0; x4 = load_linear %0.0 x3; x5 = xor x4 x1; x10 = add x5 x1");
  const IndexWidths widths = index_widths(kernel, IndexWidth::narrow);
  const auto may = [&](std::int64_t extent, std::uint64_t divisor, std::uint64_t key,
                       std::int64_t largest, std::int64_t limit = narrow_limit) {
    const std::int64_t extents[] = {extent};
    const std::uint64_t scalars[] = {divisor, key};
    return may_be_narrow(kernel, widths, extents, scalars, largest, limit);
  };
  EXPECT_TRUE(may(1000, 7, 1, 1000));
  EXPECT_TRUE(may(1000, 7, ~std::uint64_t{0} / 3, 1000));
  EXPECT_FALSE(may(1000, 0, 1, 1000));
  EXPECT_FALSE(may(1000, std::uint64_t(-7), 1, 1000));
  EXPECT_TRUE(may(narrow_limit, narrow_limit, 1, narrow_limit));
  EXPECT_FALSE(may(narrow_limit + 1, 7, 1, 1000));
  EXPECT_FALSE(may(1000, narrow_limit + 1, 1, 1000));
  EXPECT_FALSE(may(1000, 7, 1, narrow_limit + 1));
  EXPECT_TRUE(may(1000, 1000, 1, 1000, 1000));
  EXPECT_FALSE(may(1001, 7, 1, 7, 1000));
  EXPECT_FALSE(may(7, 7, 1, 1001, 1000));
  EXPECT_FALSE(may(7, 1001, 1, 7, 1000));
}

TEST(IndexWidth, SpacesCountAsAWhole) {
  const kernels::Kernel kernel = map_of("x10 = add x2 x2");
  const IndexWidths widths = index_widths(kernel, IndexWidth::narrow);
  const std::uint64_t scalars[] = {0, 0};
  const auto may = [&](std::initializer_list<std::int64_t> extents) {
    return may_be_narrow(kernel, widths, {extents.begin(), extents.size()}, scalars, 1, 100);
  };
  EXPECT_TRUE(may({10, 10}));
  EXPECT_FALSE(may({10, 11}));
  EXPECT_FALSE(may({101, 0}));
  EXPECT_TRUE(may({100, 0}));
  EXPECT_FALSE(may({std::int64_t{1} << 40, std::int64_t{1} << 40, 1}));
}

// Many segments and many elements are not a large index space.
TEST(IndexWidth, SegmentsAreNoElements) {
  const kernels::Kernel kernel = kernels::parse_kernel(segments_kernel);
  const IndexWidths widths = index_widths(kernel, IndexWidth::narrow);
  const auto may = [&](std::initializer_list<std::int64_t> extents) {
    return may_be_narrow(kernel, widths, {extents.begin(), extents.size()}, {}, 1, 100);
  };
  EXPECT_TRUE(may({100, 100}));
  EXPECT_FALSE(may({101, 1}));
  EXPECT_FALSE(may({1, 101}));
  EXPECT_TRUE(widths.is_narrow[2]);
  EXPECT_FALSE(widths.is_narrow[3]);
}

// A linear index is a product and a sum; only its factors determine its size.
TEST(IndexWidth, StepsAreAssumedToBeSmall) {
  const kernels::Kernel kernel =
      map_of("x3 = mul x2 x0; x4 = rem x3 x1; x5 = quot x3 x1; x10 = add x4 x5");
  const IndexWidths widths = index_widths(kernel, IndexWidth::narrow);
  EXPECT_TRUE(widths.is_narrow[3]);
  EXPECT_EQ(widths.assumed, std::vector<kernels::Value>{3});
  const auto may = [&](std::int64_t extent, std::int64_t step) {
    const std::int64_t extents[] = {extent};
    const std::uint64_t scalars[] = {static_cast<std::uint64_t>(step), 3};
    return may_be_narrow(kernel, widths, extents, scalars, 1, narrow_limit);
  };
  EXPECT_TRUE(may(1 << 15, 1 << 15));
  EXPECT_TRUE(may((1 << 15) + 1, 1 << 15));  // the largest index is the extent minus 1
  EXPECT_FALSE(may((1 << 15) + 2, 1 << 15));
  EXPECT_FALSE(may(1 << 16, 1 << 20));
  EXPECT_TRUE(may(1, narrow_limit));
  // Nothing relies on the size of an address.
  const kernels::Kernel address = map_of("x3 = mul x2 x0; x10 = load_linear %0.0 x3");
  EXPECT_TRUE(index_widths(address, IndexWidth::narrow).assumed.empty());
}

TEST(IndexWidth, TheTextFollows) {
  const kernels::Kernel kernel = map_of("x3 = rem x2 x0; x10 = load_linear %0.0 x3");
  const std::string narrow = source_of(kernel, {}, Dialect::cuda, IndexWidth::narrow);
  EXPECT_THAT(narrow, HasSubstr("typedef i32 ix;"));
  EXPECT_THAT(narrow, HasSubstr("(u32)v2 % (u32)v0"));
  EXPECT_THAT(narrow, Not(HasSubstr("rem_i64")));
  const std::string wide = source_of(kernel, {}, Dialect::cuda, IndexWidth::wide);
  EXPECT_THAT(wide, HasSubstr("typedef i64 ix;"));
  EXPECT_THAT(wide, HasSubstr("rem_i64(v2, v0)"));
}

}  // namespace
}  // namespace hasten::test
