// The result of a filter is cut again if much work follows and parts are uneven: results are the
// interpreter's, and devices have parts that are as long as their shares.
#include <hasten/hasten.hpp>

#include "tests/support/devices.hpp"
#include "tests/support/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

namespace hs = hasten;
using hs::Acc, hs::Ix, hs::Vector;

namespace {

using Ints = Vector<std::int32_t>;

/// Keeps positive numbers: those in [begin, end).
Ints kept_between(std::int64_t n, std::int64_t begin, std::int64_t end) {
  return Ints::from_function(n, [=](Ix<1> i) {
    const auto x = static_cast<std::int32_t>(1 + i[0] * 7919 % 1009);
    return i[0] >= begin && i[0] < end ? x : -x;
  });
}

const auto is_kept = [](const auto& x) { return x > 0; };

Acc<Ints> in_rounds(const Acc<Ints>& xs) {
  return hs::aiterate(
      3, [](const Acc<Ints>& x) { return hs::map([](auto a) { return a * 3 + 1; }, x); },
      hs::filter(is_kept, xs));
}

// Rounds that read beside each element, with a cut that differs from call to call.
Acc<Ints> with_neighbours(const Acc<Ints>& xs) {
  return hs::aiterate(
      3,
      [](const Acc<Ints>& x) {
        return hs::stencil([](auto at) { return at(-1) - 2 * at(0) + 3 * at(1); },
                           hs::boundary::clamp, x);
      },
      hs::filter(is_kept, xs));
}

// For each element, all other elements.
Acc<Ints> with_all_others(const Acc<Ints>& xs) {
  const auto kept = hs::filter(is_kept, xs);
  const auto by_row = hs::replicate(hs::over(hs::keep, hs::size(kept)), kept);
  const auto by_column = hs::replicate(hs::over(hs::size(kept), hs::keep), kept);
  return hs::sum(hs::zip_with([](auto a, auto b) { return a * 3 ^ b; }, by_row, by_column));
}

// The elements kept and those not kept, of two components, beside each other.
Acc<Ints> both_sides(const Acc<Ints>& xs) {
  const auto [kept, rest] = hs::partition([](auto x, auto) { return x > 0; },
                                          hs::zip(xs, hs::map([](auto x) { return x * x; }, xs)));
  const auto rounds = [](const auto& pairs) {
    return hs::aiterate(
        2,
        [](const auto& v) {
          return hs::map([](auto a, auto b) { return std::tuple(b, a + 1); }, v);
        },
        pairs);
  };
  const auto mixed = [](auto a, auto b) { return a * 5 - b; };
  return hs::concat(hs::map(mixed, rounds(kept)), hs::map(mixed, rounds(rest)));
}

class CutAgain : public testing::Test {
 protected:
  void SetUp() override { hs::test::require_device("opencl"); }

  static hs::Options split() {
    return {.target = hs::multi({hs::cpu(), hs::opencl(0)}), .split = {1, 1}};
  }
  /// Everything kept in one half, in the middle, everywhere and nowhere.
  template <class F>
  static void expect_right(F program) {
    const auto f = hs::compile(program, split());
    const auto g = hs::compile(program, {.target = hs::interpreter()});
    for (const std::int64_t n : {0, 1, 127, 512, 4099})
      for (const auto& [begin, end] : {std::pair{std::int64_t{0}, n / 2},
                                       {n / 2, n},
                                       {n / 3, n},
                                       {std::int64_t{0}, n},
                                       {n, n},
                                       {n / 2, n / 2 + 1}}) {
        SCOPED_TRACE(testing::Message() << n << " numbers, kept " << begin << " to " << end);
        const Ints xs = kept_between(n, begin, end);
        EXPECT_EQ(f(xs), g(xs));
      }
  }
};

TEST_F(CutAgain, RoundsOfALoop) { expect_right(in_rounds); }
TEST_F(CutAgain, RoundsWithNeighbours) { expect_right(with_neighbours); }
TEST_F(CutAgain, RowsForEach) { expect_right(with_all_others); }
TEST_F(CutAgain, BothSidesOfAPartition) { expect_right(both_sides); }

/// The rows of the launch of this name.
std::int64_t rows_of(const hs::Profile& profile, const std::string& name) {
  for (const hs::ProfileRow& row : profile.rows())
    if (row.kind == "launch" && row.name == name) return std::stoll(row.shapes.substr(1));
  return -1;
}

TEST_F(CutAgain, PartsAreAsLongAsShares) {
  constexpr std::int64_t n = 100'000;
  const auto f = hs::compile(in_rounds, split());
  const Ints xs = kept_between(n, 0, n / 2);
  for (int call = 0; call < 3; ++call) f(xs);
  const std::string text = f.explain().str();
  EXPECT_NE(text.find("cut again (filter)"), std::string::npos) << text;
  EXPECT_NE(text.find("where parts are uneven; they were 3 times in 3 calls"), std::string::npos)
      << text;
  const hs::Profile profile = f.profile();
  const std::int64_t cpu = rows_of(profile, "map on cpu"),
                     opencl = rows_of(profile, "map on opencl:0");
  EXPECT_EQ(cpu + opencl, n / 2) << profile;
  EXPECT_NEAR(static_cast<double>(cpu), static_cast<double>(n) / 4, 64) << profile;
}

TEST_F(CutAgain, NotWherePartsAreEvenNorWhatIsGoneThroughOnce) {
  constexpr std::int64_t n = 100'000;
  const auto rounds = hs::compile(in_rounds, split());
  rounds(kept_between(n, n / 4, n / 4 * 3));
  const std::string text = rounds.explain().str();
  EXPECT_NE(text.find("they were 0 times in 1 calls"), std::string::npos) << text;
  const auto once = hs::compile(
      [](const Acc<Ints>& xs) {
        return hs::map([](auto x) { return x * x; }, hs::filter(is_kept, xs));
      },
      split());
  once(kept_between(n, 0, n / 2));
  EXPECT_EQ(once.explain().str().find("cut again"), std::string::npos);
}

class CutAgainOnFakeCuda : public hs::test::OnFakeCuda {};

// Three devices of two kinds: rows that move from one GPU to another do not come home.
TEST_F(CutAgainOnFakeCuda, OfThreeDevices) {
  const hs::Options options{.target = hs::multi({hs::cuda(0), hs::cpu(), hs::cuda(1)}),
                            .split = {2, 1, 3}};
  const auto f = hs::compile(with_neighbours, options);
  const auto g = hs::compile(with_neighbours, {.target = hs::interpreter()});
  std::int64_t uneven = 0;
  for (const auto& [begin, end] : {std::pair{200, 3000}, {0, 10'007}, {9000, 10'007}, {5, 6}}) {
    const Ints xs = kept_between(10'007, begin, end);
    EXPECT_EQ(f(xs), g(xs)) << begin << " to " << end;
    uneven += end - begin == 2800 || end - begin == 1007 ? 1 : 0;
  }
  EXPECT_NE(f.explain().str().find("they were " + std::to_string(uneven) + " times in 4 calls"),
            std::string::npos)
      << f.explain();
}

TEST_F(CutAgainOnFakeCuda, RowsGoFromDeviceToDevice) {
  constexpr std::int64_t n = 10'000;
  const auto f = hs::compile([](const Acc<Ints>& xs) { return hs::sum(in_rounds(xs)); },
                             {.target = hs::multi({hs::cuda(0), hs::cuda(1)}), .split = {1, 1}});
  const Ints xs = kept_between(n, 0, n / 2);
  const std::int32_t expected = f(xs).item();  // compiles, and moves arguments to where they stay
  const auto before = counts();
  const auto bytes = hs::statistics().bytes_from_devices;
  EXPECT_EQ(f(xs).item(), expected);
  EXPECT_GE(counts().copies_on_device - before.copies_on_device, 1);
  EXPECT_LT(hs::statistics().bytes_from_devices - bytes, n / 4 * 4);  // a quarter of the rows moved
}

}  // namespace
