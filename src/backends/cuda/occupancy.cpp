// The rules of NVIDIA's occupancy calculator (cuda_occupancy.h); the tests contain its numbers.
#include "backends/cuda/occupancy.hpp"

#include <algorithm>

namespace hasten::backends::cuda {
namespace {

constexpr std::int64_t warp = 32;
constexpr std::int64_t partitions = 4;        // of a multiprocessor, each with its own registers
constexpr std::int64_t register_unit = 256;   // registers are allocated to warps in such units
constexpr std::int64_t most_registers = 256;  // of a thread

std::int64_t parts_of(std::int64_t n, std::int64_t size) { return (n + size - 1) / size; }

std::int64_t by_registers(const Multiprocessor& has, const FunctionUse& needs, std::int64_t warps) {
  if (needs.registers == 0) return has.blocks;
  if (needs.registers > most_registers) return 0;
  const std::int64_t of_warp = parts_of(needs.registers * warp, register_unit) * register_unit;
  // Every partition is assumed to get as many warps as the fullest one.
  if (of_warp * parts_of(warps, partitions) * partitions > has.registers) return 0;
  return has.registers / partitions / of_warp * partitions / warps;
}

std::int64_t by_shared_memory(const Multiprocessor& has, const FunctionUse& needs) {
  const std::int64_t unit = has.major < 8 ? 256 : 128;
  const std::int64_t of_block =
      parts_of(needs.shared_bytes + has.reserved_shared_bytes, unit) * unit;
  return of_block == 0 ? has.blocks : has.shared_bytes / of_block;
}

}  // namespace

std::int64_t blocks_per_multiprocessor(const Multiprocessor& has, const FunctionUse& needs,
                                       std::int64_t threads_per_block) {
  const std::int64_t warps = parts_of(threads_per_block, warp);
  return std::min({has.blocks, has.threads / warp / warps, by_registers(has, needs, warps),
                   by_shared_memory(has, needs)});
}

}  // namespace hasten::backends::cuda
