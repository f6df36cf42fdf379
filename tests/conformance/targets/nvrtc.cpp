// The conformance suite, with the real NVRTC compiling every kernel's CUDA text for four
// architectures in turn, or for each of them with --all-architectures. The CPU target's code runs.
#include "runtime/targets.hpp"
#include "tests/conformance/tool/suite.hpp"
#include "tests/support/nvrtc_backend.hpp"

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

void print(const hasten::test::NvrtcReport& report) {
  const std::vector<double>& times = report.milliseconds;
  if (times.empty()) return;
  constexpr double aim = 60;
  const auto fast = std::ranges::lower_bound(times, aim) - times.begin();
  std::printf(
      "NVRTC: %lld kernels, %lld texts, %zu compilations of %.1f ms (median), %.1f ms (nine of ten "
      "are faster), %.1f ms (slowest); %.0f %% in less than %.0f ms\n",
      static_cast<long long>(report.kernels), static_cast<long long>(report.texts), times.size(),
      times[times.size() / 2], times[times.size() * 9 / 10], times.back(),
      100.0 * static_cast<double>(fast) / static_cast<double>(times.size()), aim);
}

}  // namespace

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
  print(test::nvrtc_report());
  return result;
}
