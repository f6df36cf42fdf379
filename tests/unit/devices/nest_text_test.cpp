// Nested branches: no text nests more blocks than the compilers of devices accept.
#include "backends/c_like/text/source.hpp"
#include "kernels/text/parse.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace hasten::backends::c_like {
namespace {

// Each branch computes with the result of the branch inside it.
kernels::Kernel nest_of(int depth) {
  const int read = 4 * depth + 4;
  std::string open, close;
  for (int level = 0; level < depth; ++level) {
    const int sum = 4 * level + 4, condition = sum + 1, chosen = sum + 2, product = sum + 3;
    open += fmt::format("x{0} = add x{1} x3; x{2} = lt x{0} x2; x{3} = if x{2} {{\n", sum,
                        level == 0 ? 2 : sum - 4, condition, chosen);
    const int inner = level + 1 == depth ? read : product + 4;
    close = fmt::format("-> x{} }} else {{ -> x{} }}; x{} = mul x{} x3;\n", inner, sum, product,
                        chosen) +
            close;
  }
  return kernels::parse_kernel(fmt::format(R"(kernel map rank 1 {{
  inputs i32
  outputs i32
  scalars ()
  element (x1: i64) {{
    x2 = load_linear %0.0 x1
    x3 = const 3 : i32
    {}x{} = load_linear %0.0 x1
    {}-> x7
  }}
}}
)",
                                           open, read, close));
}

int deepest_block(const std::string& text) {
  int depth = 0, most = 0;
  for (const char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    most = std::max(most, depth);
  }
  EXPECT_EQ(depth, 0);
  return most;
}

TEST(NestText, IsCutIntoFunctions) {
  for (const Dialect& dialect : {Dialect::cuda, Dialect::opencl})
    for (const int depth : {3, 80, 400}) {
      const kernels::Kernel kernel = nest_of(depth);
      const std::string text = source_of(kernel, {}, dialect, IndexWidth::narrow,
                                         modules_of(kernel, {}, dialect).front());
      EXPECT_GE(deepest_block(text), std::min(depth, 80));
      EXPECT_LE(deepest_block(text), 110);
      EXPECT_EQ(text.find("hasten_part0") != std::string::npos, depth > 100);
    }
}

}  // namespace
}  // namespace hasten::backends::c_like
