// The scatters that may update in any order: under Determinism::relaxed, also those whose order
// shows.
#include "core/text/parse.hpp"
#include "kernels/lowering/lower.hpp"
#include "passes/fix_order.hpp"
#include "passes/pipeline.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace hasten::test {
namespace {

// Scatters an array's elements to the indices in another array, by an operation.
core::Program scatter_of(const char* type, const char* operation) {
  return core::parse_program(fmt::format(R"(program (x0: i64) {{
  %0 : [i64; 1] = input 0
  %1 : [{0}; 1] = input 1
  %2 : [{0}; 1] = input 2
  %3 : [(bool, i64); 1] = map %0 (x5: i64) {{ x6 = const true : bool; -> x6, x5 }}
  %4 : [{0}; 1] = permute %1 %3 %2 (x7: {0}, x8: {0}) {{ x9 = {1} x7 x8; -> x9 }}
  -> %4
}}
)",
                                         type, operation));
}

bool has_any_order(core::Program program, Determinism determinism) {
  const kernels::Plan plan =
      kernels::lower(passes::optimise(std::move(program)), Checks::none, determinism);
  bool any = false;
  for (const kernels::Kernel& kernel : plan.kernels) {
    kernels::verify(kernel);
    any |= kernel.any_order;
  }
  return any;
}

TEST(AnyOrder, IsOfRelaxedSumsOfFloats) {
  for (const char* const type : {"f16", "bf16", "f32", "f64"}) {
    EXPECT_TRUE(has_any_order(scatter_of(type, "add"), Determinism::relaxed)) << type;
    EXPECT_FALSE(has_any_order(scatter_of(type, "add"), Determinism::run_to_run)) << type;
  }
  EXPECT_TRUE(has_any_order(scatter_of("f32", "mul"), Determinism::relaxed));
  EXPECT_TRUE(has_any_order(scatter_of("f32", "sub"), Determinism::relaxed));
}

TEST(AnyOrder, IsNotOfWhatShowsNone) {
  EXPECT_FALSE(has_any_order(scatter_of("i32", "add"), Determinism::relaxed));
  EXPECT_FALSE(has_any_order(scatter_of("f32", "min"), Determinism::relaxed));
  EXPECT_FALSE(has_any_order(scatter_of("f64", "max"), Determinism::relaxed));
}

TEST(AnyOrder, IsNotOfOneOrder) {
  EXPECT_FALSE(has_any_order(passes::fix_order(scatter_of("f32", "add")), Determinism::everywhere));
}

}  // namespace
}  // namespace hasten::test
