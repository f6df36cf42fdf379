// Times on simple modelled machines, which can be computed by hand.
#include "runtime/simulate/simulate.hpp"

#include "core/text/parse.hpp"
#include "kernels/lowering/lower.hpp"
#include "kernels/plan.hpp"
#include "passes/literals.hpp"
#include "passes/pipeline.hpp"

#include <hasten/run/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hasten::runtime {
namespace {

constexpr const char* machine_text = R"(
# A byte, and an operation, takes a nanosecond.
device bandwidth 1e9 flops 1e9 doubles 1e9 launch 0 sort 1e9
node devices 2
within latency 1e-3 bandwidth 1e6   # slow
between latency 1e-1 bandwidth 1e6
)";

Simulated simulated(const char* text, std::int64_t devices, SimulatedCall call,
                    const std::string& more = "") {
  core::Program program = passes::bind_literals(core::parse_program(text), passes::Parameters());
  passes::FissionDevices split{std::vector<bool>(static_cast<std::size_t>(devices))};
  split.is_exact = true;
  const auto unwatched = [](std::string_view, const core::Program&) {};
  kernels::Plan plan =
      kernels::lower(passes::optimise(std::move(program), unwatched, Checks::none, split),
                     Checks::none, Determinism::run_to_run);
  kernels::number_sites(plan);
  return simulate(plan, devices, parse_machine(machine_text + more), call);
}

constexpr const char* doubled = R"(
program () {
  %0 : [i32; 1] = input 0
  %1 : [i32; 1] = map %0 (x0: i32) { x1 = add x0 x0; -> x1 }
  -> %1
}
)";

TEST(Simulate, DevicesShareWhatMovesThroughMemory) {
  for (const std::int64_t devices : {1, 2, 4, 8}) {
    const Simulated found = simulated(doubled, devices, {{{8000}}});
    EXPECT_DOUBLE_EQ(found.seconds, 64e-6 / static_cast<double>(devices)) << devices;
    for (const Simulated::Device& device : found.devices) EXPECT_EQ(device.messages, 0);
  }
}

// Two devices of a node share 1.25 times the bandwidth of one: one alone runs at full speed.
TEST(Simulate, DevicesOfANodeShareItsMemory) {
  const auto seconds = [](std::int64_t devices) {
    return simulated(doubled, devices, {{{8000}}}, "node memory 1.25e9").seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(1), 64e-6);
  EXPECT_DOUBLE_EQ(seconds(2), 64e-6 / 1.25);
  EXPECT_DOUBLE_EQ(seconds(4), 64e-6 / 2.5);
}

constexpr const char* neighbours = R"(
program () {
  %0 : [i32; 2] = input 0
  x0 = extent %0 0
  x1 = extent %0 1
  x2 = const 1 : i64
  x3 = sub x0 x2
  %1 : [i32; 2] = map %0 (x4: i32) { x5 = add x4 x4; -> x5 }
  %2 : [i32; 2] = compute %1
  %3 : [i32; 2] = generate [x0, x1] (x6: i64, x7: i64) {
    x8 = add x6 x2
    x9 = min x8 x3
    x10 = load %2.0 [x9, x7] inside 0 1 some
    -> x10
  }
  -> %3
}
)";

TEST(Simulate, BordersMoveAndAreWaitedFor) {
  const Simulated found = simulated(neighbours, 2, {{{1000, 25}}});
  EXPECT_EQ(found.devices[1].messages, 1);
  EXPECT_EQ(found.devices[1].bytes, 100);
  EXPECT_EQ(found.devices[0].messages, 0);
  // Half of the map, the border's transfer, half of the reads.
  const double work = 100e-6, way = 100e-6 + 1e-3;
  EXPECT_NEAR(found.seconds, work + way + work, 0.02 * work);
  const Simulated far = simulated(neighbours, 4, {{{1000, 25}}});
  EXPECT_GT(far.seconds, 1e-1);  // the third device is in another node
}

constexpr const char* branch = R"(
program () {
  %0 : [i32; 1] = input 0
  x0 = extent %0 0
  x1 = const 100 : i64
  x2 = lt x1 x0
  %1 : [i32; 1] = if x2 {
    %2 : [i32; 1] = map %0 (x3: i32) { x4 = add x3 x3; -> x4 }
    -> %2
  } else {
    -> %0
  }
  -> %1
}
)";

// No code is loaded that a branch could wait for.
TEST(Simulate, BranchesAreTaken) {
  for (const std::int64_t devices : {1, 2, 4}) {
    EXPECT_DOUBLE_EQ(simulated(branch, devices, {{{8000}}}).seconds,
                     64e-6 / static_cast<double>(devices))
        << devices;
    EXPECT_EQ(simulated(branch, devices, {{{80}}}).seconds, 0) << devices;
  }
}

constexpr const char* sorted = R"(
program () {
  %0 : [u32; 1] = input 0
  %1 : [i64; 1] = sort_positions %0
  x0 = extent %1 0
  %2 : [u32; 1] = generate [x0] (x1: i64) {
    x2 = load %1.0 [x1] inside 0
    x3 = load %0.0 [x2] inside 0
    -> x3
  }
  -> %2
}
)";

TEST(Simulate, SortsExchangeTheirKeys) {
  constexpr std::int64_t keys = 1 << 20;
  EXPECT_DOUBLE_EQ(simulated(sorted, 1, {{{keys}}}).seconds, keys * 1e-9);
  const Simulated two = simulated(sorted, 2, {{{keys}}});
  // Half of the keys, once by a byte that carries them and once by all of their bits.
  EXPECT_GT(two.seconds, 0.5 * keys * (0.75 + 1) * 1e-9);
  for (const Simulated::Device& device : two.devices) EXPECT_GT(device.bytes, 0);
}

constexpr const char* counted = R"(
program () {
  %0 : [u32; 1] = input 0
  x0 = extent %0 0
  x1 = const 256 : i64
  %1 : [i64; 1] = generate [x1] (x2: i64) { x3 = const 0 : i64; -> x3 }
  %2 : [(bool, i64); 1] = generate [x0] (x4: i64) {
    x5 = const true : bool
    x6 = load %0.0 [x4] inside 0
    x7 = cast x6 : i64
    -> x5, x7
  }
  %3 : [i64; 1] = map %0 (x8: u32) { x9 = const 1 : i64; -> x9 }
  %4 : [i64; 1] = permute %1 %2 %3 (x10: i64, x11: i64) { x12 = add x10 x11; -> x12 }
  -> %4
}
)";

// Without such rates, memory decides.
TEST(Simulate, UpdatesAndGathersHaveRates) {
  const auto seconds = [](const char* text, const std::string& rates) {
    return simulated(text, 1, {{{4000000}}}, rates).seconds;
  };
  EXPECT_NEAR(seconds(counted, ""), 16e-3, 1e-4);
  EXPECT_NEAR(seconds(counted, "device updates 1e8"), 40e-3, 1e-4);
  EXPECT_NEAR(seconds(counted, "device gathers 1e7"), 16e-3, 1e-4);
  constexpr const char* gathered = R"(
program () {
  %0 : [u32; 1] = input 0
  x0 = extent %0 0
  %1 : [u32; 1] = generate [x0] (x1: i64) {
    x2 = load %0.0 [x1] inside 0
    x3 = cast x2 : i64
    x4 = load %0.0 [x3]
    -> x4
  }
  -> %1
}
)";
  EXPECT_DOUBLE_EQ(seconds(gathered, "device updates 1e7"), seconds(gathered, ""));
  EXPECT_NEAR(seconds(gathered, "device gathers 1e7"), 400e-3, 1e-4);
}

TEST(Simulate, ArgumentsAreCounted) {
  EXPECT_THROW(static_cast<void>(simulated(doubled, 2, {})), Error);
  EXPECT_THROW(static_cast<void>(simulated(doubled, 2, {{{3, 4}}})), Error);
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_machine(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Simulate, MachinesThatAreWrittenWrong) {
  using testing::HasSubstr;
  EXPECT_THAT(error_of("\nlink latency 3"), HasSubstr("line 2: \"link\""));
  EXPECT_THAT(error_of("device speed 3"), HasSubstr("there is no \"speed\""));
  EXPECT_THAT(error_of("device flops fast"), HasSubstr("flops needs a number"));
  EXPECT_THAT(error_of("device flops -1"), HasSubstr("flops needs a number"));
  EXPECT_THAT(error_of("device flops 1"), HasSubstr("bandwidth must be above 0"));
  EXPECT_THAT(error_of("node devices 1.5"), HasSubstr("whole number"));
}

}  // namespace
}  // namespace hasten::runtime
