// Written in the text form of kernels.
#include "backends/cpu/machine/measured_kernels.hpp"

#include "backends/cpu/compile.hpp"
#include "backends/cpu/load.hpp"
#include "kernels/text/parse.hpp"

#include <iterator>
#include <string>
#include <vector>

namespace hasten::backends::cpu {
namespace {

constexpr const char* copy_text = R"(kernel map rank 1 {
  inputs f32
  outputs f32
  scalars ()
  element (x0: i64) { x1 = load_linear %0.0 x0; -> x1 }
}
)";

// `inputs` and the code computed from x4, the position; the last value is x<result>.
std::string sum_text(const std::string& inputs, const std::string& type, const std::string& body,
                     int result) {
  const auto value = [&](int i) { return "x" + std::to_string(result + i); };
  const std::string last = value(0), left = value(1), right = value(2), sum = value(3);
  return "kernel fold rank 2 {\n  inputs " + inputs + "\n  outputs " + type +
         "\n  scalars (x0: i64)\n  element (x1: i64, x2: i64) {\n    x3 = mul x1 x0\n" +
         "    x4 = add x3 x2\n" + body + "    -> " + last + "\n  }\n  combine (" + left + ": " +
         type + ", " + right + ": " + type + ") { " + sum + " = add " + left + " " + right +
         "; -> " + sum + " }\n  seed\n  lanes reduction commutative add\n  epilogue (" + value(4) +
         ": i64, " + value(5) + ": " + type + ") { -> " + value(5) + " }\n}\n";
}

// Several chains of a * b + c that are independent until the end, so that the number of units
// counts, and not their latency.
std::string polynomial(const std::string& type, int& result) {
  constexpr int chains = 4;
  int next = 10;  // x5 is the element read, x6 to x9 are constants
  std::string body = "    x5 = load_linear %0.0 x4\n";
  for (const char* constant :
       {"x6 = const 0.5", "x7 = const 0.25", "x8 = const 0.125", "x9 = const 0.375"})
    body += std::string("    ") + constant + " : " + type + "\n";
  const auto fused = [&](int a, int b, int c) {
    const std::string product = "x" + std::to_string(next++), sum = "x" + std::to_string(next++);
    body += "    " + product + " = mul x" + std::to_string(a) + " x" + std::to_string(b) + "\n";
    body += "    " + sum + " = add " + product + " x" + std::to_string(c) + "\n";
    return next - 1;
  };
  // No two products are the same.
  int ends[chains] = {fused(5, 6, 7), fused(5, 7, 8), fused(5, 8, 9), fused(5, 9, 6)};
  for (std::int64_t done = chains; done < products_of_element - 2; ++done)
    ends[done % chains] = fused(ends[done % chains], 6, 7);
  result = fused(fused(ends[0], ends[1], ends[2]), ends[3], ends[0]);
  return body;
}

std::string multiply_text(const std::string& type) {
  int result = 0;
  const std::string body = polynomial(type, result);
  return sum_text(type, type, body, result);
}

}  // namespace

MeasuredKernels make_measured_kernels(const Machine& machine, const Launcher& launcher) {
  MeasuredKernels kernels;
  const struct {
    std::string text;
    std::shared_ptr<const LoadedKernel>* to;
  } list[] = {
      {multiply_text("f32"), &kernels.multiply_f32},
      {multiply_text("f64"), &kernels.multiply_f64},
      {sum_text("f32", "f32", "    x5 = load_linear %0.0 x4\n", 5), &kernels.read},
      {sum_text("f32 i32", "f32",
                "    x5 = load_linear %1.0 x4\n    x6 = cast x5 : i64\n"
                "    x7 = load_linear %0.0 x6\n",
                7),
       &kernels.gather},
      {copy_text, &kernels.copy},
  };
  launcher.in_parallel(std::ssize(list), [&](std::int64_t i) {
    const kernels::Kernel kernel = kernels::parse_kernel(list[i].text);
    kernels::verify(kernel);
    const auto object = compile_object(kernel, {.contract = true}, machine);
    *list[i].to = load_kernel(kernel, object, machine);
  });
  return kernels;
}

}  // namespace hasten::backends::cpu
