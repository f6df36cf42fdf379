// Shared by the tests of device memory: a target that is a new fake device.
#pragma once

#include "runtime/memory/device_memory.hpp"
#include "runtime/targets.hpp"
#include "support/counters.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/kernel_evaluator.hpp"

#include <hasten/hasten.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>

namespace hasten::test {

/// The backend with which fake devices compute; a single one, so that kernels are compiled once.
inline std::shared_ptr<backends::Backend> computing_backend() {
#if HASTEN_WITH_LLVM
  static const auto backend = backends::make_cpu_backend();
#else
  static const std::shared_ptr<backends::Backend> backend = std::make_shared<KernelEvaluator>();
#endif
  return backend;
}

/// A fake device as a target with a separate name.
class FakeTarget {
 public:
  explicit FakeTarget(std::size_t bytes, bool quiet = false)
      : device(std::make_shared<FakeDevice>(computing_backend(), bytes, quiet)),
        target("fake" + std::to_string(++count())) {
    runtime::add_device(target.name(), device);
    memory = runtime::find_device(target, std::source_location::current())->memory;
  }
  ~FakeTarget() {
    device->be_lazy(false);
    memory->release_kept();
    EXPECT_EQ(device->damage(), "");
  }
  FakeTarget(const FakeTarget&) = delete;
  FakeTarget& operator=(const FakeTarget&) = delete;

  [[nodiscard]] Options options() const { return {.target = target}; }
  /// The bytes of arrays, without kept blocks.
  [[nodiscard]] std::size_t used_bytes() const {
    return memory->held_bytes() - memory->kept_bytes();
  }

  std::shared_ptr<FakeDevice> device;
  Target target;
  std::shared_ptr<runtime::DeviceMemory> memory;

 private:
  static std::atomic<int>& count() {
    static std::atomic<int> count{0};
    return count;
  }
};

inline Vector<std::int32_t> numbers(std::int64_t n, std::int32_t first = 0) {
  return Vector<std::int32_t>::from_function(
      Ix<1>(n), [&](const Ix<1>& ix) { return first + static_cast<std::int32_t>(ix[0] % 1000); });
}

}  // namespace hasten::test
