// The programs of a library, ready to be called.
#pragma once

#include "core/program.hpp"
#include "kernels/plan.hpp"

#include <hasten/detail/library_interface.hpp>
#include <hasten/detail/memory/out_memory.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hasten::ahead {

/// hasten_library_options::target.
enum : std::int32_t { target_any = 0, target_processor = 1, target_cuda = 2, target_opencl = 3 };
[[nodiscard]] inline const char* name_of_target(std::int32_t target) {
  constexpr const char* names[] = {"any target", "the processor", "CUDA", "OpenCL"};
  return names[target];
}

struct ProgramOf {
  const std::string& name;
  const detail::LibraryInterface& interface;
};

/// Thread-safe. Entries are given by number and must exist; references live as long as this.
class Programs {
 public:
  virtual ~Programs() = default;
  [[nodiscard]] virtual ProgramOf program(std::uint32_t entry) = 0;
  /// The number of leaves of each array of the results, where numbers are leaves of rank-0 arrays;
  /// empty: the results are only numbers.
  [[nodiscard]] virtual std::span<const std::size_t> result_leaves(std::uint32_t entry) = 0;
  /// Throws Error, std::bad_alloc. Arrays may be borrowed memory. Results may be computed in
  /// `outs`, by the array of the results, or none.
  [[nodiscard]] virtual detail::Results call(
      std::uint32_t entry, std::span<const std::shared_ptr<const detail::HostArray>> arrays,
      std::span<const detail::LiteralBits> numbers, std::span<const detail::OutMemory> outs) = 0;
};

[[nodiscard]] inline std::vector<std::size_t> result_leaves_of(const kernels::Plan& plan) {
  std::vector<std::size_t> counts;
  for (const core::ArrayId id : plan.results) counts.push_back(plan.array_types[id].leaves.size());
  return counts;
}

}  // namespace hasten::ahead
