// How devices split folds: every element is in one part, depending on extents alone; and what
// qualifies as a product of matrices.
#include "backends/c_like/launch/launch.hpp"
#include "backends/c_like/text/contraction.hpp"
#include "backends/c_like/text/schedule.hpp"

#include "kernels/text/parse.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hasten::test {
namespace {

using namespace backends::c_like;
using namespace kernels;

TEST(DeviceFolds, PartsCoverRows) {
  for (const ItemAxis lanes : {ItemAxis::folded, ItemAxis::outer, ItemAxis::by_extents})
    for (const std::int64_t rows : {1, 2, 31, 33, 1000, 16384, 1000000})
      for (const std::int64_t size : {0, 1, 8, 9, 2048, 2049, 8192, 8193, 1000000, 123456789}) {
        const FoldShape shape = fold_shape(lanes, true, rows, size);
        EXPECT_GE(shape.shift, 0);
        EXPECT_LE(shape.shift, 8);
        EXPECT_GE(shape.parts * shape.length, size);
        EXPECT_LT((shape.parts - 1) * shape.length, std::max<std::int64_t>(size, 1));
        EXPECT_LE(shape.parts, 2048);
        const FoldShape joins = join_shape(shape, rows);
        EXPECT_EQ(joins.parts, 1);
        EXPECT_EQ(joins.length, shape.parts);
        EXPECT_EQ(joins.across, shape.across);
      }
}

TEST(DeviceFolds, ItemsOfARow) {
  EXPECT_EQ(fold_shape(ItemAxis::folded, true, 100, 8).shift, 0);
  EXPECT_EQ(fold_shape(ItemAxis::folded, true, 100, 9).shift, 1);
  EXPECT_EQ(fold_shape(ItemAxis::folded, true, 100, 2048).shift, 8);
  // Adjacent rows are adjacent in memory: at least 32 of them.
  EXPECT_EQ(fold_shape(ItemAxis::outer, true, 100, 2048).shift, 3);
  EXPECT_EQ(fold_shape(ItemAxis::outer, true, 2, 2048).shift, 7);
  EXPECT_EQ(fold_shape(ItemAxis::outer, true, 1 << 20, 2048).shift, 0);
  EXPECT_EQ(fold_shape(ItemAxis::by_extents, true, 1 << 20, 2048).shift, 0);
  // No memory to join values in.
  const FoldShape alone = fold_shape(ItemAxis::folded, false, 1, 100000);
  EXPECT_EQ(alone.shift, 0);
  EXPECT_EQ(alone.parts, 1);
}

TEST(DeviceFolds, LongPartsAreAsLongForHalves) {
  const auto parts = [](std::int64_t size) {
    return fold_shape(ItemAxis::folded, true, 1, size, Dialect::opencl).parts;
  };
  EXPECT_EQ(parts(std::int64_t{1} << 23), 1024);
  EXPECT_EQ(parts(std::int64_t{1} << 22), 512);
  // Few elements have some parts, and never more than short parts would.
  EXPECT_EQ(parts(std::int64_t{1} << 20), 256);
  for (const std::int64_t size : {1, 2049, 8193, 20000, 123456789})
    EXPECT_LE(parts(size), fold_shape(ItemAxis::folded, true, 1, size).parts);
}

kernels::Kernel product(const std::string& left, const std::string& right) {
  return kernels::parse_kernel(
      "kernel fold rank 3 {\n inputs f32 f32\n outputs f32\n scalars (x0: f32, x1: i64, x2: i64)\n"
      " element (x3: i64, x4: i64, x5: i64) {\n x6 = mul " +
      left + " x1\n x7 = add x6 x5\n x8 = load_linear %0.0 x7\n x9 = mul x5 x2\n x10 = add x9 " +
      right +
      "\n x11 = load_linear %1.0 x10\n x12 = mul x8 x11\n -> x12\n }\n"
      " combine (x13: f32, x14: f32) { x15 = add x13 x14; -> x15 }\n seed x0\n"
      " lanes outer commutative add\n epilogue (x16: i64, x17: i64, x18: f32) { -> x18 }\n}\n");
}

TEST(DeviceFolds, ContractionsReadByRowOrColumn) {
  EXPECT_GT(contraction_tile(product("x3", "x4")).high, 0);
  EXPECT_GT(contraction_tile(product("x4", "x3")).high, 0);
  EXPECT_EQ(contraction_tile(product("x3", "x3")).high, 0);  // nothing along the other axis
  EXPECT_EQ(contraction_tile(product("x4", "x4")).high, 0);
}

TEST(DeviceFolds, ContractionsShareWhatARowOrAColumnNeeds) {
  const kernels::Kernel kernel = product("x3", "x4");
  const Contraction plan = find_contraction(kernel).value();
  EXPECT_EQ(contraction_tile(kernel).steps, 8);
  EXPECT_TRUE(
      plan.down.along_fold);  // the left matrix lies along the folded axis, the right across
  EXPECT_FALSE(plan.across.along_fold);
  ASSERT_EQ(plan.down.shared.results.size(), 1U);
  ASSERT_EQ(plan.across.shared.results.size(), 1U);
  EXPECT_EQ(plan.down.shared.body.size(), 3U);  // mul, add, load
  EXPECT_EQ(plan.rest.body.size(), 1U);         // the product of both
}

// Tiles are half as deep if local memory is too small.
TEST(DeviceFolds, ContractionsOfManyBytes) {
  kernels::Kernel kernel = product("x3", "x4");
  const Contraction contraction = find_contraction(kernel).value();
  EXPECT_EQ(shared_steps(kernel, contraction, {8, 16}), 4);
  EXPECT_EQ(shared_steps(kernel, contraction, {32, 32}), 0);
}

TEST(DeviceFolds, LanesFollowTheReads) {
  EXPECT_EQ(choose_schedule(product("x3", "x4")).items, ItemAxis::outer);
  EXPECT_EQ(choose_schedule(product("x3", "x3")).items, ItemAxis::outer);
}

}  // namespace
}  // namespace hasten::test
