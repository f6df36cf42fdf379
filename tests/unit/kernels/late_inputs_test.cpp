// Inputs that only a scan's last stage reads, which devices may receive after the earlier stages.
#include "kernels/analysis/stages/late_inputs.hpp"

#include "kernels/text/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hasten::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Sums elements of %0; the epilogue adds one of `reads` to them.
std::vector<bool> late_inputs_of(const std::string& element, const std::string& read,
                                 const std::string& skeleton = "scan") {
  const kernels::Kernel kernel =
      kernels::parse_kernel("kernel " + skeleton +
                            " {\n  inputs i64 i64\n  outputs i64\n  scalars (x0: i64)\n"
                            "  element (x1: i64) { x2 = load_linear %0.0 x1\n" +
                            element +
                            " -> x3 }\n"
                            "  combine (x4: i64, x5: i64) { x6 = add x4 x5; -> x6 }\n"
                            "  seed x0\n  lanes reduction commutative add\n"
                            "  epilogue (x7: i64, x8: i64) { x9 = load_linear " +
                            read + "\n x10 = add x8 x9; -> x10 }\n}\n");
  kernels::verify(kernel);
  return kernels::late_inputs(kernel);
}

TEST(LateInputs, AreWhatTheEpilogueAloneReads) {
  EXPECT_THAT(late_inputs_of("x3 = add x2 x0", "%1.0 x0", "scan rank 1"), ElementsAre(false, true));
}

TEST(LateInputs, WhatElementsReadIsNone) {
  EXPECT_THAT(late_inputs_of("x3 = add x2 x0", "%0.0 x0", "scan rank 1"), ElementsAre(false, true));
  EXPECT_THAT(
      late_inputs_of("x11 = load_linear %1.0 x0\n x3 = add x2 x11", "%1.0 x0", "scan rank 1"),
      IsEmpty());
}

TEST(LateInputs, ScansInOrderHaveOneStage) {
  EXPECT_THAT(late_inputs_of("x3 = add x2 x0", "%1.0 x0", "scan rank 1 in_order"), IsEmpty());
}

}  // namespace
}  // namespace hasten::test
