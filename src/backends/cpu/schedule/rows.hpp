// Lanes that have rows, or runs of a row, of their own: how folds and scans use them.
#pragma once

#include "backends/cpu/schedule/schedule.hpp"

#include <cstddef>
#include <set>

namespace hasten::backends::cpu {

/// Whether lanes run across the rows of a fold or scan.
[[nodiscard]] bool has_lanes_across(const kernels::Kernel& kernel);
/// If they do: reads that need no gathers (emit/rows/private_rows.hpp).
[[nodiscard]] std::set<const core::LoadLinear*> reads_of_rows(const kernels::Kernel& kernel,
                                                              const HoistingLevels& places);

// For kernels with lanes along their rows; `along`: the places of their code.

/// How many rows a fold of rank 2 goes through together: they read shared elements once, and hide
/// each other's latencies. `registers`: of one value of one row.
[[nodiscard]] unsigned rows_of_group(const kernels::Kernel& kernel, const HoistingLevels& along,
                                     unsigned registers, const Machine& machine);
/// What a fold or scan does with short rows. A scan whose operator needs an order goes element by
/// element along its rows: rows that would be one tile of any other scan count as short.
void choose_for_short_rows(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                           const HoistingLevels& along, const Machine& machine);
/// What a fold does with rows of a few registers; `widest`: as below.
void choose_for_joined_rows(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                            std::size_t widest, const Machine& machine);
/// The schedule of a kernel that goes in order; `widest`: bytes of the widest value that is
/// computed or moved.
void choose_in_order(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                     const HoistingLevels& along, std::size_t widest, const Machine& machine);
/// If a fold's results are few along the last but one axis.
void choose_for_few_results(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                            std::size_t widest, const Machine& machine);
/// If a fold's columns are few, and so long that they are cut into parts.
void choose_for_few_columns(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                            std::size_t widest, const Machine& machine);
/// For columns that fill no whole vector of a fold with lanes across, if it has several registers.
void choose_for_narrow_columns(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                               unsigned register_lanes);
/// For a map's forms that know a number.
void choose_for_known_numbers(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                              unsigned register_lanes);
/// For a fold of segments. Most segments are short: half of the lanes of many registers would be
/// idle. A few lanes are worth a register unless each gathers. Where masks have registers of their
/// own, the least number of lanes suffices: a partial vector costs less there than a mispredicted
/// kind of segment.
void choose_for_segments(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                         const HoistingLevels& places, const Machine& machine,
                         unsigned register_lanes);

}  // namespace hasten::backends::cpu
