// The requirements on an OpenCL device for the same bits as on other targets.
#include "tests/support/devices.hpp"

#include <gtest/gtest.h>

#if HASTEN_WITH_OPENCL

#include "backends/opencl/devices.hpp"

namespace hasten::backends::opencl {
namespace {

TEST(OpenclArithmetic, NamesWhatIsMissing) {
  constexpr cl_device_fp_config all =
      CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  EXPECT_EQ(missing_for_same_bits(all), "");
  EXPECT_EQ(missing_for_same_bits(all | CL_FP_FMA | CL_FP_ROUND_TO_ZERO), "");
  EXPECT_EQ(missing_for_same_bits(all & ~cl_device_fp_config{CL_FP_DENORM}), "subnormal numbers");
  EXPECT_EQ(missing_for_same_bits(CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN),
            "subnormal numbers, correctly rounded division and roots");
}

}  // namespace
}  // namespace hasten::backends::opencl

#endif
