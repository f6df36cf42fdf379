// Kernels with stages: folds inside their scalar code (core::Reduce), whose results later code of
// the same row uses.
#pragma once

#include "kernels/kernel_builder.hpp"

#include <cstdint>
#include <vector>

namespace hasten::kernels {

/// Whether code of the region contains a fold, at any depth.
[[nodiscard]] bool has_reductions(const Region& region);

/// By value: whether it depends on the region's last parameter; in a map, on the inner index.
[[nodiscard]] std::vector<bool> varies_inside_rows(const Kernel& kernel, const Region& region);

/// Whether it is a map with a reduction that is uniform along a row: rows are not to be cut.
[[nodiscard]] bool has_row_reductions(const Kernel& kernel);

/// Hoists code that no step of a reduction changes before it, except for reads.
void hoist_from_reductions(KernelBuilder& builder);

/// The longest row that one lane folds for each element.
inline constexpr std::int64_t short_stage = 64;
/// Maps whose rows are folded first need at least this many rows, or rows of at most this many
/// elements: there is no other work to share among threads and groups.
inline constexpr std::int64_t many_stage_rows = 64, long_stage_row = 16384;

/// The delayed folds that the consumer's kernel would contain, producers first.
[[nodiscard]] std::vector<const core::Binding*> stages_of(const Environment& environment,
                                                          const core::Binding& consumer);

/// The functions that emit host code.
struct HostCode {
  core::FunctionRef<Value(std::int64_t)> number;
  core::FunctionRef<Value(core::ScalarOp, Value, Value, ScalarType)> operation;
  core::FunctionRef<std::vector<Value>(core::ArrayId)> extents;
};

/// A host value computed from extents alone: whether the consumer, a map or a fold, should have the
/// stages inside its kernel, or leave each to a launch of its own. `space`: the result's.
[[nodiscard]] Value one_launch_pays(const std::vector<const core::Binding*>& stages,
                                    std::vector<Value> space, bool is_fold, const HostCode& host);

}  // namespace hasten::kernels
