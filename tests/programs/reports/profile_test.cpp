// profile(): a row for each place that takes time, times that add up, and plausible shares.
#include "tests/programs/support.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

using hs::Acc, hs::Exp, hs::Matrix, hs::Profile, hs::ProfileRow, hs::Scalar, hs::Vector;

namespace {

std::int64_t rows_of(const Profile& profile, const std::string& kind) {
  return std::ranges::count(profile.rows(), kind, &ProfileRow::kind);
}

const ProfileRow& row_named(const Profile& profile, const std::string& part) {
  const auto found = std::ranges::find_if(profile.rows(), [&](const ProfileRow& row) {
    return row.name.find(part) != std::string::npos;
  });
  if (found != profile.rows().end()) return *found;
  ADD_FAILURE() << "no row of " << part << " in\n" << profile;
  static const ProfileRow none;
  return none;
}

// Properties of every profile.
void expect_sound(const Profile& profile) {
  double total = 0, shares = 0;
  for (const ProfileRow& row : profile.rows()) {
    total += row.total_ms;
    shares += row.share;
    EXPECT_LE(row.bandwidth_share, 1.1) << profile;
    EXPECT_LE(row.arithmetic_share, 1.1) << profile;
    const bool moves = row.kind != "host" && row.kind != "interpreted";
    EXPECT_EQ(row.bytes > 0, moves && row.calls > 0) << row.name << " of\n" << profile;
    EXPECT_LE(row.minimum_ms, row.first_ms) << profile;
    EXPECT_LE(row.minimum_ms, row.median_ms * 1.001) << profile;
    if (row.kind != "host" && row.calls > 0) {
      EXPECT_FALSE(row.bound.empty()) << row.name;
    }
  }
  EXPECT_NEAR(total, profile.total_ms(), 1e-9 + 1e-6 * total) << profile;
  if (total > 0) {
    EXPECT_NEAR(shares, 1, 1e-6) << profile;
  }
}

class Profiles : public hasten_test::OnEveryDevice {
 protected:
  static bool is_interpreted() { return GetParam().target.name() == "interpreter"; }
  static bool is_device() { return !is_interpreted() && GetParam().target.name() != "cpu"; }

  /// The profile after this many calls, all of them timed: devices are timed from the first profile
  /// on.
  template <class F, class... Args>
  static Profile profile_of(int calls, const F& f, const Args&... args) {
    if (is_device()) static_cast<void>(f.profile());
    for (int i = 0; i < calls; ++i) f(args...);
    Profile profile = f.profile();
    expect_sound(profile);
    EXPECT_EQ(profile.calls(), calls) << profile;
    return profile;
  }
};

const auto twice = [](const auto& x) { return x * 2.0f; };

TEST_P(Profiles, HaveARowForEachLaunch) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& x) {
        const auto doubled = hs::compute(hs::named("doubled", hs::map(twice, x)));
        return std::tuple{hs::scanl1(std::plus<>{}, doubled), hs::sum(hs::map(twice, doubled))};
      },
      GetParam());
  const Profile profile = profile_of(3, f, Vector<float>{1, 2, 3});
  if (is_interpreted()) {
    ASSERT_EQ(profile.rows().size(), 1U) << profile;
    EXPECT_EQ(profile.rows()[0].kind, "interpreted");
    EXPECT_EQ(profile.rows()[0].calls, 3);
    EXPECT_GT(profile.rows()[0].total_ms, 0);
    return;
  }
  EXPECT_EQ(rows_of(profile, "launch"), f.launch_count()) << profile << f.explain();
  EXPECT_EQ(rows_of(profile, "host"), 1) << profile;
  const ProfileRow& doubled = row_named(profile, "doubled");
  EXPECT_EQ(doubled.shapes, "[3]");
  EXPECT_EQ(doubled.calls, 3);
  EXPECT_EQ(doubled.bytes, 24);
  EXPECT_EQ(doubled.flops, 3);
  EXPECT_GT(doubled.minimum_ms, 0);
  EXPECT_NE(std::string(doubled.where.file_name()).find("profile_test"), std::string::npos);
  EXPECT_NE(profile.str().find("doubled"), std::string::npos) << profile;
  EXPECT_NE(profile.str().find("profile_test.cpp:"), std::string::npos) << profile;
}

TEST_P(Profiles, CountEveryRoundOfALoop) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& x, const Exp<std::int64_t>& n) {
        return hs::aiterate(n, [](const Acc<Vector<float>>& v) { return hs::map(twice, v); }, x);
      },
      GetParam());
  const Profile profile = profile_of(2, f, Vector<float>{1, 2, 3}, 40);
  if (!is_interpreted()) {
    EXPECT_EQ(row_named(profile, "map").calls, 80) << profile;
  }
}

TEST_P(Profiles, HaveRowsForSortsAndFills) {
  const auto f = hs::compile(
      [](const Acc<Vector<int>>& x) {
        return std::tuple{hs::sort(x), hs::compute(hs::fill(hs::shape(x), 7))};
      },
      GetParam());
  const Profile profile = profile_of(2, f, Vector<int>{3, 1, 2, 5});
  if (is_interpreted()) return;
  EXPECT_EQ(rows_of(profile, "sort"), 1) << profile;
  EXPECT_EQ(rows_of(profile, "fill"), 1) << profile;
  const auto sort = std::ranges::find(profile.rows(), "sort", &ProfileRow::kind);
  EXPECT_EQ(sort->calls, 2);
  EXPECT_EQ(sort->shapes, "[4]");
  EXPECT_EQ(sort->bytes, 4 * 4 + 4 * 8) << profile;
}

TEST_P(Profiles, HaveRowsForForeignCalls) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& x) {
        return hs::foreign_acc(
            hs::on_cpu("profile_test::same",
                       [](const Vector<float>& a) {
                         std::this_thread::sleep_for(std::chrono::milliseconds(2));
                         return a;
                       }),
            [](const Acc<Vector<float>>& a) { return hs::map(twice, a); }, x);
      },
      GetParam());
  const Profile profile = profile_of(2, f, Vector<float>{1, 2});
  if (GetParam().target.name() != "cpu") return;
  const ProfileRow& call = row_named(profile, "profile_test::same");
  EXPECT_EQ(call.kind, "foreign call");
  EXPECT_EQ(call.calls, 2);
  EXPECT_EQ(call.bytes, 16);
  EXPECT_GE(call.minimum_ms, 2);
  EXPECT_GE(call.share, 0.5) << profile;
}

TEST_P(Profiles, CopiesHaveRowsAndAreCounted) {
  const auto f =
      hs::compile([](const Acc<Vector<float>>& x) { return hs::map(twice, x); }, GetParam());
  if (is_device()) static_cast<void>(f.profile());
  const Vector<float> xs = hasten_test::vector_of(std::vector<float>(1000));
  EXPECT_EQ(f(xs)(0), 0);
  const Profile profile = f.profile();
  expect_sound(profile);
  const hs::Statistics counts = f.statistics();
  if (!is_device()) {
    EXPECT_EQ(rows_of(profile, "copy"), 0) << profile;
    EXPECT_EQ(counts.bytes_to_devices, 0);
    EXPECT_EQ(counts.bytes_from_devices, 0);
    return;
  }
  EXPECT_EQ(rows_of(profile, "copy"), 2) << profile;
  EXPECT_EQ(row_named(profile, "argument 0").bytes, 4000) << profile;
  EXPECT_EQ(row_named(profile, "results").bytes, 4000) << profile;
  EXPECT_EQ(counts.bytes_to_devices, 4000);
  EXPECT_EQ(counts.bytes_from_devices, 4000);
}

TEST_P(Profiles, AddUpToTheCalls) {
  const auto f = hs::compile(
      [](const Acc<Matrix<float>>& a) {
        const auto roots = hs::map([](const auto& x) { return hs::sin(hs::exp(hs::sqrt(x))); }, a);
        return hs::sum(hs::compute(roots));
      },
      GetParam());
  const std::int64_t n = is_interpreted() ? 30 : 700;
  const std::vector<float> ones(static_cast<std::size_t>(n * n), 1.0f);
  const Matrix<float> a({n, n}, std::span<const float>(ones));
  f(a);
  f.profile().reset();
  if (is_device()) f.profile().reset();
  const auto start = std::chrono::steady_clock::now();
  constexpr int calls = 5;
  for (int i = 0; i < calls; ++i) f(a);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  const Profile profile = f.profile();
  expect_sound(profile);
  EXPECT_EQ(profile.calls(), calls);
  EXPECT_LE(profile.total_ms(), took.count() * 1.05 + 0.1) << profile;
  if (is_interpreted()) return;
  double launches = 0;
  for (const ProfileRow& row : profile.rows())
    if (row.kind == "launch") launches += row.share;
  EXPECT_GE(launches, 0.2) << profile;  // the program works; other processes may use the machine
}

TEST_P(Profiles, AreForgottenByReset) {
  const auto f = hs::compile([](const Acc<Vector<float>>& x) { return hs::sum(x); }, GetParam());
  const Profile before = profile_of(3, f, Vector<float>{1, 2});
  before.reset();
  EXPECT_EQ(before.calls(), 3);  // this profile stays unchanged
  EXPECT_EQ(f.profile().calls(), 0);
  EXPECT_EQ(f.profile().total_ms(), 0);
  f(Vector<float>{1, 2, 3, 4});
  const Profile after = f.profile();
  EXPECT_EQ(after.calls(), 1);
  if (!is_interpreted()) {
    EXPECT_EQ(row_named(after, "sum").shapes, "[4]") << after;
  }
}

TEST_P(Profiles, OutliveTheirProgram) {
  std::optional<Profile> profile;
  {
    const auto f = hs::compile([](const Acc<Vector<float>>& x) { return hs::sum(x); }, GetParam());
    f(Vector<float>{1, 2});
    profile = f.profile();
  }
  EXPECT_EQ(profile->calls(), 1);
  profile->reset();
}

TEST_P(Profiles, TakeCallsOfSeveralThreads) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& x) { return hs::scanl1(std::plus<>{}, hs::map(twice, x)); },
      GetParam());
  if (is_device()) static_cast<void>(f.profile());
  constexpr int threads = 4, calls = 25;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&] {
      for (int call = 0; call < calls; ++call) {
        f(Vector<float>{1, 2, 3});
        if (call % 10 == 0) expect_sound(f.profile());
      }
    });
  for (std::thread& thread : all) thread.join();
  const Profile profile = f.profile();
  EXPECT_EQ(profile.calls(), threads * calls);
  if (!is_interpreted()) {
    EXPECT_EQ(row_named(profile, "scanl1").calls, threads * calls) << profile;
  }
}

// The bytes of each launch, in ascending order.
std::vector<std::int64_t> launch_bytes(const Profile& profile) {
  std::vector<std::int64_t> bytes;
  for (const ProfileRow& row : profile.rows())
    if (row.kind == "launch") bytes.push_back(row.bytes);
  std::ranges::sort(bytes);
  return bytes;
}

// A table of few elements that is read at random indices does not count as memory traffic; nor does
// the whole of an array of which a part is read.
TEST_P(Profiles, CountWhatIsRead) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& table, const Acc<Vector<std::int64_t>>& places) {
        return std::tuple{hs::map([=](const auto& i) { return table[i]; }, places),
                          hs::map(twice, hs::take(10, table))};
      },
      GetParam());
  const Vector<float> table = hasten_test::vector_of(std::vector<float>(100000));
  const Profile profile = profile_of(2, f, table, Vector<std::int64_t>{5, 99999, 7});
  if (is_interpreted()) return;
  EXPECT_EQ(launch_bytes(profile), (std::vector<std::int64_t>{3 * (8 + 4 + 4), 10 * 8})) << profile;
}

// Nor does the whole of an array into which some elements are written.
TEST_P(Profiles, CountWhatIsWritten) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& a, const Acc<Vector<std::int64_t>>& places) {
        return hs::permute_unique(
            hs::map(twice, a), [=](const auto& i) { return places[i]; },
            hs::generate(3, [](const auto& i) { return hs::cast<float>(i); }));
      },
      GetParam());
  const Vector<float> input = hasten_test::vector_of(std::vector<float>(1000));
  const Profile profile = profile_of(2, f, input, Vector<std::int64_t>{5, 999, 7});
  if (is_interpreted()) return;
  EXPECT_EQ(launch_bytes(profile), (std::vector<std::int64_t>{3 * (8 + 4), 1000 * 8})) << profile;
}

HASTEN_ON_EVERY_DEVICE(Profiles);

TEST(ProfilesOfProcesses, ArePrintedAtTheEnd) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto exits = [] {
    setenv("HASTEN_PROFILE", "1", 1);
    for (const hs::Options& options : hasten_test::all_targets()) {
      const auto f = hs::compile(
          [](const Acc<Vector<float>>& x) { return hs::named("total", hs::sum(x)); }, options);
      for (int i = 0; i < 3; ++i) f(Vector<float>{1, 2});
      for (int i = 0; i < 4; ++i) hs::run(hs::product(hs::use(Vector<float>{1, 2})), options);
    }
    std::exit(0);
  };
  EXPECT_EXIT(exits(), testing::ExitedWithCode(0),
              testing::AllOf(testing::HasSubstr("profile of the program at profile_test.cpp"),
                             testing::HasSubstr("target interpreter: 3 calls"),
                             testing::HasSubstr("target interpreter: 4 calls")));
#if HASTEN_WITH_LLVM
  EXPECT_EXIT(exits(), testing::ExitedWithCode(0),
              testing::AllOf(testing::HasSubstr("launch total (sum) [2]"),
                             testing::HasSubstr("target cpu: 4 calls")));
#endif
}

}  // namespace
