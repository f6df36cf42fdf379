// Kernels with stages: folds inside their scalar code (core::Reduce), of whose results later code
// of the same row makes use.
#pragma once

#include "kernels/kernel_builder.hpp"

#include <cstdint>
#include <vector>

namespace hasten::kernels {

/// Whether code of the region folds, at any depth.
[[nodiscard]] bool has_reductions(const Region& region);

/// What depends on the region's last parameter, by value: in a map, on the inner index.
[[nodiscard]] std::vector<bool> varies_inside_rows(const Kernel& kernel, const Region& region);

/// Whether it is a map of which a reduction is the same for a whole row: rows are not to be cut.
[[nodiscard]] bool has_row_reductions(const Kernel& kernel);

/// Moves what no step of a reduction changes, but for reads, before it.
void hoist_from_reductions(KernelBuilder& builder);

/// How long a row may be of which an element is one lane's to fold.
inline constexpr std::int64_t short_stage = 64;
/// Maps whose rows are folded first want so many rows, or rows of at most so many elements: there
/// is nothing else to share among threads and groups.
inline constexpr std::int64_t many_stage_rows = 64, long_stage_row = 16384;

/// The delayed folds that the consumer's kernel would have inside, producers first.
[[nodiscard]] std::vector<const core::Binding*> stages_of(const Environment& environment,
                                                          const core::Binding& consumer);

/// How host code is made.
struct HostCode {
  core::FunctionRef<Value(std::int64_t)> number;
  core::FunctionRef<Value(core::ScalarOp, Value, Value, ScalarType)> operation;
  core::FunctionRef<std::vector<Value>(core::ArrayId)> extents;
};

/// A host value, of extents alone: whether the consumer, a map or a fold, should have the stages
/// inside its kernel, or leave each to a launch of its own. `space`: the consumer's result's.
[[nodiscard]] Value one_launch_pays(const std::vector<const core::Binding*>& stages,
                                    std::vector<Value> space, bool is_fold, const HostCode& host);

}  // namespace hasten::kernels
