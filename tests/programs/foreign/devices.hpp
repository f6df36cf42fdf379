// Tests of what only devices do: each runs once per kind of device, and is skipped only if the
// machine has no such device.
#pragma once

#include "../support.hpp"

#define HASTEN_ON_DEVICES(Suite)                                                                 \
  INSTANTIATE_TEST_SUITE_P(                                                                      \
      Targets, Suite,                                                                            \
      testing::Values(hs::Options{.target = hs::opencl(0)}, hs::Options{.target = hs::cuda(0)}), \
      hasten_test::target_name)
