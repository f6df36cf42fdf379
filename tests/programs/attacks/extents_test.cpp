// Extents that no array can have: an error on every target, whatever is fused, and no other effect.
#include "../support.hpp"

#include "tests/support/devices.hpp"
#include "tests/support/places.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t half = std::int64_t{1} << 32;  // two of these are too many

class AttacksExtents : public hasten_test::OnEveryDevice {
 protected:
  // After the error, other programs still run.
  template <class E, class P>
  static void fails(const P& program, const char* operation) {
    try {
      run(program);
      ADD_FAILURE() << operation << ": nothing was thrown";
    } catch (const E& e) {
      EXPECT_NE(std::string(e.what()).find(operation), std::string::npos) << e.what();
    }
    EXPECT_EQ(run(hs::sum(hs::iota(10))).item(), 45);
  }
  static bool interprets() { return GetParam().target == hs::interpreter(); }
};

Acc<Vector<std::int8_t>> bytes(std::int64_t n) { return hs::fill(n, std::int8_t{1}); }

TEST_P(AttacksExtents, Joins) {
  const auto a = bytes(most), b = hs::use(Vector<std::int8_t>{1, 2, 3});
  fails<hs::MemoryError>(hs::concat(a, b), interprets() ? "fill" : "concat");
  fails<hs::MemoryError>(hs::concat(a, a, b), interprets() ? "fill" : "concat");
  fails<hs::MemoryError>(hs::sum(hs::concat(a, a, b)), interprets() ? "fill" : "concat");
  const auto rows = hs::fill(hs::ix(most, 1), std::int8_t{1});
  fails<hs::MemoryError>(hs::concat_on<0>(rows, rows, rows), interprets() ? "fill" : "concat_on");
}

TEST_P(AttacksExtents, Fills) {
  fails<hs::MemoryError>(hs::fill(std::int64_t{1} << 61, 1.0), "fill");
  fails<hs::MemoryError>(hs::fill(std::int64_t{1} << 59, 1.0), "fill");
  fails<hs::MemoryError>(bytes(most), "fill");
  fails<hs::MemoryError>(hs::fill(hs::ix(half, half), 1.0F), "fill");
  fails<hs::MemoryError>(hs::map([](auto x) { return x + 1.0; }, hs::fill(most / 8, 1.0)),
                         interprets() ? "fill" : "map");
}

TEST_P(AttacksExtents, Sizes) {
  const auto square = hs::fill(hs::ix(half, half), 1.0F);
  fails<hs::MemoryError>(hs::size(square), "fill");
  fails<hs::MemoryError>(hs::flatten(square), "fill");
  fails<hs::MemoryError>(hs::sum_all(square), "fill");
  fails<hs::MemoryError>(hs::sum(hs::sum(square)), "fill");
  const auto wide = hs::replicate(hs::over(half, hs::keep), hs::iota(half));
  fails<hs::MemoryError>(hs::size(wide), interprets() ? "iota" : "replicate");
  // An empty array is no error, however large its other axes are.
  EXPECT_EQ(run(hs::size(hs::fill(hs::ix(half, 0, half, half), 1.0F))), 0);
}

TEST_P(AttacksExtents, Scans) {
  const auto all = hs::iota(most);  // the interpreter itself needs memory for it
  const auto plus = std::plus<>{};
  fails<hs::MemoryError>(hs::scanl(plus, std::int64_t{0}, all), interprets() ? "iota" : "scanl");
  fails<hs::MemoryError>(hs::scanl1(plus, all), interprets() ? "iota" : "scanl1");
  fails<hs::MemoryError>(hs::scanr(plus, std::int64_t{0}, all), interprets() ? "iota" : "scanr");
  const auto lengths = hs::use(Vector<std::int64_t>{most});
  if (!interprets())
    fails<hs::MemoryError>(hs::scanl_seg(plus, std::int64_t{0}, all, lengths), "scanl_seg");
}

TEST_P(AttacksExtents, Segments) {
  const auto five = hs::use(Vector<std::int64_t>{1, 2, 3, 4, 5});
  const auto around = hs::use(Vector<std::int64_t>{most, most, 7});  // 5, as the sum wraps
  fails<hs::ShapeError>(hs::fold_seg(std::plus<>{}, std::int64_t{0}, five, around), "fold_seg");
  fails<hs::ShapeError>(hs::scanl1_seg(std::plus<>{}, five, around), "scanl1_seg");
  fails<hs::MemoryError>(hs::segment_ids(around), "segment_ids");
  const auto count = [](const Exp<std::int64_t>& n) { return n; };
  const auto element = [](const Exp<std::int64_t>& n, const Exp<std::int64_t>& k) { return n + k; };
  fails<hs::MemoryError>(hs::expand(count, element, around), "expand");
  const auto pair = hs::use(Vector<std::int64_t>{most, 1});
  fails<hs::MemoryError>(hs::expand(count, element, pair), "expand");
  fails<hs::MemoryError>(hs::segment_ids(pair), "segment_ids");
}

TEST_P(AttacksExtents, SegmentsOfMoreElementsThanReachMemory) {
  if (interprets()) return;  // the interpreter stores the array in memory
  const auto offsets = hs::use(Vector<std::int64_t>{0, 3, 5});
  const auto sums =
      run(hs::fold_seg_offsets(std::plus<>{}, std::int64_t{0}, hs::iota(most), offsets));
  EXPECT_EQ(sums.to_vector(), (std::vector<std::int64_t>{3, 7}));
}

TEST_P(AttacksExtents, AllocationsOfAllSizes) {
  for (int bits = 40; bits < 63; ++bits)
    for (const std::int64_t more : {-1, 0, 1}) {
      const std::int64_t n = (std::int64_t{1} << bits) + more;
      EXPECT_THROW(run(bytes(n)), hs::MemoryError) << n;
      EXPECT_THROW(run(hs::fill(hs::ix(n, 3), 1.0)), hs::MemoryError) << n;
    }
}

HASTEN_ON_EVERY_DEVICE(AttacksExtents);

// Each device may be able to count its part although the whole has too many elements.
TEST(AttacksExtentsOfSeveral, SizesAndFolds) {
  hs::test::require_device("opencl");
  if (testing::Test::IsSkipped()) return;
  const hs::Target both = hs::multi({hs::cpu(), hs::opencl(0)});
  const auto square = hs::fill(hs::ix(half, half), 1.0F);
  const std::vector<std::vector<double>> splits{{}, {1, 1}, {9, 1}, {1, 0}};
  for (const std::vector<double>& split : splits) try {
      ADD_FAILURE() << hs::run(hs::size(square), {.target = both, .split = split});
    } catch (const hs::MemoryError& e) {
      EXPECT_NE(std::string(e.what()).find("can be counted"), std::string::npos) << e.what();
      EXPECT_TRUE(hs::test::begins_with_its_place(e)) << e.what();
      EXPECT_NE(std::string(e.where().file_name()).find("extents_test"), std::string::npos);
    }
  const hs::Options options{.target = both, .split = {1, 1}};
  EXPECT_THROW(hs::run(hs::sum(hs::sum(square)), options), hs::MemoryError);
  EXPECT_EQ(hs::run(hs::size(hs::fill(hs::ix(half, 0, half, half), 1.0F)), options), 0);
}

TEST(Extents, HostArrays) {
  EXPECT_THROW((Matrix<double>(hs::ix(half, half), std::span<const double>{})), hs::Error);
  EXPECT_THROW((Matrix<double>::from_function(hs::ix(half, half), [](hs::Ix<2>) { return 1.0; })),
               hs::Error);
  EXPECT_THROW((Vector<double>::from_function(most, [](hs::Ix<1>) { return 1.0; })), hs::Error);
  double one = 1;
  EXPECT_THROW((Matrix<double>::borrow(hs::ix(half, half), &one, [] {})), hs::Error);
  EXPECT_THROW((Vector<double>::borrow(-1, &one, [] {})), hs::Error);
}

}  // namespace
