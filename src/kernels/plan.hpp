// What the executor runs: steps over manifest arrays and host values, in order.
//
// Arrays are core::ArrayId, host scalars core::Value of the plan's program numbering; both number
// spaces are dense (`array_types`, `value_types`). Delayed arrays are gone.
#pragma once

#include "core/program.hpp"
#include "core/traverse.hpp"
#include "kernels/analysis/indices/flat_rows.hpp"
#include "kernels/arguments.hpp"
#include "kernels/kernel.hpp"

#include <hasten/run/options.hpp>

#include <cstdint>
#include <source_location>
#include <string>
#include <variant>
#include <vector>

namespace hasten::kernels {

struct Step;
using Steps = std::vector<Step>;

/// Evaluates one statement (constants, prims, ifs, whiles, loads, extents of manifest arrays).
struct HostScalars {
  core::Stmt stmt;
};

/// array = the index-th embedded host array, or the index-th argument.
struct BindUse {
  core::ArrayId array;
  std::uint32_t index;
};
struct BindInput {
  core::ArrayId array;
  std::uint32_t index;
};

/// A rank-0 array from host values.
struct MakeUnit {
  core::ArrayId array;
  std::vector<Value> values;
};

/// array = the elements of fn (params: the index) at these extents, computed by the host.
struct HostElements {
  core::ArrayId array;
  std::vector<Value> extents;  // host values, clamped to 0
  core::Region fn;
};

/// array = source with these extents (host values; negative ones count as 0); zero-copy. Sizes must
/// agree, else ShapeError. With `extents` empty and `same` set it is the source itself, or some of
/// its components.
struct View {
  core::ArrayId array, source;
  std::vector<Value> extents;
  bool same = false;
  std::vector<std::uint32_t> leaves = {};  // of `same`: these leaves; empty: all
};

/// array = the rows from `begin` up to `end` of the source, along its outermost axis; a view in
/// host memory.
struct RowsStep {
  core::ArrayId array, source;
  Value begin, end;
};

/// array = the parts one after the other, along their outermost axis. `at`, if not empty: where
/// each part begins, and where the last one ends.
struct JoinStep {
  core::ArrayId array;
  std::vector<core::ArrayId> parts;
  std::vector<Value> at = {};
};

/// array = source if it has elements; else zeros, with the same extents, but at least one along
/// each axis: clamped indices read it when an array has no element to be clamped to.
struct StandIn {
  core::ArrayId array, source;
};

/// An array that a launch makes, with these extents (host values, clamped to 0).
struct LaunchOutput {
  core::ArrayId array;
  std::vector<Value> extents;
};

/// Allocates `output`, unless it writes `into` an existing array, and the arrays `beside` it (all
/// components, in the order of Kernel::outputs), and launches.
struct Launch {
  std::uint32_t kernel;  // in Plan::kernels
  /// If there is a `limited` kernel, it replaces the other one, with the same inputs and arguments,
  /// unless `in_range`, a host bool: it alone may read out of range.
  std::uint32_t limited = core::none;
  Value in_range = core::none;
  core::ArrayId output = core::none;
  std::vector<Value> output_extents;      // host values, clamped to 0
  std::vector<Value> space;               // extents of the iteration space; rank 0 results: empty,
                                          // then the space is {1} (fold: {folded extent})
  std::vector<InputSource> inputs;        // by Kernel::inputs
  std::vector<ArgumentSource> arguments;  // by Kernel::scalars
  /// Collapsible kernels: the arrays read in place. If all their extents equal the space's, the
  /// launch runs the space {1, ..., 1, size} and passes their extents likewise in `arguments`.
  std::vector<core::ArrayId> in_place;
  /// If each extent is the one that it is used as, short rows may be run as one long one.
  FlatRows flat_rows;
  std::vector<std::string> fused;  // for explain(): "zip_with at dotp.cpp:12", producers first
  bool into = false;
  /// The array that this launch copies, and that nothing needs afterwards: if nobody else holds its
  /// memory at run time, the output takes that memory, and nothing is launched.
  core::ArrayId reused = core::none;
  /// Numbers of inputs that are read where outputs are written, element by element (own_reads), and
  /// that nothing needs afterwards: outputs of as many bytes may use their memory, if nobody else
  /// holds it at run time.
  std::vector<std::uint32_t> overwritable;
  std::vector<LaunchOutput> beside;
  /// Its result depends only on arguments, and only conditions read it: it need not run again for
  /// the same arrays.
  bool is_condition = false;
  /// For a compaction, whose outputs have no extents before it has run: the elements not kept.
  core::ArrayId others = core::none;
};

/// f(array, its extents), in the order of Kernel::outputs.
inline void for_each_output(const Launch& launch,
                            core::FunctionRef<void(core::ArrayId, const std::vector<Value>&)> f) {
  f(launch.output, launch.output_extents);
  for (const LaunchOutput& output : launch.beside) f(output.array, output.extents);
}

/// output = positions of the keys in ascending order, along the innermost axis. Each carried array
/// is put in the same order. With `at_heads` positions are needed only where runs begin; with
/// `first`, only that many positions of each row; with `only_carried` no positions are needed, and
/// there is no output.
struct SortStep {
  core::ArrayId output, keys;
  std::vector<core::ArrayId> carried, carried_to;
  bool at_heads = false;
  Value first = core::none;
  bool only_carried = false;
};

/// results = the result of the program's foreign function `index` on the arguments.
struct ForeignStep {
  std::uint32_t index;
  const char* name;
  std::vector<core::ArrayId> args, results;
};

/// ShapeError when a folded axis is empty and the result is not: names the operation.
struct CheckNonEmpty {
  std::vector<Value> extents;  // of the source
  std::uint32_t folded;        // the number of last axes
};
/// ShapeError when the products differ (a reshape that was fused away).
struct CheckSameSize {
  std::vector<Value> from, to;
};
/// MemoryError when no array can have these extents: there are more elements than can be counted,
/// or an extent is a sum that exceeded the largest number (so it is negative).
struct CheckCountable {
  std::vector<Value> extents;
};
/// ShapeError when they differ: for an operator, or, under Checks::extents, a zip_with.
struct CheckEqualExtents {
  std::vector<Value> left, right;
  bool is_operator = false;
};

/// ShapeError with `message`, whose {} are replaced by `shown`, unless the condition holds;
/// ElementFailed, if the condition is of elements, or MemoryError, if it is of their count.
struct CheckDemand {
  Value condition;
  const char* message;
  std::vector<Value> shown;
  bool of_elements = false, of_count = false;
};

/// Checks::bounds: stops the run with ElementFailed unless each index is inside its extent.
struct CheckInside {
  std::vector<Value> index, extents;
};
/// Checks of elements (Checks::bounds, Checks::arithmetic): stops the run with ElementFailed if any
/// of these bools is true.
struct CheckFlags {
  core::ArrayId flags;
  Checks kinds;  // of the failures that the bools may tell
};

/// Frees these arrays after their last use.
struct Free {
  std::vector<core::ArrayId> arrays;
};

/// results[i] = arrays[i] of the branch taken.
struct BranchStep {
  Value condition;
  Steps then_, else_;
  std::vector<core::ArrayId> then_results, else_results, results;
};

/// state = init; loop { run condition; stop unless value; run body; state = next }.
struct LoopStep {
  std::vector<core::ArrayId> init, results;
  std::vector<core::ArrayId> condition_state, body_state;  // parameters of the two blocks
  Steps condition, body;
  Value value;
  std::vector<core::ArrayId> next;
};

struct Step {
  std::variant<HostScalars, BindUse, BindInput, MakeUnit, HostElements, View, RowsStep, JoinStep,
               StandIn, Launch, SortStep, ForeignStep, CheckNonEmpty, CheckSameSize, CheckCountable,
               CheckEqualExtents, CheckDemand, CheckInside, CheckFlags, Free, BranchStep, LoopStep>
      op;
  std::source_location where;
  const char* operation = "";         // the user's name for it
  std::uint32_t device = core::none;  // of those that run the plan, for a part's step; else any
  std::uint32_t site = core::none;    // in Plan::sites; for steps that take time
};

/// Why an array reaches memory, for explain().
struct MemoryNote {
  core::ArrayId array;
  const char* operation;
  const char* reason;
  std::source_location where;
};

struct Plan {
  std::vector<Kernel> kernels;        // distinct
  std::vector<support::Digest> keys;  // of kernels
  Steps steps;
  std::vector<core::ArrayType> array_types;   // by ArrayId
  std::vector<core::ScalarType> value_types;  // by Value
  std::vector<core::ArrayType> inputs;        // array arguments
  std::vector<Value> scalar_inputs;           // scalar arguments, then literal parameters
  std::vector<core::ArrayId> results;
  std::vector<Value> scalar_results;
  std::vector<MemoryNote> memory;
  Checks checks = Checks::none;
  std::uint32_t sites = 0;  // after number_sites
};

/// Numbers the steps that have a row in profiles: launches, sorts, foreign calls, and steps that
/// bring in arrays, which devices copy. In the order of the plan, nested blocks in place.
void number_sites(Plan& plan);

/// The launches of one run, with a loop's condition and body once, and the longer of two branches.
[[nodiscard]] std::int64_t launch_count(const Steps& steps);

/// The kernels but for those that only replace others (Launch::limited).
[[nodiscard]] std::int64_t kernel_count(const Plan& plan);

}  // namespace hasten::kernels
