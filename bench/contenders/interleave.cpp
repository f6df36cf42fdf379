// Measures several programs in turns; see interleave.hpp.
#include "interleave.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

namespace contenders {
namespace {

constexpr double shortest_sample_ms = 1.0;

double run_several(const std::function<void()>& program, int times) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) program();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return took.count() / times;
}

// Warms up with two runs: the first touches memory and wakes threads, the second is timed.
int runs_per_sample(const std::function<void()>& program) {
  program();
  const double once = std::max(run_several(program, 1), 1e-5);
  return std::max(1, static_cast<int>(std::ceil(shortest_sample_ms / once)));
}

Measured summarise(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  const double median =
      samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  return {median, samples.front()};
}

}  // namespace

double milliseconds(const std::function<void()>& program) { return run_several(program, 1); }

std::vector<Measured> measure_interleaved(const std::vector<std::function<void()>>& programs,
                                          int rounds) {
  const std::size_t count = programs.size();
  std::vector<int> times(count);
  for (std::size_t i = 0; i < count; ++i) times[i] = runs_per_sample(programs[i]);
  std::vector<std::vector<double>> samples(count);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);  // the same orders in each process
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) samples[i].push_back(run_several(programs[i], times[i]));
  }
  std::vector<Measured> result;
  for (auto& s : samples) result.push_back(summarise(std::move(s)));
  return result;
}

}  // namespace contenders
