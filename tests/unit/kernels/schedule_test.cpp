// Schedules are data: they are written and read back, and precede the code that they belong to.
#include "kernels/schedule.hpp"

#include <hasten/run/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace hasten::test {
namespace {

using namespace kernels;

const Schedule full{.lanes = 32,
                    .lanes_across = 16,
                    .across_below = 5,
                    .lanes_along = 8,
                    .short_row = 32,
                    .lanes_outside = 4,
                    .outside_depth = 12,
                    .lanes_down = 2,
                    .few_columns = 16,
                    .apart_scalars = {2, 0},
                    .lanes_of_rows = 16,
                    .row_scalars = {1},
                    .rows_together = 4,
                    .strip_columns = 1024,
                    .in_order = true,
                    .packed = {14, 32, 56, 128, 4},
                    .lane_step = 3,
                    .turned_rows = 64,
                    .still_row = true,
                    .part_lanes = 8,
                    .neighbour_lanes = 16,
                    .nanoseconds = 0.1,
                    .loop_lanes = {8, 1, 32},
                    .loop_nanoseconds = {0.5, 2, 0.25},
                    .items = ItemAxis::by_extents,
                    .group = {4, 8, 2},
                    .interior_rows = 8};

TEST(Schedule, IsReadBack) {
  EXPECT_EQ(print(Schedule{}), "");
  EXPECT_EQ(parse_schedule(""), Schedule{});
  Schedule some;
  some.lanes = 16;
  some.in_order = true;
  EXPECT_EQ(print(some), "lanes 16, in_order 1");
  EXPECT_EQ(parse_schedule(print(full)), full);
}

TEST(Schedule, RefusesWhatIsNone) {
  for (const char* const text :
       {"lanes", "lanes x", "lanes 4 5", "lanes 4,", "lane 4", ", ", "lanes -1", "items 3",
        "loop_lanes 8 x", "loop_lanes 8  4", "lanes 99999999999999999999"})
    EXPECT_THROW(static_cast<void>(parse_schedule(text)), InternalError) << text;
}

TEST(Schedule, StandsBeforeItsCode) {
  const std::byte code[] = {std::byte{'\n'}, std::byte{0}, std::byte{255}};
  const std::vector<std::byte> bytes = with_schedule(full, code);
  const ScheduledCode split = split_schedule(bytes);
  EXPECT_EQ(split.schedule, full);
  EXPECT_TRUE(std::ranges::equal(split.code, code));
  EXPECT_THROW(static_cast<void>(split_schedule(std::span(code).subspan(1))), InternalError);
  EXPECT_THROW(static_cast<void>(split_schedule({})), InternalError);
}

}  // namespace
}  // namespace hasten::test
