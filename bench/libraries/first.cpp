// The cost of a process's first result: it makes a context and calls an entry once. The library is
// already loaded by then.
#include "cases.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace library_bench {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

// The times of the context and of the call.
std::array<double, 2> in_fresh_process(const std::string& program, const std::string& name) {
  const std::string command = "'" + program + "' --first '" + name + "'";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<double, 2> times{};
  if (!pipe || std::fscanf(pipe.get(), "%lf %lf", times.data(), &times[1]) != 2)
    throw std::runtime_error(command + " did not print two times");
  return times;
}

}  // namespace

void first_calls(const std::string& program) {
  constexpr std::size_t times = 21;
  std::printf("%-28s %13s %13s %13s\n", "", "context", "first call", "most of both");
  for (const NamedCase& each : small_cases()) {
    std::vector<double> contexts, calls, sums;
    for (std::size_t i = 0; i < times; ++i) {
      const auto [context, call] = in_fresh_process(program, each.name);
      contexts.push_back(context);
      calls.push_back(call);
      sums.push_back(context + call);
    }
    for (auto* list : {&contexts, &calls, &sums}) std::ranges::sort(*list);
    std::printf("%-28s %10.0f us %10.0f us %10.0f us\n", each.name.c_str(), contexts[times / 2],
                calls[times / 2], sums.back());
  }
}

int first_call(const std::string& name) {
  for (const NamedCase& each : small_cases()) {
    if (each.name != name) continue;
    const Case made = each.make();
    const auto start = Clock::now();
    const bench_programs::context library;
    const auto there = Clock::now();
    made.library(library);
    const auto end = Clock::now();
    std::printf("%f %f\n", microseconds(start, there), microseconds(there, end));
    return 0;
  }
  std::fprintf(stderr, "hasten-library-bench: there is no small case %s\n", name.c_str());
  return 1;
}

}  // namespace library_bench
