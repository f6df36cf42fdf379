// What Hasten itself costs: warm calls, first runs of a process, compile time, the front end.
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "cases/cases.hpp"
#include "ours/ours.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

constexpr int processes = 5;  // fresh processes per median

Record started(const char* name, const char* size, const Settings& settings) {
  Record r;
  r.name = name;
  r.size = size;
  r.target = settings.target;
  r.threads = settings.threads;
  return r;
}

// An error in one benchmark is reported there, and the next one runs.
template <class F>
Record guarded(Record record, const F& f) {
  try {
    f(record);
  } catch (const std::exception& e) {
    record.error = e.what();
  }
  return record;
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

// A folder that its owner's destructor removes.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "hasten-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

struct Finished {
  std::string output;
  double ms;
};

Finished run_command(const std::string& command) {
  const auto start = std::chrono::steady_clock::now();
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start: " + command);
  std::string output;
  char piece[4096];
  while (const std::size_t got = fread(piece, 1, sizeof piece, pipe)) output.append(piece, got);
  const int status = pclose(pipe);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  if (status != 0) throw std::runtime_error(command + " failed: " + output.substr(0, 2000));
  return {output, took.count()};
}

// One run of dotp in a fresh process: the time from main() on that it prints, and the time of the
// whole process.
std::pair<double, double> first_run(const fs::path& cache) {
  const fs::path helper = fs::read_symlink("/proc/self/exe").parent_path() / "hasten-first-run";
  const Finished done = run_command("HASTEN_CACHE_DIR=" + shell_quoted(cache.string()) + " " +
                                    shell_quoted(helper.string()));
  return {std::stod(done.output), done.ms};
}

Record first_run_cold(const Settings& settings) {
  return guarded(started("first_run/cold", "dotp 1000 f32", settings), [&](Record& r) {
    std::vector<double> inside, whole;
    for (int i = 0; i < processes; ++i) {
      const TemporaryFolder cache;
      const auto [ms, process_ms] = first_run(cache.path());
      inside.push_back(ms);
      whole.push_back(process_ms);
    }
    r.ours_ms = median(inside);
    r.bar_ms = 80;
    r.others = {{"from main", *r.ours_ms}, {"whole process", median(whole)}};
  });
}

Record first_run_warm(const Settings& settings) {
  return guarded(started("first_run/warm", "dotp 1000 f32", settings), [&](Record& r) {
    const TemporaryFolder cache;
    first_run(cache.path());  // fills the cache
    std::vector<double> inside, whole;
    for (int i = 0; i < processes; ++i) {
      const auto [ms, process_ms] = first_run(cache.path());
      inside.push_back(ms);
      whole.push_back(process_ms);
    }
    r.ours_ms = median(inside);
    r.bar_ms = 15;
    r.others = {{"from main", *r.ours_ms}, {"whole process", median(whole)}};
  });
}

Record warm_call(const Settings& settings) {
  return guarded(started("warm_call", "dotp 1000 f32", settings), [&](Record& r) {
    const Contender call = our_small_call();
    r.ours_ms = contenders::measure_interleaved({call.run}, settings.rounds)[0].median_ms;
    r.bar_ms = 0.020;
  });
}

// A program that only includes the library and has one statement, compiled without optimisation.
Record compile_time(const Settings& settings) {
  return guarded(started("compile_time", "one line, -O0", settings), [&](Record& r) {
    const TemporaryFolder folder;
    const fs::path source = folder.path() / "program.cpp", object = folder.path() / "program.o";
    std::ofstream(source) << "#include <hasten/hasten.hpp>\n"
                             "float f(hasten::Vector<float> v) "
                             "{ return hasten::run(hasten::sum(hasten::use(v))).item(); }\n";
    const std::string command = std::string(HASTEN_BENCH_COMPILER) + " -std=c++20 -O0 " +
                                HASTEN_BENCH_INCLUDES + " -c " + shell_quoted(source.string()) +
                                " -o " + shell_quoted(object.string());
    std::vector<double> samples;
    for (int i = 0; i < 3; ++i) samples.push_back(run_command(command).ms);
    r.ours_ms = median(samples);
    r.bar_ms = 2000;
  });
}

std::vector<Record> front_end(const Settings& settings) {
  std::vector<Record> records;
  for (const int64_t length : {10'000, 100'000}) {
    const std::string name = "front_end/" + std::to_string(length);
    records.push_back(guarded(started(name.c_str(), "chain of maps", settings), [&](Record& r) {
      std::vector<double> samples;
      for (int i = 0; i < 3; ++i) samples.push_back(our_front_end_ms(length));
      r.ours_ms = median(samples);
      r.others = {{"us per map", *r.ours_ms * 1e3 / static_cast<double>(length)}};
    }));
  }
  return records;
}

}  // namespace

std::vector<Benchmark> overhead_benchmarks() {
  const auto one = [](Record (*f)(const Settings&)) {
    return [f](const Settings& s) { return std::vector<Record>{f(s)}; };
  };
  return {{"warm_call", one(warm_call)},
          {"first_run/cold", one(first_run_cold)},
          {"first_run/warm", one(first_run_warm)},
          {"compile_time", one(compile_time)},
          {"front_end", front_end}};
}

}  // namespace bench
