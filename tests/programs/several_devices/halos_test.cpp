// The data moved between two devices of one kind while they run one program: halos and partial
// results alone, directly from device to device if they can.
#include <hasten/hasten.hpp>

#include "tests/support/devices.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace hs = hasten;
using hs::Acc, hs::Ix, hs::Matrix, hs::Scalar;

namespace {

using Table = Matrix<std::int32_t>;

constexpr std::int64_t rows = 200, columns = 300, rounds = 6;
constexpr std::int64_t row_bytes = 4 * columns;

class HalosOfSeveralDevices : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { hs::test::require_device(GetParam(), 1); }

  static hs::Options on_both() {
    const bool is_cuda = std::string_view(GetParam()) == "cuda";
    const hs::Target both =
        is_cuda ? hs::multi({hs::cuda(0), hs::cuda(1)}) : hs::multi({hs::opencl(0), hs::opencl(1)});
    return {.target = both, .split = {1, 1}};
  }
  /// Whether devices copy directly: always on CUDA, on OpenCL between parts of one device.
  static bool has_own_way() {
    return std::string_view(GetParam()) == "cuda" || std::getenv("HASTEN_OPENCL_SUBDEVICES");
  }
  static Table table() {
    return Table::from_function({rows, columns}, [](Ix<2> i) {
      return static_cast<std::int32_t>((i[0] * 31 + i[1] * 7919) % 1009);
    });
  }
};

Acc<Table> smoothed(const Acc<Table>& table) {
  return hs::aiterate(
      rounds,
      [](const auto& t) {
        return hs::stencil([](auto at) { return at(-1, 0) + 2 * at(0, 1) - at(1, 0); },
                           hs::boundary::clamp, t);
      },
      table);
}

TEST_P(HalosOfSeveralDevices, GoFromDeviceToDevice) {
  auto f = hs::compile(smoothed, on_both());
  const Table start = table();
  const Table expected = hs::run(smoothed(hs::use(start)), {.target = hs::interpreter()});
  EXPECT_EQ(f(start), expected);  // parts of the argument are on their devices from now on
  const hs::Statistics before = hs::statistics();
  const Table result = f(start);
  const hs::Statistics moved = hs::statistics() - before;
  // A row from each to the other, in each round. The joined result comes home.
  EXPECT_LE(moved.bytes_to_devices, 2 * rounds * row_bytes);
  EXPECT_GE(moved.bytes_to_devices, 2 * (rounds - 1) * row_bytes);
  const std::int64_t result_bytes = rows * row_bytes;
  const std::int64_t halos = moved.bytes_from_devices - result_bytes;
  if (has_own_way())
    EXPECT_EQ(halos, 0);
  else
    EXPECT_GE(halos, 2 * (rounds - 1) * row_bytes);
  EXPECT_EQ(result, expected);
}

TEST_P(HalosOfSeveralDevices, PartialResultsDoSo) {
  const auto sum_of = [](const Acc<Table>& t) { return hs::sum_all(t * 3); };
  auto f = hs::compile(sum_of, on_both());
  const Table start = table();
  const auto expected = hs::run(sum_of(hs::use(start)), {.target = hs::interpreter()});
  EXPECT_EQ(f(start).item(), expected.item());
  const hs::Statistics before = hs::statistics();
  const auto result = f(start);
  const hs::Statistics moved = hs::statistics() - before;
  EXPECT_EQ(moved.bytes_to_devices, 4);
  EXPECT_EQ(moved.bytes_from_devices, has_own_way() ? 0 : 4);
  EXPECT_EQ(result.item(), expected.item());
}

// A part of a scan begins before the carry into it is known; the carry's number follows.
TEST_P(HalosOfSeveralDevices, ScansFollow) {
  for (const std::int64_t size : {2, 100, 5000, 100'003})
    for (const bool is_seeded : {false, true}) {
      const auto xs = hs::Vector<std::int32_t>::from_function(
          size, [](Ix<1> i) { return static_cast<std::int32_t>(i[0] * 7919 % 1009) - 400; });
      const auto sums = [&](const Acc<hs::Vector<std::int32_t>>& v) {
        return is_seeded ? hs::scanl(std::plus<>{}, 17, v) : hs::scanl1(std::plus<>{}, v);
      };
      auto f = hs::compile(sums, on_both());
      const auto expected = hs::run(sums(hs::use(xs)), {.target = hs::interpreter()});
      EXPECT_EQ(f(xs), expected) << size;
      const hs::Statistics before = hs::statistics();
      const auto result = f(xs);
      const hs::Statistics moved = hs::statistics() - before;
      EXPECT_EQ(moved.bytes_to_devices, 4) << size;
      const std::int64_t result_bytes = 4 * (size + (is_seeded ? 1 : 0));
      EXPECT_EQ(moved.bytes_from_devices, result_bytes + (has_own_way() ? 0 : 4)) << size;
      EXPECT_EQ(result, expected) << size;
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, HalosOfSeveralDevices, testing::Values("opencl", "cuda"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
