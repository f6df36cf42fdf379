// Tests of what devices do and other targets do not: each once per kind of device, and there
// skipped only where the machine has none.
#pragma once

#include "../support.hpp"

#define HASTEN_ON_DEVICES(Suite)                                                                 \
  INSTANTIATE_TEST_SUITE_P(                                                                      \
      Targets, Suite,                                                                            \
      testing::Values(hs::Options{.target = hs::opencl(0)}, hs::Options{.target = hs::cuda(0)}), \
      hasten_test::target_name)
