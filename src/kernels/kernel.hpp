// Kernel IR: one skeleton and its structured scalar code. It has no extents, addresses or names,
// since a kernel's key is hashed from it.
//
// An iteration space has `rank` axes, outermost first; the last one is the inner axis. Scalar code
// is core::Region over leaf values; inside a kernel
//   - reads are core::LoadLinear only; `array` is an index into `inputs`, `leaf` is 0, or of a
//     complex input the part that is read, 0 or 1;
//   - no value is complex: a complex output stands twice in `outputs`, for its two parts;
//   - core::Load, core::Extent and literals with slots do not occur;
//   - of a core::ForeignCall one function is left, whose name and types are part of the kernel;
//   - a core::Reduce is a stage: later stages use its result for a row without a detour by memory;
//   - all other free values are uniform arguments, listed in `scalars`.
// Index arithmetic is spelled out in i64: `i * extent + j` with extents as scalar arguments.
#pragma once

#include "core/operators.hpp"
#include "core/program.hpp"
#include "support/digest.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hasten::kernels {

using core::lane_operator;
using core::LaneOperator;
using core::Region;
using core::ScalarType;
using core::Value;

enum class Skeleton : std::uint8_t {
  /// out[ix] = element(ix) for every ix of the space.
  map,
  /// Of rank 2: segments by elements. out[k] = element(s, k) for every k of the last axis, s being
  /// the segment in which k lies: with (begin, end) = range(s), begin <= k < end. Segments are in
  /// the order of their elements, may be empty, and hold every k; some may reach beyond the axis.
  segments,
  /// The last axes of the space, `folded` of them, are folded: out[outer ix] = seed f (x0 f x1 f
  /// ...), each xk = element(outer ix, k), row by row; without seed x0 f x1 ...; order kept. Never
  /// launched with an empty folded axis and no seed (the host throws before). With a `range`, k
  /// runs from begin on, before end, in place of the whole axis, (begin, end) = range(outer ix): a
  /// row may be empty if there is a seed.
  fold,
  /// The last axis of the space is scanned, order kept: with y0 = x0, yk = y(k-1) f xk, each row is
  /// y0 ... y(n-1); with a seed z it is z, z f x0, ..., z f x0 f ... x(n-1): one element more than
  /// the axis has, so that the outputs' extent there is n + 1. The epilogue of each of them is
  /// stored. Rows may be empty. Of the outputs `inner_axes` lie inside of the scanned axis: they
  /// are the last of the outer axes.
  scan,
  /// For every ix of the space, with (keep, target, new leaves...) = element(ix): if keep,
  /// out[target] = combine(new leaves, old leaves) leaf by leaf, else nothing. `target` is a linear
  /// index into the outputs, which hold values before the launch, or are filled with the seed; it
  /// is in range whenever keep is true. The updates of one target happen in the order of the space.
  /// `unique`: no two elements meet, `combine` gives the new leaves, and the order does not matter.
  /// Of several `writes` `element` gives (keep, target, new leaves...) as often, one after the
  /// other.
  scatter,
  /// Of rank 1. For every ix of the space, in order, with (keep, leaves...) = element(ix): if keep,
  /// the leaves are the next elements of the outputs, which have as many elements as are kept.
  /// `parts`: there are two outputs for each leaf, and the elements that are not kept go, in order,
  /// to the second half of the outputs.
  compact,
};

/// "map", "segments", "fold", "scan", "scatter", "compact".
[[nodiscard]] const char* name_of(Skeleton skeleton);

/// The direction of vector lanes in a fold or scan. Decided from the strides of the reads.
enum class FoldLanes : std::uint8_t {
  /// Along the folded axis. Commutative operators of the table go lane-wise; others element by
  /// element in order.
  reduction,
  /// Along the innermost outer axis (the last but one of the space), every lane its own result:
  /// any operator, order kept. Needs rank >= 2.
  outer,
};

/// The range in which indices need no tests and no corrections. At every index with begin[a] <=
/// ix[a] < end[a] on each axis a, `element` yields what Kernel::element does.
struct Interior {
  Region bounds;   // no params; results: begin and end of axis 0, of axis 1, ... (i64)
  Region element;  // as Kernel::element
};

/// One of several loops of a scatter: the members of the kernel that has only this loop.
struct Loop {
  std::uint32_t rank = 1;
  std::uint32_t writes = 1;
  Region element;
  std::optional<Interior> interior;
};

struct Kernel {
  Skeleton skeleton = Skeleton::map;
  std::uint32_t rank = 1;  // >= 1 (rank-0 results are launched as a space of one element)

  std::vector<ScalarType> inputs;       // component arrays read, by LoadLinear::array
  std::vector<ScalarType> outputs;      // component arrays written, row-major over the space
                                        // (fold: over the outer axes; others: see there)
  std::vector<Value> scalars;           // uniform arguments; types in value_types
  std::vector<ScalarType> value_types;  // of every value in this kernel, by Value (renumbered
                                        // densely from 0, so that equal kernels are equal)

  /// params: `rank` indices (i64); results: element leaves (map: one per output; fold, scan: the
  /// operator's operands, then, of a fold, the `stored` ones; scatter: keep, target, then one per
  /// output; compact: keep, then one per output, or per two).
  Region element;

  // fold, scan and scatter
  Region combine;           // params: left (scatter: new) leaves then right (old) leaves;
                            // results: leaves
  std::vector<Value> seed;  // scalar arguments, one per leaf, or empty
  // fold and scan
  LaneOperator lane_operator;
  FoldLanes lanes = FoldLanes::reduction;
  /// params: the indices of a result (fold: rank - folded; scan: rank, the last one from 0 to n -
  /// 1, or to n with a seed), then accumulator leaves; results: one per output. The identity
  /// (results = the accumulator params) when nothing follows.
  Region epilogue;
  /// scan only. If there are any, lanes run along the last of them.
  std::uint32_t inner_axes = 0;
  // fold only
  /// More than one axis only where lanes run along the reduction in any order: the operator is
  /// commutative.
  std::uint32_t folded = 1;
  /// The last `stored` outputs are over the whole space, and stored where an element is computed:
  /// they are the last results of `element`, one per output. Not with a range.
  std::uint32_t stored = 0;
  // fold and segments
  /// params: outer indices (rank - 1, i64); results: begin and end (i64) of a part of the last
  /// axis. Of a fold, the part that is folded, both from 0 to the axis' extent; lanes run along the
  /// reduction.
  std::optional<Region> range;

  /// map, and folds of several axes: every read is at the iteration index itself, of an array whose
  /// own extents are used only for that; indices are used for nothing else. If these extents also
  /// equal the space's at launch, its axes (a fold's folded ones) may run as (1, ..., 1, size).
  bool collapsible = false;

  /// Values of `element`, the loops and the interior that are uniform along the inner axis and yet
  /// recomputed for each element, in ascending order (analysis/code_motion.hpp).
  std::vector<Value> recomputed;

  // map, folds in lanes along the reduction, and unique scatters
  std::optional<Interior> interior;

  /// fold, scan and scatter: each row from left to right, beginning with the seed, one element at a
  /// time; the updates of each target likewise. The same grouping on every target.
  bool in_order = false;
  /// scatter only: the updates of one target may happen in any order, which may be observable, and
  /// may change from run to run (Determinism::relaxed). Not set if the order cannot be observed.
  bool any_order = false;
  bool unique = false;       // scatter only
  std::uint32_t writes = 1;  // scatter only, more than one if unique
  /// scatter only, unique: several loops, each over its own space, in no order; no two of their
  /// elements meet. Then there is no `element`, `writes` is 1, and `rank` is the sum of the loops'
  /// ranks: a launch takes the extents of all spaces, one after the other, any of which may be 0.
  std::vector<Loop> loops;
  bool parts = false;  // compact only
};

/// "map of rank 2", "scatter of 3 loops".
[[nodiscard]] std::string title(const Kernel& kernel);

/// Whether it has a `combine`.
[[nodiscard]] inline bool combines(const Kernel& kernel) {
  return kernel.skeleton != Skeleton::map && kernel.skeleton != Skeleton::segments &&
         kernel.skeleton != Skeleton::compact;
}
/// For a scatter: the results of `element` for one write: keep, target, then one leaf per output.
[[nodiscard]] inline std::span<const Value> written(const Kernel& scatter, std::size_t write) {
  const std::size_t each = scatter.element.results.size() / scatter.writes;
  return std::span(scatter.element.results).subspan(write * each, each);
}
[[nodiscard]] inline std::span<const Value> written(const Loop& loop, std::size_t write) {
  const std::size_t each = loop.element.results.size() / loop.writes;
  return std::span(loop.element.results).subspan(write * each, each);
}
/// The kernel that has only this loop, with the same arguments; its axes are those of the launch
/// from first_axis on.
[[nodiscard]] Kernel kernel_of_loop(const Kernel& kernel, std::size_t loop);
[[nodiscard]] std::size_t first_axis(const Kernel& kernel, std::size_t loop);
/// The results of `element` that a fold or scan combines.
[[nodiscard]] inline std::span<const Value> combined_leaves(const Kernel& kernel) {
  return std::span(kernel.element.results).first(kernel.element.results.size() - kernel.stored);
}
/// The number of axes of a fold's result; the other axes are folded.
[[nodiscard]] inline std::uint32_t outer_axes(const Kernel& fold) {
  return fold.rank - fold.folded;
}
/// Whether a scan's operator has an identity, and code that works on registers of neighbours.
[[nodiscard]] inline bool combines_neighbours(const Kernel& scan) {
  return scan.lane_operator.commutative || scan.lane_operator.of_segments;
}
/// Whether the kernel has accumulators, and an `epilogue`.
[[nodiscard]] inline bool accumulates(const Kernel& kernel) {
  return kernel.skeleton == Skeleton::fold || kernel.skeleton == Skeleton::scan;
}

/// An index of a fold's or scan's results: its values in the order of the outputs' axes.
[[nodiscard]] std::vector<Value> index_of_result(const Kernel& kernel, std::vector<Value> index);

/// All regions, in the order of the text form.
std::vector<Region*> regions_of(Kernel&);
std::vector<const Region*> regions_of(const Kernel&);

/// The text form: stable, readable; keys and dumps are made from it.
std::string print(const Kernel&);

/// Throws InternalError when the kernel breaks a rule above (scoping, types, arities).
void verify(const Kernel&);

/// Structural hash of the kernel.
support::Digest key_of(const Kernel&);

}  // namespace hasten::kernels
