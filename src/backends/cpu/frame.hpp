// How generated code receives its arguments, and which functions it exports.
#pragma once

#include "kernels/kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hasten::backends::cpu {

/// One 64-bit word each, in this order: input addresses, output addresses, scalars, extents, the
/// address of a stop word, and a set of far inputs: bit i: input i does not fit the caches.
struct FrameLayout {
  explicit FrameLayout(const kernels::Kernel& k)
      : inputs(0),
        outputs(k.inputs.size()),
        scalars(outputs + k.outputs.size()),
        extents(scalars + k.scalars.size()),
        stop(extents + k.rank),
        far(stop + 1),
        words(far + 1) {}
  /// The layout for a kernel that has only the axes from this one on, in a frame that has all.
  [[nodiscard]] FrameLayout from_axis(std::size_t axis) const {
    FrameLayout result = *this;
    result.extents += axis;
    return result;
  }
  std::size_t inputs, outputs, scalars, extents, stop, far, words;
};

/// Bits of the last argument of `run`.
enum RunFlags : std::int64_t {
  run_plain = 0,
  run_stream = 1,    // map, scan, scatter: stores of whole lines go past the caches; map and scan:
                     // outputs, and of a scan their rows, begin on lines
  run_finish = 1,    // fold along lanes: call `finish` after each row
  run_parts = 1,     // fold with a range: a part of each row; lanes along the outer axis: of each
  run_totals = 2,    // scan along lanes: tiles are only folded
  run_in_place = 2,  // map: outputs are in the memory of inputs, so no element may come twice
  run_ahead = 4,     // lanes with rows or runs of their own, whose inputs come from memory; joined
                     // rows, from beyond the second cache
};
/// The flags from this bit on are the number of a loop.
inline constexpr std::int64_t run_loop = 8;

/// map: rows [row0, row1) of the outer axes, columns [x0, x1) of the inner one; across blocks: rows
/// of all axes but the last two, and all columns.
/// segments: elements [x0, x1), whatever segments they belong to; there is one row.
/// fold, lanes along the reduction: rows as above, tiles [x0, x1) of the folded axis, which is not
/// empty; the fold of tile t is stored to scratch[t * leaves ...], that of the r-th of several rows
/// folded together to scratch[(r * x1 + t) * leaves ...].
/// fold, lanes along the outer axis: rows of the axes outside the last two, columns [x0, x1) of
/// the last but one; the folded axis is not empty. With run_parts `scratch` is a ColumnPart.
/// The short_rows form of the former kind runs as the latter, the few_results form as a map.
/// fold with a range: rows as above, whole; the folded axis is not empty, but its segments may be;
/// x1 is their mean length.
/// With run_parts: of one row the x0-th of x1 equal parts, to scratch[x0 * leaves ...].
/// scan, lanes along the scanned axis: rows and tiles as for such folds. With run_totals tiles are
/// folded as there; else they are scanned in order, and scratch[(x0 - 1) * leaves ...] is carried
/// into tile x0 > 0. Lanes along the outer axis, and the short_rows form: as for folds.
/// scatter: as for maps. Not `unique`: only updates of targets in [scratch[0], scratch[1]); those
/// of elements that scalar code processes together go to copies of the outputs, scratch[2]
/// elements apart (launch/private_outputs.hpp). With several loops: the loop whose number is in the
/// flags from bit `run_loop` on, over its own space.
/// compact: elements [x0, x1). The outputs have room for that many and a vector more; kept elements
/// are stored to their beginning, and the number of them to scratch[0].
/// No range is empty.
/// When the stop word is set, loops in scalar code leave the function, whatever it has done so far.
using RunFunction = void (*)(const std::uint64_t* frame, std::int64_t row0, std::int64_t row1,
                             std::int64_t x0, std::int64_t x1, std::uint64_t* scratch,
                             std::int64_t flags);

/// fold: combines `count` tiles in order with the seed, applies the epilogue and stores result
/// `row` (over all outer axes). `count` 0 needs a seed. With a range they are equal parts of the
/// row, of which the last ones may be empty; with lanes along the outer axis, parts of its column.
/// scan: `count` is a tile; replaces its fold, in scratch[count * leaves ...], by the value carried
/// into the next tile, given the same for the tile before.
using FinishFunction = void (*)(const std::uint64_t* frame, std::int64_t row, std::int64_t count,
                                std::uint64_t* scratch);

/// The steps [begin, end) of all columns of a launch: the fold of each column, without the seed, as
/// one word per leaf i, zero-extended, at words[i * size + row * pitch + column]. Rows are padded
/// to whole vectors of columns.
struct ColumnPart {
  std::int64_t begin, end;
  std::uint64_t* words;
  std::int64_t pitch, size;
};

/// Whether `run` can fold a part of each column. Operators without identities that have a seed
/// would need to know, at each step, whether it is the first.
inline bool has_column_parts(const kernels::Kernel& kernel) {
  return kernel.skeleton == kernels::Skeleton::fold && kernel.lanes == kernels::FoldLanes::outer &&
         kernel.folded == 1 && !kernel.range && !kernel.interior && !kernel.in_order &&
         kernel.stored == 0 && (kernel.lane_operator.commutative || kernel.seed.empty());
}

/// Whether the kernel's module has a `finish`.
inline bool exports_finish(const kernels::Kernel& kernel) {
  const bool tiles = kernel.lanes == kernels::FoldLanes::reduction;
  if (kernel.skeleton == kernels::Skeleton::fold)
    return tiles || !kernel.seed.empty() || has_column_parts(kernel);
  return kernel.skeleton == kernels::Skeleton::scan && tiles;
}

inline constexpr const char* finish_symbol = "hasten_finish";

/// Rows with fewer elements, and fewer bytes of any array, are folded in order, each by a lane,
/// where there are at least short_rows_min along the last but one axis and the kernel allows it.
/// Results depend on these values too.
inline constexpr std::int64_t short_row_elements = 64, short_row_bytes = 128, short_rows_min = 8;

/// Folds whose operator needs no order have lanes along rows that are not short and have fewer
/// elements than the former, and join the registers of several rows (Schedule::lanes_joined); rows
/// of light elements are not short from the latter on. Results depend on these values too.
inline constexpr std::int64_t joined_row_elements = 256, light_joined_min = 16;

/// Fewer results along the last but one axis, of few elements each (Schedule::outside_depth), are
/// folded in order, by lanes across the axis before if that has at least outside_min.
inline constexpr std::int64_t few_results = 32, outside_min = 16;
/// Blocks of so few results along their last two axes, of which each array has no more elements,
/// are folded in order, too, by lanes across the axis before these.
inline constexpr std::int64_t block_results_max = 64, block_columns_max = 16;

/// Columns that are few and long are folded in parts of about this length. Affects results.
inline constexpr std::int64_t column_part_steps = 4096, column_parts_max = 64;
inline constexpr std::int64_t cut_columns_max = 1024;
/// The most columns that may be folded with lanes down the columns.
inline constexpr std::int64_t few_columns_max = 16;
/// The most columns that a scan down columns takes side by side.
inline constexpr std::int64_t strip_columns_max = 8192;

/// Elements of a tile. Affects results, and so never depends on the machine's threads.
inline constexpr std::int64_t tile_elements = 32768;

/// Tiles of a scan whose operator needs an order run side by side, one per lane: shorter ones for
/// rows that would otherwise have too few. Never a multiple of a power of two that would map the
/// lanes' addresses to one set of a cache. The emitters' scan_tile_size is the same.
inline constexpr std::int64_t ordered_tile_min = 48, ordered_tile_max = 1008;
inline constexpr std::int64_t ordered_row_step = 1024, ordered_tile_step = 32;
inline std::int64_t scan_tile_elements(bool has_order, std::int64_t depth) {
  if (!has_order) return tile_elements;
  return std::min(ordered_tile_max,
                  depth / ordered_row_step * ordered_tile_step + ordered_tile_min);
}

}  // namespace hasten::backends::cpu
