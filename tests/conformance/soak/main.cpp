// Random whole programs by the hundred thousand, on a target and on the interpreter; see
// docs/testing.md.
//
// Each program runs in a child process, so that crashes and hangs are found like differences. A
// child lives for a batch of programs, because starting a compiler takes as long as a program.
// Every second program is fused at random, wherever it is legal.
#include "backends/backend.hpp"
#include "runtime/executable.hpp"
#include "runtime/targets.hpp"
#include "support/counters.hpp"
#include "tests/conformance/soak/groupings.hpp"
#include "tests/conformance/soak/several_devices.hpp"
#include "tests/conformance/tool/random/program.hpp"

#include <CLI/CLI.hpp>

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

namespace hasten::conformance {
namespace {

using Clock = std::chrono::steady_clock;
using Shrinkable = rc::Shrinkable<std::vector<Step>>;

constexpr std::int64_t batch = 200;
// A program that takes longer hangs: in processor time, which other load does not change, and in
// clock time, since threads that wait for each other take no processor time.
constexpr unsigned busy_seconds_per_program = 120, seconds_per_program = 600;

struct Settings {
  std::int64_t programs = 100'000, first = 0, failures = 1;
  std::int64_t jobs = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
  std::uint64_t seed = 1;
  double minutes = 0;  // 0: no limit
  std::string target = "cpu";
  bool everywhere = false;    // Determinism::everywhere
  bool out_of_range = false;  // only programs that read out of range
  std::int64_t limit = 0;     // Options::memory_limit: programs that do not fit do not fail
};

Shrinkable program_of(const Settings& settings, std::int64_t index) {
  const std::uint64_t first = settings.seed * 1'000'003 + static_cast<std::uint64_t>(index);
  const auto program = [&](std::uint64_t seed) {
    return random_steps()(rc::Random(seed), 2 + static_cast<int>(index % 11));
  };
  Shrinkable result = program(first);
  for (std::uint64_t next = 1; settings.out_of_range && !reads_out_of_range(result.value()); ++next)
    result = program(first + (next << 40));
  return result;
}

/// How `multi` splits the current program, which depends on the program's number.
std::vector<double>& split_at_hand() {
  static std::vector<double> split;
  return split;
}

std::size_t devices_of(const std::string& target) {
  if (!target.starts_with("multi:")) return 1;
  return 1 + static_cast<std::size_t>(std::ranges::count(target, ','));
}

/// Decides the fusion of the program that this process, or a child that it starts, runs next.
void decide_for(const Settings& settings, std::int64_t index) {
  const std::int64_t seed = index % 2 == 0 ? 0 : index;
  setenv("HASTEN_FUSION_SEED", std::to_string(seed).c_str(), 1);
  // Splits some operations, or all that can be split.
  setenv("HASTEN_FISSION_SEED", std::to_string(index % 3 == 0 ? 0 : index).c_str(), 1);
  split_at_hand() = random_split(devices_of(settings.target),
                                 settings.seed * 1'000'003 + static_cast<std::uint64_t>(index));
}

Options options_of(const Settings& settings) {
  Options options{.target = Target(settings.target)};
  if (settings.everywhere) options.determinism = Determinism::everywhere;
  options.memory_limit = settings.limit;
  if (devices_of(settings.target) > 1) {
    add_test_devices();
    options.split = split_at_hand();
  }
  return options;
}

/// Memory through which children report to their parent.
struct Shared {
  std::atomic<std::int64_t> now[64];  // the program that a child runs, by job
  std::atomic<std::int64_t> candidate;
  std::atomic<std::int64_t> without_room;  // programs, for Settings::limit
  GroupingCounts groupings;
  std::atomic<std::int64_t> launches, on_evaluators;
};

Shared& shared() {
  static Shared* const memory = [] {
    void* pages =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::runtime_error("cannot share memory");
    return new (pages) Shared{};
  }();
  return *memory;
}

/// Whether a program fails; prints the difference if asked to. Does not return if the program
/// crashes.
bool fails(const Settings& settings, const std::vector<Step>& steps, bool prints) {
  std::optional<std::string> what;
  try {
    what = disagreement(steps, options_of(settings));
  } catch (const std::exception& error) {
    what = std::string("threw: ") + error.what();
  }
  if (!what && !damage_of_test_devices().empty()) what = damage_of_test_devices();
  if (what && settings.limit > 0 && what->find("Options::memory_limit") != std::string::npos) {
    ++shared().without_room;
    what.reset();
  }
  if (what && prints) std::cout << *what << std::endl;
  return what.has_value();
}

/// Ends this process if the program that it starts now takes too long.
void watch() {
  constexpr itimerval busy{.it_interval = {}, .it_value = {busy_seconds_per_program, 0}};
  setitimer(ITIMER_PROF, &busy, nullptr);
  alarm(seconds_per_program);
}

/// Exit codes of children.
enum : int { agreed = 0, differed = 1 };

/// Runs f in a child process and returns its pid.
template <class F>
pid_t in_child(F f) {
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child == 0) {
    const int code = f();
    std::cout.flush();
    _exit(code);
  }
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

bool is_agreement(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == agreed; }

std::string text_of(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGALRM || signal == SIGPROF) return "it hangs";
    return std::string("it crashes: ") + strsignal(signal);
  }
  return "it differs";
}

int status_of(const Settings& settings, const std::vector<Step>& steps, bool prints) {
  return wait_for(in_child([&] {
    watch();
    return fails(settings, steps, prints) ? differed : agreed;
  }));
}

/// The first of the smaller programs that fails; empty if none does. One child tries one program
/// after the other.
std::optional<Shrinkable> smaller_failing(const Settings& settings, const Shrinkable& failing) {
  std::atomic<std::int64_t>& candidate = shared().candidate;
  const int status = wait_for(in_child([&] {
    auto smaller = failing.shrinks();
    for (candidate = 0;; ++candidate) {
      watch();
      const auto next = smaller.next();
      if (!next) return agreed;
      if (fails(settings, next->value(), false)) return differed;
    }
  }));
  if (is_agreement(status)) return std::nullopt;
  auto smaller = failing.shrinks();
  for (std::int64_t i = 0; i < candidate; ++i) smaller.next();
  const auto found = smaller.next();
  if (!found) return std::nullopt;
  return *found;
}

/// The smallest program that still fails.
std::vector<Step> smallest(const Settings& settings, Shrinkable failing) {
  while (auto next = smaller_failing(settings, failing)) failing = *next;
  return failing.value();
}

/// Counts the groupings of a program that has run: its plan is in the program cache.
void count_groupings_of(const Settings& settings, const std::vector<Step>& steps) {
  detail::Traced traced = build(steps).traced;
  traced.options = options_of(settings);
  count_groupings(detail::compile_program(traced)->plan(), shared().groupings);
}

void report(const Settings& settings, std::int64_t index, int status) {
  decide_for(settings, index);
  std::cout << "\n== program " << index << " of seed " << settings.seed << ": " << text_of(status)
            << "; looking for a smaller one" << std::endl;
  const std::vector<Step> steps = smallest(settings, program_of(settings, index));
  const int again = status_of(settings, steps, true);
  std::cout << text_of(again) << ":\n" << describe(steps) << std::endl;
}

class Soak {
 public:
  explicit Soak(const Settings& settings) : settings_(settings), next_(settings.first) {}

  int run() {
    shared();  // before any child starts
    std::vector<Job> jobs(static_cast<std::size_t>(settings_.jobs));
    for (std::size_t j = 0; j < jobs.size(); ++j) start(jobs, j);
    while (running_ > 0) {
      int status = 0;
      const pid_t ended = wait(&status);
      for (std::size_t j = 0; j < jobs.size(); ++j)
        if (jobs[j].child == ended) finish(jobs, j, status);
    }
    std::cout << "\n" << done_ << " programs, " << failed_ << " failed";
    if (settings_.limit > 0) std::cout << ", " << shared().without_room << " did not fit";
    std::cout << "\nkernels: " << text(shared().groupings) << "\nlaunches: " << shared().launches;
    if (shared().on_evaluators > 0)
      std::cout << ", " << shared().on_evaluators << " of them on evaluators";
    std::cout << std::endl;
    return failed_ == 0 ? 0 : 1;
  }

 private:
  struct Job {
    pid_t child = 0;
    std::int64_t at = 0, end = 0;
  };

  [[nodiscard]] double minutes() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count() / 60;
  }
  [[nodiscard]] std::int64_t end() const { return settings_.first + settings_.programs; }

  /// Starts the next batch of a job, or the rest of the batch that a failure has ended.
  void start(std::vector<Job>& jobs, std::size_t j) {
    Job& job = jobs[j];
    job.child = 0;
    const bool late = settings_.minutes > 0 && minutes() > settings_.minutes;
    if (late || failed_ >= settings_.failures) return;
    if (job.at >= job.end) {
      job.at = next_;
      job.end = next_ = std::min(next_ + batch, end());
    }
    if (job.at >= job.end) return;
    std::atomic<std::int64_t>& now = shared().now[j];
    job.child = in_child([&] {
      for (now = job.at; now < job.end; ++now) {
        watch();
        decide_for(settings_, now);
        const std::vector<Step> steps = program_of(settings_, now).value();
        if (fails(settings_, steps, false)) return differed;
        count_groupings_of(settings_, steps);
      }
      shared().launches += support::counters().launches;
      shared().on_evaluators += launches_of_test_devices();
      return agreed;
    });
    ++running_;
  }

  void finish(std::vector<Job>& jobs, std::size_t j, int status) {
    Job& job = jobs[j];
    --running_;
    const std::int64_t now = shared().now[j];
    done_ += now - job.at + (is_agreement(status) ? 0 : 1);
    if (!is_agreement(status)) {
      ++failed_;
      report(settings_, now, status);
      job.at = now + 1;
    } else {
      job.at = job.end;
    }
    progress();
    start(jobs, j);
  }

  void progress() const {
    std::cout << "\r" << done_ << " of " << settings_.programs << " programs, " << failed_
              << " failed, " << static_cast<std::int64_t>(static_cast<double>(done_) / minutes())
              << " a minute   " << std::flush;
  }

  Settings settings_;
  std::int64_t next_, done_ = 0, failed_ = 0;
  int running_ = 0;
  Clock::time_point begin_ = Clock::now();
};

/// Returns the exit code if the program is to end at once.
std::optional<int> parse(Settings& settings, int argc, char** argv) {
  CLI::App app(
      "Runs random programs on a target and on the interpreter; prints the first that differs, as "
      "small as it can be made.",
      "hasten_soak");
  std::string determinism = "run_to_run", reads = "any", parts;
  app.add_option("--programs", settings.programs, "number of programs")->capture_default_str();
  app.add_option("--seed", settings.seed, "of the programs")->capture_default_str();
  app.add_option("--target", settings.target, "as for HASTEN_TARGET")->capture_default_str();
  app.add_option("--minutes", settings.minutes, "ends after so many; 0: no limit");
  app.add_option("--jobs", settings.jobs, "processes at a time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--first", settings.first, "index of the first program: with --programs 1, one");
  app.add_option("--failures", settings.failures, "ends after so many")->capture_default_str();
  app.add_option("--determinism", determinism)
      ->check(CLI::IsMember({"run_to_run", "everywhere"}))
      ->capture_default_str();
  app.add_option("--reads", reads, "out_of_range: only programs that read there")
      ->check(CLI::IsMember({"any", "out_of_range"}))
      ->capture_default_str();
  app.add_option("--limit", settings.limit, "Options::memory_limit in bytes");
  app.add_option("--parts", parts, "streams all calls in so many parts");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  settings.everywhere = determinism == "everywhere";
  settings.out_of_range = reads == "out_of_range";
  if (!parts.empty()) setenv("HASTEN_STREAMING", parts.c_str(), 1);
  return std::nullopt;
}

}  // namespace
}  // namespace hasten::conformance

int main(int argc, char** argv) {
  setenv("HASTEN_CACHE_DIR", "off", 0);
  try {
    hasten::conformance::Settings settings;
    if (const auto code = hasten::conformance::parse(settings, argc, argv)) return *code;
    return hasten::conformance::Soak(settings).run();
  } catch (const std::exception& error) {
    std::cerr << "hasten_soak: " << error.what() << "\n";
    return 2;
  }
}
