// Runs contractions by panels and tiles, on all threads.
#pragma once

#include "backends/cpu/contraction.hpp"
#include "backends/cpu/functions.hpp"
#include "backends/cpu/launch/run_functions.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace hasten::backends::cpu {

/// Calls a function for 0, 1, ... on all threads.
using Tasks = std::function<void(std::int64_t count, const std::function<void(std::int64_t)>&)>;

struct ContractionLaunch {
  const kernels::PackedTile& tile;
  kernels::FoldLanes lanes;
  std::size_t folded_axes;
  const KernelFunctions& functions;
  const RunFunctions& forms;
  const std::uint64_t* frame;
  std::span<const std::int64_t> extents;
  int threads;
  std::int64_t cache_bytes;  // of a thread's second cache
  const Tasks& in_parallel;
};

/// Whether panels pay: enough rows use the packed columns, and vice versa. Where lanes would run
/// along the reduction, results depend on the choice, and so it depends on extents alone; else also
/// on the bytes of a thread's second cache.
[[nodiscard]] bool contraction_pays(const kernels::PackedTile& tile, kernels::FoldLanes lanes,
                                    std::size_t folded_axes, std::span<const std::int64_t> extents,
                                    std::int64_t cache_bytes);

/// Whether tiles without panels do better: where few columns use the rows, or few rows use columns
/// that the second cache does not hold.
[[nodiscard]] bool direct_tiles_pay(const kernels::PackedTile& tile, kernels::FoldLanes lanes,
                                    std::size_t folded_axes, std::span<const std::int64_t> extents,
                                    std::int64_t cache_bytes);

/// Returns false if neither pays. Throws std::bad_alloc where there is no memory for panels; no
/// result is written then.
bool run_contraction(const ContractionLaunch& launch);

}  // namespace hasten::backends::cpu
