// Kernels as text in a dialect of C, for devices that are programmed in one: one generator, two
// dialects. See docs/gpu-targets.md.
#pragma once

#include "backends/c_like/index_width.hpp"
#include "kernels/kernel.hpp"

#include <string>

namespace hasten::backends::c_like {

enum class Dialect : std::uint8_t { cuda, opencl };

/// Work-items of a group: every kernel is launched with groups of this size.
inline constexpr std::int64_t group_size = 256;
/// Rows of at most so many elements are scanned by one work-item each.
inline constexpr std::int64_t short_row = 64;
/// Elements of a row that one group scans.
inline constexpr std::int64_t scan_items = 8;
inline constexpr std::int64_t scan_tile = group_size * scan_items;

/// The functions of a kernel's text, by skeleton. What they take is written where they are made.
namespace entry {
inline constexpr const char* map = "hasten_map";
inline constexpr const char* flat = "hasten_flat";    // map: one row; OpenCL: no short rows
inline constexpr const char* tiled = "hasten_tiled";  // map: neighbourhoods
inline constexpr const char* fold = "hasten_fold";
inline constexpr const char* row_folds = "hasten_row_folds";  // OpenCL's fold: a row per item
inline constexpr const char* joins = "hasten_joins";          // OpenCL's fold: of its parts
inline constexpr const char* long_segments = "hasten_long_segments";  // fold with a range
inline constexpr const char* contraction = "hasten_contraction";      // fold
inline constexpr const char* rows = "hasten_rows";                    // scan: a row per work-item
inline constexpr const char* parts = "hasten_parts";                  // scan: a tile per group
inline constexpr const char* carries = "hasten_carries";  // scan: what comes before each tile
inline constexpr const char* tiles = "hasten_tiles";      // scan: a tile per group
inline constexpr const char* clear = "hasten_clear";      // chained scan: its flags
inline constexpr const char* chained = "hasten_chained";  // scan: a tile per group, in turns
inline constexpr const char* scatter = "hasten_scatter";
inline constexpr const char* private_copies = "hasten_private";  // scatter: a copy per group
inline constexpr const char* finish = "hasten_finish";  // scatter: a target's updates per work-item
inline constexpr const char* long_runs = "hasten_long";  // scatter: and per group, if they are many
}  // namespace entry

/// Updates of a target that are one item's work; more are a group's.
inline constexpr std::int64_t long_run = 256;
/// Tiles that join to a block of a chained scan, and blocks that join to a stretch.
inline constexpr std::int64_t chained_width = 32;

/// Elements of a segment that an item folds; of more a group folds the segment, however few items
/// the others have.
inline constexpr std::int64_t long_segment = 256;

/// How a scatter's updates meet.
enum class Updates : std::uint8_t {
  unique,    // no two meet: plain stores
  atomic,    // one leaf, an operation of the table that is exact in any order: atomics
  in_order,  // anything else: sorted by target first, then a work-item per target
};
[[nodiscard]] Updates updates_of(const kernels::Kernel& kernel);

/// A kernel's functions are in two texts: those any launch may need, and those that few do.
enum class Part : std::uint8_t { main, contraction, tiled };

/// A text of a kernel: it includes nothing.
[[nodiscard]] std::string source_of(const kernels::Kernel& kernel, Dialect dialect,
                                    IndexWidth width, Part part = Part::main);

}  // namespace hasten::backends::c_like
