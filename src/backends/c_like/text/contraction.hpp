// How a group folds a rectangle of a contraction's results: a smaller rectangle per item, and
// chunks of the values that rows and columns share in local memory.
#pragma once

#include "backends/c_like/text/skeletons/skeletons.hpp"
#include "kernels/analysis/contraction.hpp"
#include "kernels/schedule.hpp"

namespace hasten::backends::c_like {

/// Two chunks of each shared value are in local memory: one is folded while the next is loaded.
inline constexpr std::int64_t contraction_local_bytes = 24576;
/// Padding after every row of a chunk in local memory, so that a column is spread over banks.
inline constexpr std::int64_t contraction_gap = 4;

/// `high` is 0 if the kernel is no contraction, or its leaves are too large.
[[nodiscard]] kernels::GroupTile contraction_tile(const Kernel& kernel);

/// Steps per chunk, if the group folds such a rectangle; 0 where chunks do not fit.
[[nodiscard]] std::int64_t shared_steps(const Kernel& kernel,
                                        const kernels::Contraction& contraction,
                                        const kernels::GroupTile& tile);

}  // namespace hasten::backends::c_like
