// Shared by the program tests: all targets, and devices if they are present.
#pragma once

#include "tests/support/devices.hpp"

#include <gtest/gtest.h>

#include <hasten/hasten.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace hs = hasten;

namespace hasten_test {

/// The targets on which this build can run programs, the interpreter first.
inline std::vector<hs::Options> all_targets() {
  std::vector<hs::Options> targets{{.target = hs::interpreter()}};
#if HASTEN_WITH_LLVM
  targets.push_back({.target = hs::cpu()});
#endif
  return targets;
}

/// A test that runs once per target.
class OnEveryTarget : public testing::TestWithParam<hs::Options> {
 protected:
  template <class P>
  static auto run(const P& program) {
    return hs::run(program, GetParam());
  }
};

/// The same with the first device of each kind that a machine may have.
inline std::vector<hs::Options> all_devices() {
  std::vector<hs::Options> targets = all_targets();
  targets.push_back({.target = hs::opencl(0)});
  targets.push_back({.target = hs::cuda(0)});
  return targets;
}

/// A test that runs once per target and device, and is skipped without the device.
class OnEveryDevice : public OnEveryTarget {
 protected:
  void SetUp() override { hs::test::require_device(hs::test::kind_of(GetParam().target.name())); }
};

inline std::string target_name(const testing::TestParamInfo<hs::Options>& info) {
  return hs::test::kind_of(info.param.target.name());
}

template <class T>
std::vector<T> numbers(std::int64_t n, T start = T{}) {
  std::vector<T> result(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<T>(start + static_cast<T>(i % 97));
  return result;
}

template <class T>
hs::Vector<T> vector_of(const std::vector<T>& values) {
  return hs::Vector<T>(static_cast<std::int64_t>(values.size()), std::span<const T>(values));
}

}  // namespace hasten_test

#define HASTEN_ON_EVERY_TARGET(Suite)                                                     \
  INSTANTIATE_TEST_SUITE_P(Targets, Suite, testing::ValuesIn(hasten_test::all_targets()), \
                           hasten_test::target_name)
#define HASTEN_ON_EVERY_DEVICE(Suite)                                                     \
  INSTANTIATE_TEST_SUITE_P(Targets, Suite, testing::ValuesIn(hasten_test::all_devices()), \
                           hasten_test::target_name)
