// Blocks of equal elements are copied from one that stays in the nearest cache.
#include "backends/cpu/fill.hpp"

#include <algorithm>
#include <cstring>

namespace hasten::backends::cpu {

std::vector<SeedPlace> seed_places(const kernels::Kernel& kernel) {
  std::vector<SeedPlace> result;
  if (kernel.skeleton != kernels::Skeleton::scatter) return result;
  bool is_imaginary = false;
  for (std::size_t i = 0; i < kernel.seed.size(); ++i) {
    const auto at = std::find(kernel.scalars.begin(), kernel.scalars.end(), kernel.seed[i]);
    const std::size_t bytes = detail::size_in_bytes(detail::part_of(kernel.outputs[i]));
    result.push_back(
        {static_cast<std::size_t>(at - kernel.scalars.begin()), is_imaginary ? bytes : 0, bytes});
    is_imaginary = !is_imaginary && detail::is_complex(kernel.outputs[i]);
  }
  return result;
}

Filler::Filler(std::span<const SeedPlace> seeds, const LaunchArguments& arguments) {
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const SeedPlace& seed = seeds[i];
    if (seed.offset == 0) outputs_.push_back({arguments.outputs[i], 0, {}});
    Output& output = outputs_.back();
    output.bytes += seed.bytes;
    std::memcpy(output.element.data() + seed.offset, &arguments.scalars[seed.scalar], seed.bytes);
  }
}

void Filler::run(std::int64_t begin, std::int64_t end) const {
  constexpr std::size_t block_bytes = 4096;
  for (const Output& output : outputs_) {
    std::array<std::byte, block_bytes> block;
    for (std::size_t at = 0; at < block_bytes; at += output.bytes)
      std::memcpy(block.data() + at, output.element.data(), output.bytes);
    std::byte* const last = output.memory + static_cast<std::size_t>(end) * output.bytes;
    for (std::byte* to = output.memory + static_cast<std::size_t>(begin) * output.bytes; to < last;
         to += block_bytes)
      std::memcpy(to, block.data(), std::min(block_bytes, static_cast<std::size_t>(last - to)));
  }
}

}  // namespace hasten::backends::cpu
