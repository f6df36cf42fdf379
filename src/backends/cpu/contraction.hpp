// Contractions on the CPU: a tile of results is folded in registers, from panels that hold the
// shared values of the tile's rows and columns step by step. After Goto and van de Geijn, "Anatomy
// of high-performance matrix multiplication", 2008. Each result is folded in order, as it is
// without panels where lanes run across.
#pragma once

#include "backends/cpu/machine/machine.hpp"
#include "kernels/kernel.hpp"
#include "kernels/schedule.hpp"

#include <cstdint>

namespace hasten::backends::cpu {

/// Panels never pay for fewer rows of results: half a tile would be computed for nothing.
inline constexpr std::int64_t rows_few = 8;
/// Rows of a tile that is folded without panels.
inline constexpr std::int64_t direct_rows = 8;

/// None where panels do not apply.
[[nodiscard]] kernels::PackedTile contraction_tile(const kernels::Kernel& kernel,
                                                   const Machine& machine);

/// Results [row0, row1) x [column0, column1) of a product, steps [k0, k1) of the folded axes, in
/// row-major order. Rows are along the tile's row_axis, columns along the last outer axis;
/// `product` numbers the index of the other outer axes, in row-major order.
struct ContractionPart {
  std::int64_t product, row0, row1, column0, column1, k0, k1;
  /// Panels of all columns, and of the rows from row0 on, with `rows` rows each. `down` and
  /// `across` hold steps [k0, k1).
  std::byte *down, *across;
  /// Leaf after leaf, `sums_size` elements each: of all results, `sums_pitch` per row; or, if
  /// `sums_kept` is 0, of one tile.
  std::byte* sums;
  std::int64_t sums_kept, sums_pitch, sums_size;
};

/// pack_across fills the panels of the columns, which begin at a multiple of `lanes`; pack_down
/// those of the rows. multiply continues folding `sums` (it starts them if k0 is 0), and stores
/// results when k1 is the number of steps. column0 is a multiple of `lanes`, and so is column1, or
/// it is the extent.
using ContractionFunction = void (*)(const std::uint64_t* frame, const ContractionPart* part);

inline constexpr const char* pack_down_symbol = "hasten_pack_down";
inline constexpr const char* pack_across_symbol = "hasten_pack_across";
inline constexpr const char* multiply_symbol = "hasten_multiply";

}  // namespace hasten::backends::cpu
