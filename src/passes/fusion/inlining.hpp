// Vertical fusion: which arrays are computed where they are read.
//
// in:  a program, its shapes
// out: Binding::storage and its reason; for each array, where kernels read it
//
// A use site is a kernel and a path to an index of its space. An array is delayed when it has one
// use site that needs each element once, or when its work is less than a store and a load. An
// operation that only moves elements is never stored if its source can be: the source keeps the
// order in which it is computed, and serves every reader.
#pragma once

#include "passes/fusion/work.hpp"
#include "passes/shapes.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace hasten::passes::fusion {

/// The index path of reads at the kernel's own index, and that of reads at computed places.
inline constexpr std::uint32_t own_index = 0, computed_index = core::none;

/// Where an array is evaluated or read: in the kernel of array `home`, through an index path.
struct UseSite {
  core::ArrayId home;
  std::uint32_t path;
  Times times;  // how often at most it needs an element
  friend bool operator==(const UseSite&, const UseSite&) = default;
};

/// What inlining finds out about an array.
struct ArrayUse {
  Work own, total;      // own function; with everything it would inline
  Work read;            // what a reader adds to its kernel: the total, or loads
  int kernel_size = 0;  // statements of its kernel, if it has one
  const core::Block* block = nullptr;
  bool linear = false;  // can be read in row-major order without dividing indices
  std::vector<UseSite> sites;
  bool everywhere = false;     // read by the host or another block, or at too many sites to list
  const char* must = nullptr;  // reason to be in memory
};

/// Decides, and returns its findings, by ArrayId. `seed` 0: by cost; else at random wherever both
/// choices are legal, for tests.
std::vector<ArrayUse> decide_storage(core::Program& program, const Shapes& shapes,
                                     std::uint64_t seed);

/// Whether the operation can be inlined at all.
[[nodiscard]] bool is_delayable(const core::ArrayOp& op);

}  // namespace hasten::passes::fusion
