// Runs loaded kernels over iteration spaces, on all threads where it pays.
#pragma once

#include "backends/backend.hpp"
#include "backends/cpu/fill.hpp"
#include "backends/cpu/functions.hpp"
#include "backends/cpu/launch/caches.hpp"
#include "backends/cpu/launch/private_outputs.hpp"
#include "backends/cpu/launch/run_functions.hpp"
#include "backends/cpu/launch/team.hpp"
#include "kernels/schedule.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace hasten::backends::cpu {

/// The properties of a kernel that launches need, and its code.
class LoadedKernel : public Code {
 public:
  /// `keeps` holds the functions' code; null: it is permanent. `make` provides the forms that are
  /// not among them.
  LoadedKernel(const kernels::Kernel& kernel, const kernels::Schedule& schedule,
               const KernelFunctions& functions, std::shared_ptr<const void> keeps = nullptr,
               MakeForm make = nullptr);

  /// `streams`: whole lines of the outputs may go past the caches.
  [[nodiscard]] Form form_of_map(std::span<const std::int64_t> extents, const std::uint64_t* frame,
                                 bool streams) const;
  /// The form for rows, or columns, of this many elements, if a form knows the number.
  [[nodiscard]] std::optional<Form> form_of_rows(std::int64_t elements,
                                                 const std::uint64_t* frame) const;
  [[nodiscard]] std::optional<Form> form_of_mixed_rows(std::int64_t elements,
                                                       const std::uint64_t* frame) const;
  /// A fold with lanes across: the function for columns that fill no whole vector, if they are much
  /// of all; else null.
  [[nodiscard]] RunFunction run_of_rest(std::int64_t columns) const;
  [[nodiscard]] RunFunction run_of_updates(std::span<const std::int64_t> extents,
                                           const std::uint64_t* frame, RunFunction usual) const;
  /// The form of a map that knows how far apart neighbouring lanes load, if all scalars that
  /// determine it are equal.
  [[nodiscard]] std::optional<Form> form_of_steps(const std::uint64_t* frame) const;
  // These depend on extents alone, because the way a row is folded affects results.
  [[nodiscard]] bool has_small_blocks(std::span<const std::int64_t> extents) const;       // map
  [[nodiscard]] bool has_blocks_of_results(std::span<const std::int64_t> extents) const;  // fold
  [[nodiscard]] bool has_short_rows(std::span<const std::int64_t> extents) const;  // fold, scan
  [[nodiscard]] Form form_of_few_results(std::int64_t columns, std::int64_t depth,
                                         const std::uint64_t* frame) const;
  [[nodiscard]] bool has_joined_rows(std::span<const std::int64_t> extents) const;
  [[nodiscard]] bool has_rows_of_registers(std::span<const std::int64_t> extents) const;  // scan
  /// A fold of several axes whose last one is short; the extents of all its axes.
  [[nodiscard]] bool has_short_axis(std::span<const std::int64_t> extents) const;

  /// Fills all words of the frame that generated code receives.
  void fill_frame(std::uint64_t* frame, const LaunchArguments& arguments,
                  const support::StopWord& stop, const Caches& caches) const;

  [[nodiscard]] bool are_all(std::span<const unsigned> scalars, const std::uint64_t* frame,
                             std::int64_t number) const;

  kernels::Skeleton skeleton;
  kernels::FoldLanes lanes;
  bool unique, segmented;
  std::uint32_t writes;  // scatter: per element
  bool whole_rows;       // a map that folds each row before its elements
  bool folds_inside;     // or folds anything
  bool parts;            // a compaction that also returns the elements not kept
  bool in_order;         // each row, or segment, from left to right
  bool has_column_parts;
  bool seeded;       // a fold or scan
  bool has_columns;  // a scan, its results' rows beside each other
  bool needs_order;  // the operator of a scan
  std::size_t rank, leaves, folded;
  std::vector<std::size_t> loop_ranks;    // scatter: of several loops
  std::vector<std::size_t> output_bytes;  // of one element of each output
  std::vector<bool> imaginary;            // by output: the other part of the one before
  std::vector<std::size_t> input_bytes;
  std::vector<UnorderedUpdate> unordered;  // scatter: see private_outputs.hpp
  bool may_have_copies;                    // of these, a task
  bool grouped_by_extents;                 // scatter: how updates are cut shows in results
  std::vector<SeedPlace> fills;            // scatter: see fill.hpp
  FrameLayout layout;
  kernels::Schedule schedule;
  KernelFunctions functions;  // of which `run` has all forms
  RunFunctions run;
  std::shared_ptr<const void> keeps;
};

class Launcher {
 public:
  /// `threads` 0: HASTEN_THREADS, else as many as may run. Outputs that the last cache cannot hold
  /// are stored past the caches.
  Launcher(int threads, CacheSizes caches);
  /// `caches` is called when a launch first needs the sizes.
  Launcher(int threads, Caches::Find caches);
  void launch(const LoadedKernel& kernel, const LaunchArguments& arguments) const;
  /// The threads that sort_positions uses.
  [[nodiscard]] const Team& team() const { return team_; }
  /// Runs on all threads; returns when every task is done.
  void in_parallel(std::int64_t tasks, const std::function<void(std::int64_t)>& task) const;
  [[nodiscard]] int threads() const { return team_.threads(); }

 private:
  Caches caches_;
  Team team_;
};

}  // namespace hasten::backends::cpu
