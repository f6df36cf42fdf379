// The positions of foreign functions' texts in kernels, and their part in a kernel's key.
#include "backends/c_like/text/source.hpp"
#include "kernels/analysis/foreign_functions.hpp"
#include "kernels/text/parse.hpp"

#include <hasten/run/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

namespace hasten::backends::c_like {
namespace {

using detail::ForeignFunction, detail::ForeignTarget, core::ScalarType;
using testing::HasSubstr, testing::StartsWith;

// x -> name(name(x)), by this function.
kernels::Kernel kernel_calling(const ForeignFunction& function) {
  kernels::Kernel kernel = kernels::parse_kernel(R"(kernel map rank 1 {
  inputs f32
  outputs f32
  scalars ()
  element (x0: i64) {
    x1 = load_linear %0.0 x0
    x2 = foreign [opencl "text_test"] x1 : f32
    x3 = foreign [opencl "text_test"] x2 : f32
    -> x3
  }
}
)");
  for (core::Stmt& stmt : kernel.element.body)
    if (auto* call = std::get_if<core::ForeignCall>(&stmt.op)) call->functions = {&function};
  kernels::verify(kernel);
  return kernel;
}

ForeignFunction function_of(std::string text) {
  ForeignFunction function{ForeignTarget::opencl, "text_test", {ScalarType::f32}, ScalarType::f32};
  function.source = std::move(text);
  return function;
}

const ForeignFunction first = function_of("float text_test(float x) { return x; }");
const ForeignFunction second = function_of("float text_test(float x) { return x + 1; }");

TEST(ForeignText, StandsOnceBeforeOurWords) {
  const kernels::Kernel kernel = kernel_calling(second);
  EXPECT_EQ(kernels::foreign_functions(kernel), kernels::ForeignFunctions{&second});
  EXPECT_EQ(foreign_names(kernel), "text_test");
  const std::string text = source_of(kernel, {}, Dialect::cuda, IndexWidth::narrow);
  EXPECT_THAT(text,
              StartsWith("#line 1 \"text_test\"\nfloat text_test(float x) { return x + 1; }\n"));
  EXPECT_EQ(text.find(second.source), text.rfind(second.source));
  EXPECT_LT(text.find(second.source), text.find("#define ITEM"));
  EXPECT_THAT(text, HasSubstr("= text_test(v1);"));
  EXPECT_THAT(source_of(kernel, {}, Dialect::opencl, IndexWidth::narrow), HasSubstr(second.source));
}

TEST(ForeignText, IsPartOfTheKey) {
  EXPECT_EQ(kernels::key_of(kernel_calling(first)), kernels::key_of(kernel_calling(first)));
  EXPECT_FALSE(kernels::key_of(kernel_calling(first)) == kernels::key_of(kernel_calling(second)));
}

TEST(ForeignText, MustBeThere) {
  EXPECT_THROW(
      (void)source_of(kernel_calling(function_of("")), {}, Dialect::cuda, IndexWidth::narrow),
      TargetError);
}

}  // namespace
}  // namespace hasten::backends::c_like
