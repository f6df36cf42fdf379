// Fills the outputs of a scatter whose kernel has a seed.
#pragma once

#include "backends/backend.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hasten::backends::cpu {

/// The place of a seed in an element of its output: a complex element is two outputs, one per part.
struct SeedPlace {
  std::size_t scalar;  // by Kernel::scalars
  std::size_t offset, bytes;
};
/// By output, for a scatter with a seed; else empty.
std::vector<SeedPlace> seed_places(const kernels::Kernel& kernel);

class Filler {
 public:
  Filler(std::span<const SeedPlace> seeds, const LaunchArguments& arguments);
  [[nodiscard]] bool has_work() const { return !outputs_.empty(); }
  /// Fills the elements [begin, end) of every output.
  void run(std::int64_t begin, std::int64_t end) const;

 private:
  struct Output {
    std::byte* memory;
    std::size_t bytes;  // per element
    std::array<std::byte, 16> element;
  };
  std::vector<Output> outputs_;
};

}  // namespace hasten::backends::cpu
