// The parts of profiles: times, a kernel's work, and the limit that explains a time.
#include "kernels/text/parse.hpp"
#include "runtime/profile/limits.hpp"
#include "runtime/profile/recording.hpp"
#include "runtime/profile/work.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hasten::runtime {
namespace {

Work work(const char* text, const LaunchShapes& shapes) {
  return work_of(kernels::parse_kernel(text), shapes);
}

TEST(ProfileTimes, KeepTheFirstTheShortestAndTheMedianOfTheNewest) {
  Times times;
  for (const std::int64_t ns : {900, 100, 300, 200, 400}) times.add(ns);
  EXPECT_EQ(times.calls, 5);
  EXPECT_EQ(times.first, 900);
  EXPECT_EQ(times.minimum, 100);
  EXPECT_EQ(times.total, 1900);
  EXPECT_EQ(times.median(), 300);
  for (std::size_t i = 0; i < Times::kept; ++i) times.add(50);
  EXPECT_EQ(times.median(), 50);
  EXPECT_EQ(times.first, 900);
}

TEST(ProfileTimes, CountWhatIsNotKnown) {
  Times times;
  times.add(-1);
  EXPECT_EQ(times.calls, 1);
  EXPECT_EQ(times.median(), 0);
  times.add(70);
  EXPECT_EQ(times.calls, 2);
  EXPECT_EQ(times.first, 70);
  EXPECT_EQ(times.total, 70);
}

TEST(ProfileTimes, AreJoined) {
  Times a, b;
  a.add(10);
  a.add(30);
  b.add(20);
  b.add(5);
  a.add(b);
  EXPECT_EQ(a.calls, 4);
  EXPECT_EQ(a.first, 10);
  EXPECT_EQ(a.minimum, 5);
  EXPECT_EQ(a.total, 65);
  EXPECT_EQ(a.median(), 20);
  Times none;
  none.add(a);
  EXPECT_EQ(none.first, 10);
  a.add(Times{});
  EXPECT_EQ(a.calls, 4);
  EXPECT_EQ(a.total, 65);
}

TEST(Recordings, SeeEveryCallOnce) {
  Recording recording(2);
  for (int i = 0; i < 3; ++i) {
    CallRecord call(recording);
    for (int launch = 0; launch < 200; ++launch) call.add(1, 10);
    call.end({200, 0, 0, 0});
  }
  const Recording::Seen seen = recording.seen();
  EXPECT_EQ(seen.sites[1].times.calls, 600);
  EXPECT_EQ(seen.sites[1].times.total, 6000);
  EXPECT_EQ(seen.sites[0].times.calls, 0);
  EXPECT_EQ(seen.between.calls, 3);
  EXPECT_EQ(recording.counts().all.launches, 600);
  Recording other(2);
  other.merge(recording);
  EXPECT_EQ(other.seen().sites[1].times.calls, 600);
  recording.reset();
  EXPECT_EQ(recording.seen().sites[1].times.calls, 0);
  EXPECT_EQ(recording.counts().calls, 3);
}

// A sum of squares of rows, as in the guide to the stages.
constexpr const char* sum_of_squares = R"(kernel fold rank 2 {
  inputs f32
  outputs f32
  scalars (x0: i64, x1: f32)
  element (x2: i64, x3: i64) {
    x4 = mul x2 x0
    x5 = add x3 x4
    x6 = load_linear %0.0 x5
    x7 = mul x6 x6
    -> x7
  }
  combine (x8: f32, x9: f32) { x10 = add x8 x9; -> x10 }
  seed x1
  lanes reduction commutative add
  epilogue (x11: i64, x12: f32) { x13 = sqrt x12; -> x13 }
})";

TEST(ProfileWork, IsWhatIsReadWrittenAndComputed) {
  const Work of = work(sum_of_squares, {{10, 100}, {100, 0}, {4000}, 40, true});
  EXPECT_EQ(of.bytes, 4040);
  EXPECT_EQ(of.flops, 1000 + 1000 + 10);
  EXPECT_EQ(of.gathers, 0);
  EXPECT_EQ(of.strided, 0);
  EXPECT_FALSE(of.has_double);
}

TEST(ProfileWork, OfAPartOfAnArrayIsThatPart) {
  const Work of = work(sum_of_squares, {{2, 100}, {100, 0}, {4000000}, 8, true});
  EXPECT_EQ(of.bytes, 2 * 100 * 4 + 8);
}

TEST(ProfileWork, TellsGathersFromRowsAndColumns) {
  const char* const gather = R"(kernel map rank 1 {
  inputs i64 f64
  outputs f64
  scalars ()
  element (x0: i64) {
    x1 = load_linear %0.0 x0
    x2 = load_linear %1.0 x1
    x3 = mul x2 x2
    -> x3
  }
})";
  const Work of = work(gather, {{1000}, {}, {8000, 80000000}, 8000, true});
  EXPECT_EQ(of.bytes, 3 * 8000);
  EXPECT_EQ(of.gathers, 1000);
  EXPECT_TRUE(of.has_double);
  const char* const columns = R"(kernel map rank 2 {
  inputs f32
  outputs f32
  scalars (x0: i64)
  element (x1: i64, x2: i64) {
    x3 = mul x2 x0
    x4 = add x3 x1
    x5 = load_linear %0.0 x4
    -> x5
  }
})";
  const Work turned = work(columns, {{10, 20}, {10}, {800}, 800, true});
  EXPECT_EQ(turned.strided, 200);
  EXPECT_EQ(turned.gathers, 0);
  EXPECT_EQ(turned.bytes, 1600);
}

// Values that are invariant along an axis are read once for the whole axis.
TEST(ProfileWork, CountsWhatStaysInPlaceOnce) {
  const char* const text = R"(kernel map rank 2 {
  inputs f32
  outputs f32
  scalars ()
  element (x0: i64, x1: i64) {
    x2 = load_linear %0.0 x0
    x3 = sqrt x2
    -> x3
  }
})";
  const Work of = work(text, {{10, 1000}, {}, {1 << 20}, 40000, true});
  EXPECT_EQ(of.bytes, 40 + 40000);
  EXPECT_EQ(of.flops, 10);
}

backends::Facts machine() {
  backends::Facts facts = backends::default_facts();  // 40 GB/s, 400 GFLOP/s, caches up to 400 GB/s
  facts.threads = 4;
  return facts;
}

TEST(ProfileLimits, SayWhatBoundsALaunch) {
  Work of;
  of.bytes = 4e9;
  EXPECT_EQ(judge(of, 0.11, {true, false}, machine()).bound, "memory");
  EXPECT_EQ(judge(of, 0.30, {false, false}, machine()).bound, "one thread");
  of.bytes = 1e6;
  EXPECT_EQ(judge(of, 1e-5, {true, false}, machine()).bound, "cache");
  EXPECT_EQ(judge(of, 1e-6, {false, false}, machine()).bound, "cache");
  of.bytes = 100;
  EXPECT_EQ(judge(of, 1e-6, {false, false}, machine()).bound, "launch overhead");
  EXPECT_EQ(judge(of, 15e-6, {true, false}, machine()).bound, "launch overhead");
  of.flops = of.weight = 1e9;
  EXPECT_EQ(judge(of, 1e9 / 300e9, {true, false}, machine()).bound, "arithmetic");
  EXPECT_EQ(judge(of, 1, {true, false}, machine()).bound, "arithmetic");
  Work reads;
  reads.bytes = 1e9;
  reads.gathers = 1e8;
  EXPECT_EQ(judge(reads, 0.2, {true, false}, machine()).bound, "gathers");
  reads.gathers = 0;
  reads.strided = 1e8;
  EXPECT_EQ(judge(reads, 0.2, {true, false}, machine()).bound, "strided reads");
}

TEST(ProfileLimits, AreNeverExceeded) {
  Work of;
  for (of.bytes = 1; of.bytes < 1e12; of.bytes *= 7)
    for (double seconds = 1e-9; seconds < 10; seconds *= 5)
      for (const bool in_parallel : {false, true})
        for (const bool is_device : {false, true}) {
          of.flops = 3 * of.bytes;
          const Verdict verdict = judge(of, seconds, {in_parallel, is_device}, machine());
          EXPECT_LE(verdict.bandwidth_share, 1) << of.bytes << " in " << seconds;
          EXPECT_LE(verdict.arithmetic_share, 1) << of.bytes << " in " << seconds;
          EXPECT_FALSE(verdict.bound.empty());
        }
}

TEST(ProfileLimits, NeedNoFacts) {
  Work of;
  of.bytes = 1e9;
  const Verdict verdict = judge(of, 1, {true, true}, {});
  EXPECT_EQ(verdict.bandwidth_share, 0);
  EXPECT_EQ(verdict.bound, "memory");
}

}  // namespace
}  // namespace hasten::runtime
