// One job of the demonstration: run, checked, and timed beside hand-written C++.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <hasten/hasten.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"

namespace demo {

namespace hs = hasten;

// One row of the table.
struct Row {
  std::string name;
  int64_t kernels = 0;
  double first_ms = 0;  // tracing, compiling and running once
  double warm_ms = 0;
  double amount = 0;  // bytes or floating-point operations per run
  std::string unit;   // GB/s or GFLOP/s
  double ratio = 0;   // Hasten's time divided by that of the best hand-written program
  std::string best_name;
  std::vector<std::string> problems;
};

class Job {
 public:
  // `amount` counts bytes (unit GB/s) or operations (GFLOP/s).
  Job(std::string name, double amount, std::string unit);

  // The result of a plain C++ loop, and how far the other results may differ; see bench::Case.
  void expect(std::vector<float> values, double tolerance, double may_differ = 0);

  // Compiles the program and runs it once; both together are the time of the first run. `flatten`
  // converts the result to floats for the comparison.
  template <class Program, class Flatten, class... Arguments>
  auto run(Program program, Flatten flatten, const Arguments&... arguments) {
    const auto start = std::chrono::steady_clock::now();
    const auto f = hs::compile(program);
    auto first = f(arguments...);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    row_.first_ms = took.count();
    row_.kernels = f.kernel_count();
    using Result = decltype(first);
    auto result = std::make_shared<Result>(first);
    work_.contenders.push_back({"hasten", bench::Rules::strict, true,
                                [=] {
                                  *result = Result{};  // lets its memory be reused
                                  *result = f(arguments...);
                                },
                                [=] { return flatten(*result); }});
    return first;
  }

  // On a small input, the compiled program must agree with the interpreter, which defines the
  // result.
  template <class Program, class Flatten, class... Arguments>
  void agree_with_interpreter(Program program, Flatten flatten, const Arguments&... arguments) {
    hs::Options options;
    options.target = hs::interpreter();
    compare_small(flatten(hs::compile(program, options)(arguments...)),
                  flatten(hs::compile(program)(arguments...)));
  }

  // A hand-written program that computes the same.
  void beside(std::string name, std::function<void()> program,
              std::function<std::vector<float>()> output);

  // Times all programs in turns and returns the row of the table.
  Row finish(int rounds, int threads);

 private:
  void compare_small(const std::vector<float>& expected, const std::vector<float>& got);

  Row row_;
  bench::Case work_;
};

// Runs a job with this many threads for the hand-written side; Hasten reads HASTEN_THREADS itself.
Row run_on_threads(int threads, const std::function<Row()>& job);

}  // namespace demo
