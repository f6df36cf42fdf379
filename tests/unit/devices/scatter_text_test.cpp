// The scatters that devices run with atomics: those whose order cannot show, and float scatters
// whose order may (Kernel::any_order).
#include "backends/c_like/text/source.hpp"
#include "kernels/text/parse.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hasten::backends::c_like {
namespace {

using testing::AllOf, testing::HasSubstr, testing::Not;

kernels::Kernel scatter_of(const char* type, const char* operation, const char* words = "") {
  kernels::Kernel kernel = kernels::parse_kernel(fmt::format(R"(kernel scatter rank 1{0} {{
  inputs {1}
  outputs {1}
  scalars ()
  element (x0: i64) {{
    x1 = const true : bool
    x2 = load_linear %0.0 x0
    -> x1, x0, x2
  }}
  combine (x3: {1}, x4: {1}) {{ x5 = {2} x3 x4; -> x5 }}
}}
)",
                                                             words, type, operation));
  kernels::verify(kernel);
  kernel.lane_operator = core::lane_operator(kernel.combine);
  return kernel;
}

std::string text_of(const kernels::Kernel& kernel, const Dialect& dialect) {
  return source_of(kernel, {}, dialect, IndexWidth::narrow);
}

const auto is_sorted = HasSubstr(entry::finish);

TEST(ScatterText, SumsOfFloatsAreSorted) {
  for (const char* const type : {"f32", "f64", "f16"})
    for (const Dialect& dialect : {Dialect::cuda, Dialect::opencl})
      EXPECT_THAT(text_of(scatter_of(type, "add"), dialect), is_sorted) << type;
}

TEST(ScatterText, SumsInAnyOrderAreAtomic) {
  const kernels::Kernel single = scatter_of("f32", "add", " any_order");
  const kernels::Kernel twice = scatter_of("f64", "add", " any_order");
  EXPECT_THAT(text_of(single, Dialect::cuda),
              AllOf(HasSubstr("ATOMIC_f32(add, GLOBAL, out0 + "),
                    HasSubstr("ATOMIC_f32(add, LOCAL, s0 + "), Not(is_sorted)));
  EXPECT_THAT(text_of(twice, Dialect::cuda), HasSubstr("ATOMIC_f64(add, GLOBAL, out0 + "));
  EXPECT_THAT(text_of(single, Dialect::opencl),
              AllOf(HasSubstr("EXCHANGE_u32(GLOBAL, out0 + "),
                    HasSubstr("EXCHANGE_u32(LOCAL, s0 + "), Not(is_sorted)));
  EXPECT_THAT(text_of(twice, Dialect::opencl), HasSubstr("EXCHANGE_u64(GLOBAL, out0 + "));
}

TEST(ScatterText, WhatHasNoAtomicsIsSorted) {
  for (const Dialect& dialect : {Dialect::cuda, Dialect::opencl}) {
    EXPECT_THAT(text_of(scatter_of("f16", "add", " any_order"), dialect), is_sorted);
    EXPECT_THAT(text_of(scatter_of("f32", "mul", " any_order"), dialect), is_sorted);
    EXPECT_THAT(text_of(scatter_of("f32", "sub", " any_order"), dialect), is_sorted);
  }
}

TEST(ScatterText, MinimaAndMaximaAreAtomicInAnyCase) {
  for (const char* const operation : {"min", "max"})
    for (const Dialect& dialect : {Dialect::cuda, Dialect::opencl}) {
      EXPECT_THAT(text_of(scatter_of("f32", operation), dialect),
                  AllOf(HasSubstr("EXCHANGE_u32(GLOBAL"), Not(is_sorted)));
      EXPECT_THAT(text_of(scatter_of("f64", operation), dialect), HasSubstr("EXCHANGE_u64(GLOBAL"));
      EXPECT_THAT(text_of(scatter_of("bf16", operation), dialect), is_sorted);
    }
}

TEST(ScatterText, AnyOrderIsPartOfTheKey) {
  const kernels::Kernel strict = scatter_of("f32", "add"),
                        any = scatter_of("f32", "add", " any_order");
  EXPECT_FALSE(kernels::key_of(strict) == kernels::key_of(any));
  EXPECT_TRUE(kernels::parse_kernel(kernels::print(any)).any_order);
  EXPECT_FALSE(kernels::parse_kernel(kernels::print(strict)).any_order);
}

TEST(ScatterText, AnyOrderIsOfUpdatesThatMeet) {
  for (const char* const words : {" unique any_order", " in_order any_order"})
    EXPECT_THROW(scatter_of("f32", "add", words), InternalError) << words;
}

}  // namespace
}  // namespace hasten::backends::c_like
