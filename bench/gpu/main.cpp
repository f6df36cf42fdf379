// hasten-gpu-bench: Hasten beside hand-written CUDA, CUB and the device's limits, in one process.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>

#include "../report.hpp"
#include "cases.hpp"
#include "contenders.hpp"

namespace bench::gpu {
namespace {

constexpr const char* usage = R"(hasten-gpu-bench [OPTIONS]
  --filter REGEX   run benchmarks whose name matches
  --json FILE      write one JSON record a line, the first about the device
  --repeat N       rounds of which medians are taken (15)
  --elements N     of the cases bound by bandwidth (268435456); rounded up to a multiple of 4096
  --bodies N       of the n-body (65536)
  --loop N         elements of the loop of small kernels (65536)
  --cub FILE       the library made of cub.cu
  --list           list the benchmarks
)";

struct Arguments {
  std::string filter = ".*", json, cub;
  Settings settings{.rounds = 15, .threads = 1, .target = "cuda:0"};
  Sizes sizes;
  bool list = false;
};

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    throw std::invalid_argument("not a positive number: " + text);
  return value;
}

Arguments parse(int argc, char** argv) {
  Arguments result;
  const std::map<std::string, std::function<void(const std::string&)>> options = {
      {"--filter", [&](const std::string& x) { result.filter = x; }},
      {"--json", [&](const std::string& x) { result.json = x; }},
      {"--cub", [&](const std::string& x) { result.cub = x; }},
      {"--repeat",
       [&](const std::string& x) { result.settings.rounds = static_cast<int>(number(x)); }},
      {"--elements",
       [&](const std::string& x) { result.sizes.elements = (number(x) + 4095) / 4096 * 4096; }},
      {"--bodies", [&](const std::string& x) { result.sizes.bodies = number(x); }},
      {"--loop", [&](const std::string& x) { result.sizes.loop_elements = number(x); }}};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--list") {
      result.list = true;
      continue;
    }
    const auto option = options.find(name);
    if (option == options.end() || i + 1 == argc) throw std::invalid_argument(usage);
    option->second(argv[++i]);
  }
  return result;
}

std::vector<GpuBenchmark> all_benchmarks() {
  std::vector<GpuBenchmark> all;
  for (const auto& part :
       {memory_benchmarks(), compute_benchmarks(), collective_benchmarks(), loop_benchmarks()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::string about_device() {
  std::string text = Device::get().description();
  for (char& c : text)
    if (c == '"' || c == '\\') c = '\'';
  return "{\"device\":\"" + text + "\",\"cub\":" + (Cub::is_there() ? "true" : "false") + "}";
}

// An error in one benchmark does not stop the others.
std::vector<Record> run_one(const GpuBenchmark& benchmark, const Arguments& arguments) {
  try {
    return benchmark.run(arguments.settings, arguments.sizes);
  } catch (const std::exception& e) {
    Record failed;
    failed.name = benchmark.name;
    failed.target = arguments.settings.target;
    failed.error = e.what();
    return {failed};
  }
}

// Returns true if every result was right and nothing threw.
bool run_all(const Arguments& arguments) {
  const std::regex filter(arguments.filter);
  std::ofstream json;
  if (!arguments.json.empty()) {
    json.open(arguments.json);
    if (!json) throw std::runtime_error("cannot write " + arguments.json);
  }
  if (!arguments.cub.empty()) Cub::open(arguments.cub);
  std::printf("%s\n", Device::get().description().c_str());
  if (json.is_open()) json << about_device() << std::endl;
  bool good = true;
  print_heading();
  for (const GpuBenchmark& benchmark : all_benchmarks()) {
    if (!std::regex_search(benchmark.name, filter)) continue;
    for (const Record& record : run_one(benchmark, arguments)) {
      print_row(record);
      if (json.is_open()) json << to_json(record) << std::endl;
      good = good && record.wrong.empty() && record.error.empty();
    }
  }
  return good;
}

}  // namespace
}  // namespace bench::gpu

int main(int argc, char** argv) {
  using namespace bench::gpu;
  try {
    const Arguments arguments = parse(argc, argv);
    if (arguments.list) {
      for (const GpuBenchmark& benchmark : all_benchmarks()) std::printf("%s\n", benchmark.name);
      return 0;
    }
    setenv("HASTEN_TARGET", arguments.settings.target.c_str(),
           1);  // before the library's first use
    return run_all(arguments) ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "hasten-gpu-bench: %s\n", e.what());
    return 2;
  }
}
