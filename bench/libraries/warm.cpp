// hasten-library-bench: entries of a library beside the same programs in this process, on the same
// memory, which is borrowed for each call; both in turns, medians of many. It also measures what a
// fresh process pays before its first result.
//
//   hasten-library-bench [ROUNDS [PART OF A NAME]]
//   hasten-library-bench --first
#include "cases.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace library_bench;
using Clock = std::chrono::steady_clock;

// The time of one call; short calls are timed several at once.
double microseconds(const std::function<void()>& f, int calls) {
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) f();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls;
}

double median(std::vector<double> list) {
  std::ranges::nth_element(list, list.begin() + std::ssize(list) / 2);
  return list[list.size() / 2];
}

// Runs both in turns, so that other load on the machine affects both; each goes first in every
// second turn.
void row(const std::string& name, int rounds, const std::function<void()>& library,
         const std::function<void()>& in_process) {
  constexpr double long_enough = 50;
  for (int i = 0; i < 10; ++i) library(), in_process();
  const int calls = 1 + static_cast<int>(long_enough / microseconds(in_process, 10));
  std::vector<double> of_library, of_process, ratios;
  for (int i = 0; i < rounds; ++i) {
    if (i % 2 == 0) of_library.push_back(microseconds(library, calls));
    of_process.push_back(microseconds(in_process, calls));
    if (i % 2 == 1) of_library.push_back(microseconds(library, calls));
    ratios.push_back(of_library.back() / of_process.back());
  }
  const double a = median(of_library), b = median(of_process);
  std::printf("%-28s %10.2f us %10.2f us %8.3f %8.3f\n", name.c_str(), a, b, a / b, median(ratios));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--first" && argc > 2) return first_call(argv[2]);
  if (first == "--first") return first_calls(argv[0]), 0;
  const int rounds = first.empty() ? 200 : std::max(1, std::atoi(first.c_str()));
  const std::string part = argc > 2 ? argv[2] : "";
  const bench_programs::context library;
  std::printf("%-28s %13s %13s %8s %8s\n", "", "library", "in process", "ratio", "of turns");
  for (const auto& cases : {small_cases(), large_cases()})
    for (const NamedCase& each : cases) {
      if (each.name.find(part) == std::string::npos) continue;
      const Case made = each.make();
      row(each.name, rounds, [&] { made.library(library); }, made.in_process());
    }
  return 0;
}
