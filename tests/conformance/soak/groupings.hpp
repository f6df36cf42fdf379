// Counts the kinds of fusion in random programs: a soak that never meets a form says little about
// it.
#pragma once

#include "kernels/plan.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace hasten::conformance {

/// Kinds of kernels that hold several operations of a program.
enum class Grouping : std::uint8_t {
  inlined,         // producers are computed where they are needed
  fold_epilogues,  // functions of a fold's results
  scan_epilogues,
  several_results,  // arrays of one launch that are read separately
  stores_beside,    // folds that also store elements
  stages,           // rows folded before, or while, elements are computed
  fills,            // scatters that fill their outputs first
  compactions,
  segments,
  contractions,
  borders,   // stencils whose interior has no tests
  in_place,  // scatters that may update their defaults in place
  count
};

/// Kernels of each kind; the children of a soak add to their parent's counts.
using GroupingCounts =
    std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(Grouping::count)>;

void count_groupings(const kernels::Plan& plan, GroupingCounts& counts);

/// "12 inlined, 3 fold epilogues, ..."
[[nodiscard]] std::string text(const GroupingCounts& counts);

}  // namespace hasten::conformance
