// The evaluators are those of the unit tests.
#include "tests/conformance/soak/several_devices.hpp"

#include "backends/backend.hpp"
#include "runtime/targets.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/kernel_evaluator.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace hasten::conformance {
namespace {

struct TestDevices {
  std::shared_ptr<test::KernelEvaluator> evaluator, inner;
  std::shared_ptr<test::FakeDevice> apart;
};

std::optional<TestDevices>& test_devices() {
  static std::optional<TestDevices> devices;
  return devices;
}

TestDevices make() {
  constexpr std::size_t memory_bytes = std::size_t{1} << 30;
  const auto evaluator = [] {
    return std::make_shared<test::KernelEvaluator>("evaluator of all types", std::nullopt);
  };
  TestDevices made{evaluator(), evaluator(), nullptr};
  made.apart = std::make_shared<test::FakeDevice>(made.inner, memory_bytes, false);
  return made;
}

}  // namespace

void add_test_devices() {
  if (test_devices()) return;
  test_devices() = make();
  runtime::add_device("evaluator", test_devices()->evaluator);
  runtime::add_device("apart", test_devices()->apart);
#if HASTEN_WITH_LLVM
  runtime::add_device("processor", backends::make_cpu_backend(1));
#endif
}

std::string damage_of_test_devices() {
  return test_devices() ? test_devices()->apart->damage() : std::string();
}

std::int64_t launches_of_test_devices() {
  if (!test_devices()) return 0;
  return test_devices()->evaluator->launched + test_devices()->inner->launched;
}

// SplitMix64, so that programs with neighbouring numbers have nothing in common.
std::vector<double> random_split(std::size_t devices, std::uint64_t seed) {
  std::uint64_t state = seed;
  const auto below = [&](std::uint64_t n) {
    std::uint64_t x = state += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return (x ^ (x >> 31)) % n;
  };
  constexpr std::uint64_t largest = 16, one_in = 6;
  std::vector<double> split(devices);
  for (double& share : split)
    share = below(one_in) == 0 ? 0 : static_cast<double>(1 + below(largest));
  if (std::ranges::all_of(split, [](double share) { return share == 0; }))
    split[below(devices)] = 1;
  return split;
}

}  // namespace hasten::conformance
