// One program on the target that HASTEN_TARGET names: prints the median time of a call in
// milliseconds, once shares are learned or with a fixed share, and one number of its result.
// bench/devices/run.py compares targets.
#include "programs/black_scholes.hpp"
#include "programs/blur.hpp"
#include "programs/everyday/heat.hpp"
#include "programs/histogram.hpp"
#include "programs/mandelbrot.hpp"
#include "programs/matmul.hpp"
#include "programs/nbody.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace hs = hasten;
using hs::Acc, hs::Ix, hs::Matrix, hs::Vector;

// The first calls learn the shares; then a few more calls are timed.
constexpr int calls_before = 12;
std::vector<double> split;  // among the devices; empty: learned

struct Case {
  std::function<void()> call;
  std::function<double()> check;
};

/// A program with its arguments; `look` takes one number of the result from host memory.
template <class Program, class Look, class... Arguments>
Case made(const Program& program, Look look, const Arguments&... arguments) {
  auto f = hs::compile(program, {.split = split});
  using Result = decltype(f(arguments...));
  auto result = std::make_shared<Result>();
  return {[=] { *result = f(arguments...); }, [=] { return static_cast<double>(look(*result)); }};
}

float some(std::int64_t i) { return static_cast<float>(i * 7919 % 1009) * 0.001f; }

Vector<float> floats(std::int64_t n) {
  return Vector<float>::from_function(n, [](Ix<1> i) { return some(i[0]); });
}
Matrix<float> grid(std::int64_t height, std::int64_t width) {
  return Matrix<float>::from_function(hs::ix(height, width),
                                      [=](Ix<2> i) { return some(i[0] * width + i[1]); });
}

Case black_scholes() {
  const auto options = Vector<programs::Option>::from_function(4'000'000, [](Ix<1> i) {
    const float x = some(i[0]);
    return programs::Option{5 + 25 * x, 1 + 99 * x, 0.25f + 9 * x};
  });
  return made(programs::black_scholes, [](const auto& r) { return r(12'345).call; }, options);
}

Case nbody() {
  const auto bodies = Vector<programs::Body>::from_function(8192, [](Ix<1> i) {
    return programs::Body{{some(i[0]), some(3 * i[0] + 1), some(7 * i[0] + 2)}, 1.0f};
  });
  return made(programs::accelerations, [](const auto& r) { return r(77).x; }, bodies);
}

Case mandelbrot() {
  return made(
      programs::mandelbrot, [](const auto& r) { return r(400, 700); }, hs::ix(800, 1280),
      programs::View{-2.5f, -1.2f, 3.6f, 2.4f}, std::int32_t{255});
}

Case blur() {
  return made(programs::blurred, [](const auto& r) { return r(100, 100); }, grid(2400, 3000));
}

Case histogram() {
  const auto grey = Matrix<std::uint8_t>::from_function(hs::ix(2400, 3000), [](Ix<2> i) {
    return static_cast<std::uint8_t>((i[0] * 7919 + i[1] * 31) >> 3);
  });
  return made(programs::brightness_counts, [](const auto& r) { return r(77); }, grey);
}

Case heat() {
  return made(
      programs::heat, [](const auto& r) { return r(100, 7); }, std::int64_t{10}, 0.2f, 100.0f, 0.0f,
      grid(2048, 2048));
}

Case dot() {
  return made([](Acc<Vector<float>> a, Acc<Vector<float>> b) { return hs::sum(a * b); },
              [](const auto& r) { return r.item(); }, floats(10'000'000), floats(10'000'000));
}

Case scan() {
  return made([](Acc<Vector<float>> a) { return hs::scanl1(std::plus<>{}, a); },
              [](const auto& r) { return r(1000); }, floats(10'000'000));
}

Case matmul() {
  return made(
      programs::matmul, [](const auto& r) { return r(100, 100); }, grid(512, 512), grid(512, 512));
}

/// The cost of a call that computes next to nothing.
Case small() {
  return made([](Acc<Vector<float>> a) { return a * 2.0f + 1.0f; },
              [](const auto& r) { return r(100); }, floats(1000));
}

int run(const std::string& name, int calls) {
  const std::map<std::string, std::function<Case()>> cases{{"black_scholes", black_scholes},
                                                           {"nbody", nbody},
                                                           {"mandelbrot", mandelbrot},
                                                           {"blur", blur},
                                                           {"histogram", histogram},
                                                           {"heat", heat},
                                                           {"dot", dot},
                                                           {"scan", scan},
                                                           {"matmul", matmul},
                                                           {"small", small}};
  const auto found = cases.find(name);
  if (found == cases.end()) {
    std::fprintf(stderr, "there is no case %s\n", name.c_str());
    return 2;
  }
  const Case work = found->second();
  for (int k = 0; k < calls_before; ++k) work.call();
  std::vector<double> times;
  for (int k = 0; k < calls; ++k) {
    const auto start = std::chrono::steady_clock::now();
    work.call();
    static_cast<void>(work.check());  // waits for devices that run asynchronously
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::ranges::sort(times);
  std::printf("{\"ms\": %.5f, \"check\": %.9g}\n", times[times.size() / 2], work.check());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(
        stderr,
        "usage: hasten-devices-bench CASE CALLS [SHARE]\n"
        "SHARE: what the first of two devices does of each call, instead of learning it\n");
    return 2;
  }
  if (argc == 4) split = {std::atof(argv[3]), 1 - std::atof(argv[3])};
  try {
    return run(argv[1], std::atoi(argv[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hasten-devices-bench: %s\n", error.what());
    return 1;
  }
}
