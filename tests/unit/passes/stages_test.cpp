// The folds that become stages of a consumer's kernel.
#include "passes/stages.hpp"

#include "core/text/parse.hpp"
#include "core/traverse.hpp"
#include "passes/fuse.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hasten::passes {
namespace {

// The number of delayed folds, except those with an epilogue.
int stages(const std::string& text) {
  const core::Program program = fuse(find_stages(core::parse_program(text)));
  int count = 0;
  for (const core::Binding& binding : program.body.bindings)
    if (std::holds_alternative<core::Fold>(binding.op) && binding.group == core::none &&
        binding.storage == core::Storage::delayed)
      ++count;
  return count;
}

const std::string head = R"(program () {
  %0 : [f32; 2] = input 0
  x0 = extent %0 1
  x1 = extent %0 0
)";
const std::string sum =
    R"(  %1 : [f32; 1] = fold1 %0 (x2: f32, x3: f32) { x4 = add x2 x3; -> x4 }  // sum
)";

TEST(Stages, AFoldReadAlongItsRowsIsDelayed) {
  EXPECT_EQ(stages(head + sum + R"(
  %2 : [f32; 2] = replicate [_, x0] %1  // replicate
  %3 : [f32; 2] = zip_with %0 %2 (x5: f32, x6: f32) { x7 = sub x5 x6; -> x7 }  // zip_with
  -> %3
})"),
            1);
}

TEST(Stages, AFoldReadAcrossRowsIsNot) {
  EXPECT_EQ(stages(head + sum + R"(
  %2 : [f32; 2] = replicate [x1, _] %1  // replicate
  %3 : [f32; 2] = zip_with %0 %2 (x5: f32, x6: f32) { x7 = sub x5 x6; -> x7 }  // zip_with
  -> %3
})"),
            0);
}

TEST(Stages, AFoldReadAtTheIndexOfTheResultIsNot) {
  EXPECT_EQ(stages(head + sum + R"(
  %2 : [f32; 1] = map %1 (x5: f32) { x6 = neg x5; -> x6 }  // map
  -> %2
})"),
            0);
}

TEST(Stages, AFoldThatIsAResultIsNot) {
  EXPECT_EQ(stages(head + sum + R"(
  %2 : [f32; 2] = replicate [_, x0] %1  // replicate
  %3 : [f32; 2] = zip_with %0 %2 (x5: f32, x6: f32) { x7 = sub x5 x6; -> x7 }  // zip_with
  -> %3, %1
})"),
            0);
}

TEST(Stages, ComputeKeepsAFold) {
  EXPECT_EQ(stages(head + sum + R"(
  %4 : [f32; 1] = compute %1  // compute
  %2 : [f32; 2] = replicate [_, x0] %4  // replicate
  %3 : [f32; 2] = zip_with %0 %2 (x5: f32, x6: f32) { x7 = sub x5 x6; -> x7 }  // zip_with
  -> %3
})"),
            0);
}

TEST(Stages, ARowOfRankOneHasNone) {
  EXPECT_EQ(stages(R"(program () {
  %0 : [f32; 1] = input 0
  x0 = extent %0 0
  %1 : [f32; 0] = fold1 %0 (x2: f32, x3: f32) { x4 = add x2 x3; -> x4 }  // sum
  %2 : [f32; 1] = replicate [x0] %1  // replicate
  %3 : [f32; 1] = zip_with %0 %2 (x5: f32, x6: f32) { x7 = sub x5 x6; -> x7 }  // zip_with
  -> %3
})"),
            0);
}

// The centred rows are folded, and would be stored only for that.
TEST(Stages, WhatIsComputedInItsConsumerStaysThere) {
  EXPECT_EQ(stages(head + sum + R"(
  %2 : [f32; 2] = replicate [_, x0] %1  // replicate
  %3 : [f32; 2] = zip_with %0 %2 (x5: f32, x6: f32) { x7 = sub x5 x6; x8 = mul x7 x7; -> x8 }  // zip_with
  %4 : [f32; 1] = fold1 %3 (x9: f32, x10: f32) { x11 = add x9 x10; -> x11 }  // sum
  -> %4
})"),
            0);
}

TEST(Stages, WhatIsFoldedFurtherIsDelayed) {
  EXPECT_EQ(stages(head + sum + R"(
  %2 : [f32; 1] = map %1 (x5: f32) { x6 = neg x5; -> x6 }  // map
  %3 : [f32; 0] = fold1 %2 (x7: f32, x8: f32) { x9 = min x7 x8; -> x9 }  // minimum
  -> %3
})"),
            1);
}

TEST(Stages, LoopsAreNotRunTwice) {
  EXPECT_EQ(stages(head + R"(
  %5 : [f32; 2] = map %0 (x20: f32) {
    x21 = while x20 (x22: f32) { x23 = const 1 : f32; x24 = gt x22 x23; -> x24 } do (x25: f32) { x26 = const 0.5 : f32; x27 = mul x25 x26; -> x27 }
    -> x21
  }  // map
  %1 : [f32; 1] = fold1 %5 (x2: f32, x3: f32) { x4 = add x2 x3; -> x4 }  // sum
  %2 : [f32; 2] = replicate [_, x0] %1  // replicate
  %3 : [f32; 2] = zip_with %5 %2 (x5: f32, x6: f32) { x7 = sub x5 x6; -> x7 }  // zip_with
  -> %3
})"),
            1);
}

}  // namespace
}  // namespace hasten::passes
