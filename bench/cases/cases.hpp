// All benchmarks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"

namespace bench {

/// A case to which others, limits and tolerances are added.
inline Case started(std::string name, std::string size, std::vector<Contender> ours) {
  Case work;
  work.name = std::move(name);
  work.size = std::move(size);
  work.contenders = std::move(ours);
  return work;
}

std::vector<Benchmark> memory_benchmarks();      // bound by bandwidth
std::vector<Benchmark> compute_benchmarks();     // bound by arithmetic
std::vector<Benchmark> row_benchmarks();         // with folds of rows
std::vector<Benchmark> collective_benchmarks();  // whose elements move
std::vector<Benchmark> everyday_benchmarks();    // typical first programs
std::vector<Benchmark> library_benchmarks();     // BLAS and FFTW, called through Hasten
std::vector<Benchmark> push_benchmarks();        // pull and push arrays
std::vector<Benchmark> short_axes_benchmarks();  // whose last axes are short, and sums by key
std::vector<Benchmark> by_index_benchmarks();    // folds of elements written by index
std::vector<Benchmark> limit_benchmarks();       // the machine itself
std::vector<Benchmark> overhead_benchmarks();    // compile time, first runs, calls

}  // namespace bench
