// Elements of segments: numbers of segments, what maps compute from these and from what is beside
// them, and expansions, against the interpreter.
#include "against_interpreter.hpp"

#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using hasten_test::numbers_of;
using hs::Acc, hs::Exp, hs::Vector;

namespace {

using Lengths = std::vector<std::int32_t>;

class SegmentElements : public hasten_test::AgainstInterpreter {};

std::vector<std::pair<std::string, Lengths>> all_lengths() {
  std::mt19937 random(7);
  const auto any = [&](std::size_t count, unsigned below) {
    Lengths result(count);
    for (std::int32_t& length : result) length = static_cast<std::int32_t>(random() % below);
    return result;
  };
  std::vector<std::pair<std::string, Lengths>> result{
      {"no segment", {}},
      {"empty ones", {0, 0, 0}},
      {"one", {1}},
      {"one of 1,021", {1021}},
      {"first and last empty", {0, 0, 5, 0, 16, 17, 0, 31, 33, 64, 0}},
      {"of 1", Lengths(997, 1)},
      {"of vectors", Lengths(100, 32)},
      {"short", any(2003, 9)},
      {"long", any(31, 3000)},
      // Segments that begin and end inside of tasks.
      {"one long among short", any(4001, 5)},
      {"many", any(60'001, 12)}};
  result[9].second[17] = 100'003;
  return result;
}

template <class Check>
void of_all_lengths(Check check) {
  for (const auto& [what, lengths] : all_lengths())
    check(hs::use(hasten_test::vector_of(lengths)),
          std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}), what);
}

TEST_P(SegmentElements, Numbers) {
  of_all_lengths([](const auto& lengths, std::int64_t, const std::string& what) {
    const auto ids = hs::segment_ids(lengths);
    expect_same(ids, what);
    expect_same(hs::map([](auto id) { return hs::cast<std::uint8_t>(id); }, ids), what);
    // Numbers that are read elsewhere as well.
    expect_same(
        hs::zip_with([](auto id, auto other) { return id * 3 - other; }, ids, hs::reverse(ids)),
        what);
    expect_same(hs::sum(ids), what);
  });
}

TEST_P(SegmentElements, BesideOtherArrays) {
  of_all_lengths([](const auto& lengths, std::int64_t size, const std::string& what) {
    const auto ids = hs::segment_ids(lengths);
    const auto x = numbers_of<std::int32_t>(hs::ix(size));
    const auto sums = hs::fold_seg(std::plus<>{}, 0, x, lengths);
    expect_same(hs::zip_with([=](auto value, auto id) { return value * 2 - sums[id]; }, x, ids),
                what);
    expect_same(hs::zip_with([](auto value, auto sum) { return value ^ sum; },
                             hs::map([](auto v) { return v * v + 1; }, x), hs::gather(ids, sums)),
                what);
    // Extents intersect.
    for (const std::int64_t other : {size / 2, size + 40}) {
      const auto y = numbers_of<float>(hs::ix(other));
      expect_same(
          hs::zip_with([](auto value, auto id) { return value + hs::cast<float>(id); }, y, ids),
          what);
    }
  });
}

// Functions of indices that read numbers of segments at their own, and beside it; numbers of two
// ways to cut one axis.
TEST_P(SegmentElements, ByIndex) {
  of_all_lengths([](const auto& lengths, std::int64_t size, const std::string& what) {
    const auto ids = hs::segment_ids(lengths);
    const auto x = numbers_of<std::int64_t>(hs::ix(size));
    expect_same(hs::generate(hs::shape(ids),
                             [=](auto i) { return x[i] - ids[i] * 2 + x[hs::max(i - 2, 0)]; }),
                what);
    expect_same(
        hs::generate(hs::shape(ids), [=](auto i) { return ids[i] - ids[hs::max(i - 1, 0)]; }),
        what);
    const auto others = hs::segment_ids(hs::reverse(lengths));
    expect_same(hs::zip_with([](auto a, auto b) { return a * 5 - b; }, ids, others), what);
  });
}

// Elements of more bytes than are joined with their segments; a loop for each element, and a branch
// that reads the array at another segment's number.
TEST_P(SegmentElements, OtherElements) {
  of_all_lengths([](const auto& lengths, std::int64_t size, const std::string& what) {
    const auto ids = hs::segment_ids(lengths);
    const auto x = numbers_of<std::int64_t>(hs::ix(size));
    const auto wide = hs::zip_with(
        [](auto value, auto id) { return std::tuple{value, id, value + id, hs::cast<float>(id)}; },
        x, ids);
    expect_same(wide, what);
    expect_same(hs::sum(hs::map([](auto t) { return hs::get<2>(t); }, wide)), what);
    expect_same(hs::zip_with(
                    [](auto value, auto id) {
                      return hs::fold_range(id & 3, value,
                                            [](auto k, auto so_far) { return so_far * 3 + k; });
                    },
                    x, ids),
                what);
    expect_same(
        hs::zip_with([=](auto value, auto id) { return hs::if_(id > 0, x[id - 1] + value, value); },
                     x, ids),
        what);
  });
}

TEST_P(SegmentElements, Expansions) {
  of_all_lengths([](const auto& lengths, std::int64_t, const std::string& what) {
    expect_same(
        hs::expand([](auto n) { return n; },
                   [](auto n, auto k) { return std::pair{n * 100 + hs::cast<std::int32_t>(k), k}; },
                   lengths),
        what);
    expect_same(hs::expand([](auto n) { return n - 3; },
                           [](auto n, auto k) {
                             return hs::cast<std::uint8_t>(hs::cast<std::int64_t>(n) + 7 * k);
                           },
                           lengths),
                what);
    // An expansion of an expansion.
    const auto first =
        hs::expand([](auto n) { return n % 3; },
                   [](auto n, auto k) { return n + hs::cast<std::int32_t>(k); }, lengths);
    expect_same(
        hs::expand([](auto n) { return n % 4; },
                   [](auto n, auto k) { return hs::cast<float>(n) * hs::cast<float>(k); }, first),
        what);
  });
}

TEST_P(SegmentElements, InLoops) {
  const auto lengths = hs::use(hasten_test::vector_of(Lengths{3, 0, 40, 1, 7}));
  const auto x = numbers_of<std::int32_t>(hs::ix(51));
  expect_same(hs::aiterate(
                  5,
                  [=](const auto& state) {
                    const auto sums = hs::fold_seg(std::plus<>{}, 0, state, lengths);
                    return hs::zip_with([=](auto value, auto id) { return sums[id] - value; },
                                        state, hs::segment_ids(lengths));
                  },
                  x),
              "rounds");
}

HASTEN_ON_EVERY_DEVICE(SegmentElements);

#if HASTEN_WITH_LLVM
// A normalisation by segments is a fold and a map: no array of numbers.
TEST(SegmentMaps, NeedNoNumbers) {
  const auto f = hs::compile<Acc<Vector<float>>(Acc<Vector<float>>, Acc<Vector<std::int32_t>>)>(
      [](const auto& x, const auto& lengths) {
        const auto sums = hs::fold_seg(std::plus<>{}, 0.0F, x, lengths);
        return hs::zip_with([=](auto value, auto id) { return value / sums[id]; }, x,
                            hs::segment_ids(lengths));
      },
      {.target = hs::cpu()});
  const auto lengths = hasten_test::vector_of(Lengths{1, 2, 3, 4});
  const auto x = hasten_test::vector_of(std::vector<float>(10, 1.0F));
  EXPECT_EQ(f(x, lengths).size(), 10);
  const std::int64_t before = f.statistics().launches;
  EXPECT_EQ(f(x, lengths),
            hasten_test::vector_of(std::vector<float>{1.0F, 0.5F, 0.5F, 1.0F / 3, 1.0F / 3,
                                                      1.0F / 3, 0.25F, 0.25F, 0.25F, 0.25F}));
  const std::string shown = f.explain().str();
  EXPECT_NE(shown.find("segments of rank 2, (f32, f32, i64) -> (f32)"), std::string::npos) << shown;
  EXPECT_LE(f.statistics().launches - before, 4) << shown;
}

class SegmentMapsOfSeveralDevices : public testing::Test {
 protected:
  void SetUp() override { hs::test::require_device("opencl"); }
};

// Cut inside of segments; the part behind reads two elements of the one before.
TEST_F(SegmentMapsOfSeveralDevices, AreCutAnywhere) {
  const hs::Options several{.target = hs::multi({hs::cpu(), hs::opencl(0)}), .split = {2, 1}};
  of_all_lengths([&](const auto& lengths, std::int64_t size, const std::string& what) {
    if (size > 10'000) return;
    const auto ids = hs::segment_ids(lengths);
    const auto x = numbers_of<std::int64_t>(hs::ix(size));
    const auto sums = hs::fold_seg(std::plus<>{}, std::int64_t{0}, x, lengths);
    const auto shares =
        hs::zip_with([=](auto value, auto id) { return value * 7 - sums[id]; }, x, ids);
    const auto steps =
        hs::generate(hs::shape(ids), [=](auto i) { return x[i] * ids[i] - x[hs::max(i - 2, 0)]; });
    for (const auto& program : {shares, steps})
      EXPECT_EQ(hs::run(program, several), hs::run(program, {.target = hs::interpreter()})) << what;
  });
}

TEST(SegmentMaps, AreCheckedLikeOthers) {
  const auto lengths = hs::use(hasten_test::vector_of(Lengths{1, 2, 3, 4}));
  const auto x = hs::use(hasten_test::vector_of(std::vector<int>(11, 1)));
  const auto y = hs::use(hasten_test::vector_of(std::vector<int>{8, 4, 2}));
  const auto sum = hs::zip_with([](auto value, auto id) { return value + hs::cast<int>(id); }, x,
                                hs::segment_ids(lengths));
  EXPECT_EQ(hs::run(sum, {.target = hs::cpu()}).size(), 10);
  EXPECT_THROW(hs::run(sum, {.target = hs::cpu(), .checks = hs::Checks::extents}), hs::ShapeError);
  const auto read = hs::map([=](auto id) { return y[id]; }, hs::segment_ids(lengths));
  EXPECT_EQ(hs::run(read, {.target = hs::cpu()}),
            hasten_test::vector_of(std::vector<int>{8, 4, 4, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_THROW(hs::run(read, {.target = hs::cpu(), .checks = hs::Checks::bounds}), hs::IndexError);
  const auto divided = hs::expand([](auto n) { return n; },
                                  [](auto n, auto k) { return n / hs::cast<int>(k - 3); }, lengths);
  EXPECT_THROW(hs::run(divided, {.target = hs::cpu(), .checks = hs::Checks::arithmetic}),
               hs::ArithmeticError);
  const auto whole = hs::expand([](auto n) { return n; }, [=](auto n, auto k) { return y[k] + n; },
                                hs::use(hasten_test::vector_of(Lengths{3, 0, 2})));
  EXPECT_EQ(hs::run(whole, {.target = hs::cpu(), .checks = hs::Checks::all}),
            hasten_test::vector_of(std::vector<int>{11, 7, 5, 10, 6}));
}
#endif

}  // namespace
