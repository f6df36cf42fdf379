// The conformance suite with every kernel's CUDA text compiled by the real NVRTC, for four
// architectures in turn, or for each of them with --all-architectures. What runs is the CPU
// target's code.
#include "runtime/targets.hpp"
#include "tests/conformance/tool/suite.hpp"
#include "tests/support/nvrtc_backend.hpp"

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  using namespace hasten;
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const bool all = std::ranges::any_of(
      arguments, [](const char* x) { return std::string_view(x) == "--all-architectures"; });
  std::string why;
  auto backend = test::make_nvrtc_backend(
      backends::make_cpu_backend(),
      all ? test::Architectures::all : test::Architectures::one_in_turn, why);
  const bool is_there = backend != nullptr;
  if (is_there) runtime::add_device("nvrtc", std::move(backend));
  const int result =
      conformance::run_suite_if_there(argc, argv, {.target = Target("nvrtc")}, "nvrtc", why);
  if (!is_there) return result;
  const test::NvrtcReport report = test::nvrtc_report();
  std::printf(
      "NVRTC: %lld kernels, %lld texts, %lld compilations of %.1f ms (median), %.1f ms (slowest)\n",
      static_cast<long long>(report.kernels), static_cast<long long>(report.texts),
      static_cast<long long>(report.compilations), report.median_milliseconds,
      report.slowest_milliseconds);
  return result;
}
