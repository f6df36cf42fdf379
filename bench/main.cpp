// hasten-bench: Hasten beside the best hand-written C++ and the machine's limits, in one process.
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <regex>

#include "cases/cases.hpp"
#include "contenders.hpp"
#include "report.hpp"

namespace {

struct Arguments {
  std::string filter = ".*", json, target;
  int rounds = 15;
  int threads = tbb::info::default_concurrency();
  bool list = false;
};

std::vector<bench::Benchmark> all_benchmarks() {
  std::vector<bench::Benchmark> all;
  for (const auto& part :
       {bench::limit_benchmarks(), bench::memory_benchmarks(), bench::compute_benchmarks(),
        bench::row_benchmarks(), bench::collective_benchmarks(), bench::everyday_benchmarks(),
        bench::library_benchmarks(), bench::push_benchmarks(), bench::short_axes_benchmarks(),
        bench::by_index_benchmarks(), bench::overhead_benchmarks()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Runs before the library's first use, because the library reads its settings from the environment.
bench::Settings settle(const Arguments& arguments) {
  setenv("HASTEN_THREADS", std::to_string(arguments.threads).c_str(), 1);
  if (!arguments.target.empty()) setenv("HASTEN_TARGET", arguments.target.c_str(), 1);
  const char* target = std::getenv("HASTEN_TARGET");
  return {arguments.rounds, arguments.threads, target != nullptr ? target : "cpu"};
}

// Returns true if every result was right and nothing threw.
bool run_all(const Arguments& arguments) {
  const bench::Settings settings = settle(arguments);
  const std::regex filter(arguments.filter);
  std::ofstream json;
  if (!arguments.json.empty()) {
    json.open(arguments.json);
    if (!json) throw std::runtime_error("cannot write " + arguments.json);
  }
  bool good = true;
  bench::print_heading();
  for (const auto& benchmark : all_benchmarks()) {
    if (!std::regex_search(benchmark.name, filter)) continue;
    for (const bench::Record& record : benchmark.run(settings)) {
      bench::print_row(record);
      if (json.is_open()) json << bench::to_json(record) << std::endl;
      good = good && record.wrong.empty() && record.error.empty();
    }
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"Measures Hasten beside the best hand-written C++, interleaved in one process."};
  app.add_option("--filter", arguments.filter, "run benchmarks whose name matches this expression");
  app.add_option("--json", arguments.json, "write one JSON record a line to this file");
  app.add_option("--repeat", arguments.rounds, "rounds of which medians are taken")
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", arguments.threads, "threads for everyone")
      ->check(CLI::PositiveNumber);
  app.add_option("--target", arguments.target, "as HASTEN_TARGET");
  app.add_flag("--list", arguments.list, "list the benchmarks");
  CLI11_PARSE(app, argc, argv);
  try {
    if (arguments.list) {
      for (const auto& benchmark : all_benchmarks()) std::cout << benchmark.name << '\n';
      return 0;
    }
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(arguments.threads));
    contenders::choose_openblas_kernels();
    bool good = false;
    tbb::task_arena(arguments.threads).execute([&] { good = run_all(arguments); });
    return good ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << "hasten-bench: " << e.what() << '\n';
    return 2;
  }
}
