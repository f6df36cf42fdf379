// hasten-demo: runs the example programs on real input, beside hand-written C++.
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gallery.hpp"
#include "image.hpp"
#include "main_jobs.hpp"
#include "programs/edges.hpp"
#include "programs/mandelbrot.hpp"

namespace {

namespace hs = hasten;

// The table shows what a first run costs, so kernels of earlier runs must not be found on the disk,
// unless the user says where to look.
class FreshKernelCache {
 public:
  FreshKernelCache() {
    if (std::getenv("HASTEN_CACHE_DIR") != nullptr) return;
    std::string pattern = (std::filesystem::temp_directory_path() / "hasten-demo-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) return;
    folder_ = pattern;
    setenv("HASTEN_CACHE_DIR", folder_.c_str(), 1);
  }
  FreshKernelCache(const FreshKernelCache&) = delete;
  FreshKernelCache& operator=(const FreshKernelCache&) = delete;
  ~FreshKernelCache() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

 private:
  std::string folder_;
};

// Shows a status line that is erased afterwards; prints nothing if stderr is not a terminal.
void show_progress(const std::string& what) {
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K%s", what.c_str());
}

void print_heading() {
  std::printf("%-15s %7s %12s %10s %16s %9s  %s\n", "program", "kernels", "first run ms", "warm ms",
              "rate", "of best", "best hand-written C++");
}

void print_row(const demo::Row& row) {
  const double rate = row.warm_ms > 0 ? row.amount / row.warm_ms * 1e-6 : 0;
  std::printf("%-15s %7lld %12.1f %10.2f %8.1f %-7s %8.2fx  %s\n", row.name.c_str(),
              static_cast<long long>(row.kernels), row.first_ms, row.warm_ms, rate,
              row.unit.c_str(), row.ratio, row.best_name.c_str());
  for (const std::string& problem : row.problems) std::printf("  PROBLEM: %s\n", problem.c_str());
  std::fflush(stdout);
}

int thread_count() {
  const char* asked = std::getenv("HASTEN_THREADS");
  const int count = asked != nullptr ? std::atoi(asked) : 0;
  return count > 0 ? count : static_cast<int>(std::thread::hardware_concurrency());
}

// A job that fails is a row of the table like any other, and the remaining jobs still run.
demo::Row run_job(const demo::NamedJob& job, const demo::Plan& plan) {
  show_progress("running " + job.name + ": " + job.what + " ...");
  demo::Row row;
  try {
    row = demo::run_on_threads(plan.threads, [&] { return job.run(plan); });
  } catch (const std::exception& e) {
    row.name = job.name;
    row.problems.push_back(e.what());
  }
  show_progress("");
  return row;
}

std::vector<demo::NamedJob> chosen_jobs(const std::string& only) {
  std::vector<demo::NamedJob> jobs = demo::main_jobs();
  if (only.empty()) return jobs;
  std::erase_if(jobs, [&](const demo::NamedJob& job) { return job.name != only; });
  if (jobs.empty()) throw std::runtime_error("no program '" + only + "'; see hasten-demo list");
  return jobs;
}

// Runs all jobs, or only the one named. Returns the process's exit code.
int run_jobs(const std::string& only, demo::Plan plan) {
  const auto jobs = chosen_jobs(only);
  const FreshKernelCache cache;
  plan.threads = thread_count();
  std::printf(
      "Each result is checked against a plain C++ loop and, on a small input, against the "
      "interpreter.\nBest hand-written: C++ with -O3 -march=native on the same threads, "
      "timed in turns with Hasten.\n\n");
  print_heading();
  bool good = true;
  for (const demo::NamedJob& job : jobs) {
    const demo::Row row = run_job(job, plan);
    print_row(row);
    if (row.problems.empty() && job.name == "mandelbrot")
      std::printf("  picture: %s\n", plan.picture.c_str());
    good = good && row.problems.empty();
  }
  return good ? 0 : 1;
}

// Compiles and runs a program, and prints how long that took.
template <class Program, class... Arguments>
auto run_and_tell(const char* name, Program program, const Arguments&... arguments) {
  const auto start = std::chrono::steady_clock::now();
  const auto f = hs::compile(program);
  auto result = f(arguments...);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::printf("%s: %lld kernels, %.1f ms with compiling\n", name,
              static_cast<long long>(f.kernel_count()), took.count());
  return result;
}

void draw_edges(const std::string& in, const std::string& out) {
  show_progress("reading " + in + " ...");
  const auto photo = demo::read_picture(in);
  show_progress("");
  const auto result = run_and_tell("edges", programs::edges, photo);
  show_progress("writing " + out + " ...");
  demo::write_png(out, result);
  show_progress("");
  std::printf("%s: %lld x %lld pixels\n", out.c_str(), static_cast<long long>(result.shape()[1]),
              static_cast<long long>(result.shape()[0]));
}

struct MandelbrotArguments {
  std::string out;
  int64_t width = 1920, height = 1080;
  int32_t limit = 255;
};

void draw_mandelbrot(const MandelbrotArguments& arguments) {
  // The part of the plane that shows the whole set, in the picture's proportions.
  const double aspect =
      static_cast<double>(arguments.width) / static_cast<double>(arguments.height);
  const double height = std::max(2.5, 3.0 / aspect), width = height * aspect;
  const programs::View view{static_cast<float>(-0.75 - width / 2), static_cast<float>(-height / 2),
                            static_cast<float>(width), static_cast<float>(height)};
  show_progress("computing " + arguments.out + " ...");
  const auto steps = run_and_tell("mandelbrot", programs::mandelbrot,
                                  hs::ix(arguments.height, arguments.width), view, arguments.limit);
  demo::write_png(arguments.out, hs::compile(programs::coloured)(steps, arguments.limit));
  std::printf("%s: %lld x %lld pixels\n", arguments.out.c_str(),
              static_cast<long long>(arguments.width), static_cast<long long>(arguments.height));
}

void list_programs() {
  for (const demo::NamedJob& job : demo::main_jobs())
    std::printf("%-14s %-42s examples/%s\n", job.name.c_str(), job.what.c_str(),
                job.source.c_str());
  const char* const others[][3] = {
      {"edges", "edges of your own picture", "programs/edges.hpp"},
      {"equalize", "its grey levels spread", "programs/equalize.hpp"},
      {"high-pass", "its fine detail, by Fourier transforms", "programs/fft.hpp"},
      {"blur", "your picture made softer", "programs/blur.hpp"},
      {"histogram", "how bright its pixels are, as bars", "programs/histogram.hpp"},
      {"fluid", "smoke in a box, animated", "programs/fluid.hpp"},
      {"life", "SmoothLife, animated", "programs/smooth_life.hpp"},
      {"primes", "prime numbers by striking out", "programs/sieve.hpp"},
      {"solve", "conjugate gradients on a sparse matrix", "programs/sparse.hpp"},
      {"top", "largest totals of a table's groups", "programs/everyday/group_by.hpp"},
      {"words", "words of a text, most frequent first", "programs/everyday/word_count.hpp"},
      {"heat", "heat in a plate", "programs/everyday/heat.hpp"},
      {"flow", "a fluid by the lattice-Boltzmann method", "programs/everyday/lattice.hpp"}};
  for (const auto& [name, what, source] : others)
    std::printf("%-14s %-42s examples/%s\n", name, what, source);
}

struct Arguments {
  std::string in, out, group, amount;
  std::int64_t pixels = 256;
  MandelbrotArguments mandelbrot;
  std::int64_t number = 0;
  float cutoff = 10;
  std::int64_t rounds = 8;
  demo::AnimationSize animation;
};

// A command that turns one picture into another.
CLI::App* picture_command(CLI::App& app, Arguments& a, const char* name, const char* what) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("photo", a.in, "the picture to read: PNG, JPEG, ...")->required();
  command->add_option("result", a.out, "the PNG to write")->required();
  return command;
}

void add_mandelbrot(CLI::App& app, MandelbrotArguments& a) {
  CLI::App* draw = app.add_subcommand("mandelbrot", "draws the Mandelbrot set");
  draw->add_option("picture", a.out, "the PNG to write")->required();
  draw->add_option("--width", a.width)->check(CLI::Range(1, 32768))->capture_default_str();
  draw->add_option("--height", a.height)->check(CLI::Range(1, 32768))->capture_default_str();
  draw->add_option("--limit", a.limit, "steps after which a point counts as inside")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  draw->callback([&] { draw_mandelbrot(a); });
}

// A command that writes an animation.
void add_animation(CLI::App& app, Arguments& a, const char* name, const char* what,
                   void (*animate)(const std::string&, const demo::AnimationSize&)) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("animation", a.out, "the PNG to write")->required();
  command->add_option("--frames", a.animation.frames)
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--size", a.animation.pixels, "pixels of each side")
      ->check(CLI::IsMember({64, 128, 256, 512, 1024}))
      ->capture_default_str();
  command->callback([&a, animate] { animate(a.out, a.animation); });
}

// A command that draws a picture from nothing but its size.
void add_drawing(CLI::App& app, Arguments& a, const char* name, const char* what,
                 void (*draw)(const std::string&, std::int64_t)) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("picture", a.out, "the PNG to write")->required();
  command->add_option("--size", a.pixels, "pixels of each side")
      ->check(CLI::Range(16, 4096))
      ->capture_default_str();
  command->callback([&a, draw] { draw(a.out, a.pixels); });
}

void add_tables(CLI::App& app, Arguments& a) {
  CLI::App* top = app.add_subcommand("top", "the ten groups of a table with the largest totals");
  top->add_option("table", a.in, "a CSV file whose first line names the columns")->required();
  top->add_option("group", a.group, "the column to group by")->required();
  top->add_option("amount", a.amount, "the column to add up")->required();
  top->callback([&] { demo::list_top(a.in, a.group, a.amount); });
  CLI::App* words = app.add_subcommand("words", "counts the words of a text");
  words->add_option("text", a.in, "the file to read")->required();
  words->callback([&] { demo::count_words(a.in); });
}

void add_commands(CLI::App& app, Arguments& a) {
  picture_command(app, a, "edges", "finds the edges of a picture")->callback([&] {
    draw_edges(a.in, a.out);
  });
  picture_command(app, a, "equalize", "spreads the grey levels of a picture")->callback([&] {
    demo::equalize_picture(a.in, a.out);
  });
  picture_command(app, a, "histogram", "draws how bright a picture's pixels are")->callback([&] {
    demo::draw_histogram(a.in, a.out);
  });
  CLI::App* blur = picture_command(app, a, "blur", "makes a picture softer");
  blur->add_option("--rounds", a.rounds)->check(CLI::Range(0, 10000))->capture_default_str();
  blur->callback([&] { demo::blur_picture(a.in, a.out, a.rounds); });
  CLI::App* high_pass = picture_command(app, a, "high-pass", "keeps the fine detail of a picture");
  high_pass->add_option("--cutoff", a.cutoff, "cycles below which nothing stays")
      ->capture_default_str();
  high_pass->callback([&] { demo::high_pass_picture(a.in, a.out, a.cutoff); });
  add_mandelbrot(app, a.mandelbrot);
  add_animation(app, a, "fluid", "smoke that rises in a box, as an animated PNG",
                demo::animate_fluid);
  add_animation(app, a, "life", "SmoothLife, as an animated PNG", demo::animate_life);
  CLI::App* primes = app.add_subcommand("primes", "counts primes");
  primes->add_option("below", a.number, "the first number not looked at")->required();
  primes->callback([&] { demo::list_primes(a.number); });
  CLI::App* solve = app.add_subcommand("solve", "solves a system by conjugate gradients");
  solve->add_option("matrix", a.in, "a symmetric matrix in Matrix Market form")->required();
  solve->callback([&] { demo::solve_system(a.in); });
  add_tables(app, a);
  add_drawing(app, a, "heat", "heat in a plate whose borders differ", demo::draw_heat);
  add_drawing(app, a, "flow", "two layers of a fluid that roll up", demo::draw_flow);
  app.add_subcommand("list", "lists the programs and their sources")->callback(list_programs);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Runs Hasten's example programs. Without a command: all of them, checked and timed "
      "beside hand-written C++."};
  app.require_subcommand(0, 1);
  std::string only;
  demo::Plan plan;
  Arguments arguments;
  app.add_option("--only", only, "run one program of the list");
  app.add_option("--repeat", plan.rounds, "rounds of which medians are taken")
      ->check(CLI::PositiveNumber);
  app.add_option("--picture", plan.picture, "where the Mandelbrot picture goes")
      ->capture_default_str();
  add_commands(app, arguments);
  try {
    app.parse(argc, argv);
    return app.get_subcommands().empty() ? run_jobs(only, plan) : 0;
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    show_progress("");
    std::cerr << "hasten-demo: " << e.what() << '\n';
    return 1;
  }
}
