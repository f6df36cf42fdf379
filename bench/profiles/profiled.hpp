// Checks whether a profile is true: compares the times of all rows with the calls' time by the
// clock, and the greatest share of a limit with 1.
#pragma once

#include <hasten/hasten.hpp>

#include <chrono>
#include <random>
#include <string>

namespace profiles {

namespace hs = hasten;

/// Calls of each program per round, and the most rounds until one is good.
inline constexpr int calls = 10, rounds_max = 3;

/// Good if both times are at most 5 % apart and no share exceeds 1.1; else `why` is the profile.
struct Verdict {
  bool good;
  std::string line, why;
};
Verdict verdict_of(const char* name, const hs::Profile& profile, double clock_ms);
void print(const Verdict& verdict);

template <class F, class... Arguments>
bool profiled(const hs::Options& options, const char* name, const F& program,
              const Arguments&... arguments) {
  const auto f = hs::compile(program, options);
  static_cast<void>(f.profile());      // devices are timed once the first profile is taken
  static_cast<void>(f(arguments...));  // the first call compiles
  Verdict verdict;
  // Other processes' time between two calls is in the clock's time only.
  for (int round = 0; round < rounds_max; ++round) {
    f.profile().reset();
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) static_cast<void>(f(arguments...));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    verdict = verdict_of(name, f.profile(), took.count());
    if (verdict.good) break;
  }
  print(verdict);
  return verdict.good;
}

bool everyday_are_true(const hs::Options& options);
bool others_are_true(const hs::Options& options);

// -- arguments, the same in each process ---------------------------------------------------------

class Numbers {
 public:
  float number() { return static_cast<float>(bits_() >> 8) * 0x1p-24f; }
  template <class T>
  T below(uint32_t limit) {
    return static_cast<T>(bits_() % limit);
  }

  hs::Vector<float> vector(int64_t n) {
    return hs::Vector<float>::from_function(n, [this](auto) { return number(); });
  }
  hs::Matrix<float> matrix(int64_t rows, int64_t columns) {
    return hs::Matrix<float>::from_function(hs::ix(rows, columns),
                                            [this](auto) { return number(); });
  }
  template <class T>
  hs::Vector<T> vector_below(int64_t n, uint32_t limit) {
    return hs::Vector<T>::from_function(n, [=, this](auto) { return below<T>(limit); });
  }

 private:
  std::mt19937 bits_{7};
};

}  // namespace profiles
