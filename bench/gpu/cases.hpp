// All benchmarks of a GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "../harness.hpp"

namespace bench::gpu {

struct Sizes {
  /// Elements of the cases bound by bandwidth: several times the device's caches. A multiple of
  /// 4096.
  std::int64_t elements = std::int64_t{1} << 28;
  std::int64_t bodies = 1 << 16;
  std::int64_t loop_elements = 1 << 16;
  std::int32_t loop_steps = 100;
};

struct GpuBenchmark {
  const char* name;
  std::vector<Record> (*run)(const Settings&, const Sizes&);
};

std::vector<GpuBenchmark> memory_benchmarks();      // dot, sum, map, folds, scan
std::vector<GpuBenchmark> compute_benchmarks();     // bound by arithmetic
std::vector<GpuBenchmark> collective_benchmarks();  // whose elements move
std::vector<GpuBenchmark> loop_benchmarks();        // small kernels, one after the other

}  // namespace bench::gpu
