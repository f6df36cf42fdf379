// A tile has as many rows as registers can hold results for, next to the columns of one step.
#include "backends/cpu/contraction.hpp"

#include "backends/cpu/ops/ops.hpp"
#include "kernels/analysis/contraction.hpp"

#include <algorithm>

namespace hasten::backends::cpu {
namespace {

using kernels::Kernel;
using kernels::Value;

constexpr std::int64_t rows_min = 4, rows_max = 14;
constexpr std::size_t light_statements_max = 16;

bool divides(const core::Region& region) {
  return std::ranges::any_of(region.body, [](const core::Stmt& stmt) {
    const auto* prim = std::get_if<core::Prim>(&stmt.op);
    return prim && prim->op >= core::ScalarOp::quot && prim->op <= core::ScalarOp::mod;
  });
}

// Numbers whose form in memory equals that in registers.
bool is_plain(core::ScalarType type) { return !detail::is_bool(type) && !is_small_float(type); }

std::int64_t bytes_of(const Kernel& kernel, const std::vector<Value>& values) {
  std::int64_t sum = 0;
  for (const Value v : values)
    sum += static_cast<std::int64_t>(detail::size_in_bytes(kernel.value_types[v]));
  return sum;
}

}  // namespace

kernels::PackedTile contraction_tile(const Kernel& kernel, const Machine& machine) {
  // Otherwise the first step would need code of its own.
  if (kernel.seed.empty() && !kernel.lane_operator.commutative) return {};
  const auto contraction = kernels::find_any_contraction(kernel);
  if (!contraction || divides(contraction->rest) || divides(kernel.combine)) return {};
  const std::vector<Value>&down = contraction->down.shared.results,
        &across = contraction->across.shared.results, &leaves = kernel.combine.results;
  if (down.empty() || across.empty()) return {};
  std::size_t widest = 1;
  for (const auto* values : {&down, &across, &leaves})
    for (const Value v : *values) {
      if (!is_plain(kernel.value_types[v])) return {};
      widest = std::max(widest, detail::size_in_bytes(kernel.value_types[v]));
    }
  const std::int64_t registers = machine.bits == 512 ? 32 : 16;
  const std::int64_t register_bytes = machine.bits / 8;
  kernels::PackedTile tile;
  tile.sum_bytes = bytes_of(kernel, leaves);
  tile.row_axis = contraction->row_axis;
  tile.same_rows = contraction->down.is_fixed;
  for (const unsigned vectors : {2U, 1U}) {
    tile.lanes = vectors * machine.lanes(widest);
    const auto held = [&](std::int64_t bytes) {
      return (bytes * tile.lanes + register_bytes - 1) / register_bytes;
    };
    // One register for a number of a row, one for a product before it is added.
    const std::int64_t free = registers - held(bytes_of(kernel, across)) - 2;
    tile.rows = std::min(free / std::max<std::int64_t>(held(tile.sum_bytes), 1), rows_max);
    if (tile.rows >= rows_min) break;
  }
  if (tile.rows < rows_min) return {};
  tile.rows -= tile.rows % 2;
  const auto is_light = [](const core::Region& shared) {
    return shared.body.size() <= light_statements_max &&
           std::ranges::none_of(shared.body, [](const core::Stmt& stmt) {
             return std::holds_alternative<core::If>(stmt.op);
           });
  };
  tile.has_light_sides = is_light(contraction->down.shared) &&
                         is_light(contraction->across.shared) && !contraction->across.along_fold;
  // Lanes across compute at each step what panels share.
  tile.many_rows = kernel.element.body.size() > light_statements_max ? rows_few : 2 * tile.rows;
  tile.down_bytes = tile.rows * bytes_of(kernel, down);
  tile.across_bytes = tile.lanes * bytes_of(kernel, across);
  return tile;
}

}  // namespace hasten::backends::cpu
