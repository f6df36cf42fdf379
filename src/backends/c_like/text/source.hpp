// Kernels as text in a dialect of C, for devices that are programmed in text: one generator, two
// dialects. See docs/gpu-targets.md.
#pragma once

#include "backends/c_like/text/dialect.hpp"
#include "kernels/analysis/indices/index_width.hpp"
#include "kernels/kernel.hpp"
#include "kernels/schedule.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hasten::backends::c_like {

using kernels::index_widths;
using kernels::IndexWidth;
using kernels::IndexWidths;
using kernels::keeps_low_bits;
using kernels::may_be_narrow;
using kernels::narrow_limit;
using kernels::needs_values;
using kernels::Range;

/// Work-items per group: every kernel is launched with groups of this size.
inline constexpr std::int64_t group_size = 256;
/// Rows of at most this many elements are scanned by one work-item each.
inline constexpr std::int64_t short_row = 64;
/// Rounds of an item's loops between two polls of the stop word.
inline constexpr std::int64_t rounds_between_polls = 4096;
/// Neighbours that an item of a scan or a compaction has, and the elements of a tile, which a group
/// has. Scans may have more: `scan_items`.
inline constexpr std::int64_t scan_run = 8, scan_run_max = 32;
inline constexpr std::int64_t scan_tile = group_size * scan_run;

/// The functions of a kernel's text, by skeleton. The code that emits them lists their parameters.
namespace entry {
inline constexpr const char* map = "hasten_map";
inline constexpr const char* flat = "hasten_flat";        // map: one row; OpenCL: no short rows
inline constexpr const char* tiled = "hasten_tiled";      // map: neighbourhoods
inline constexpr const char* row_map = "hasten_row_map";  // map: with row folds, all of it
inline constexpr const char* segments = "hasten_segments";
inline constexpr const char* fold = "hasten_fold";
inline constexpr const char* row_folds = "hasten_row_folds";  // OpenCL's fold: a row per item
inline constexpr const char* joins = "hasten_joins";          // OpenCL's fold: of its parts
inline constexpr const char* long_segments = "hasten_long_segments";  // fold with a range
inline constexpr const char* contraction = "hasten_contraction";      // fold
inline constexpr const char* rows = "hasten_rows";                    // scan: a row per work-item
inline constexpr const char* parts = "hasten_parts";                  // scan: a tile per group
inline constexpr const char* carries = "hasten_carries";  // scan: what comes before each tile
inline constexpr const char* tiles = "hasten_tiles";      // scan: a tile per group
inline constexpr const char* chained = "hasten_chained";  // scan: a tile per group, in turns
inline constexpr const char* scatter = "hasten_scatter";
inline constexpr const char* private_copies = "hasten_private";  // scatter: a copy per group
inline constexpr const char* finish = "hasten_finish";  // scatter: a target's updates per work-item
inline constexpr const char* long_runs = "hasten_long";  // scatter: and per group, if they are many
inline constexpr const char* counts = "hasten_counts";   // compact: of what tiles keep
inline constexpr const char* offsets = "hasten_offsets";  // compact: where tiles' parts begin
inline constexpr const char* kept = "hasten_kept";        // compact: the elements
}  // namespace entry

/// The most updates of a target that one item makes; more are a group's work.
inline constexpr std::int64_t long_run = 256;
/// The tiles that form a block of a chained scan, and the blocks that form a stretch.
inline constexpr std::int64_t chained_width = 32;

/// The most elements of a segment that an item folds; a group folds longer segments, however few
/// items the others have.
inline constexpr std::int64_t long_segment = 256;

/// How the updates of a scatter meet.
enum class Updates : std::uint8_t {
  unique,    // no two meet: plain stores
  atomic,    // operations of the table whose order does not show, or may: atomics
  in_order,  // anything else: sorted by target first, then a work-item per target
};
[[nodiscard]] Updates updates_of(const kernels::Kernel& kernel);

/// A kernel's functions are compiled in modules, each named after a function of it. In CUDA every
/// function is a module, compiled when a launch needs it. In OpenCL, whose compilers generate code
/// for a function at its first launch, `main_module` has all functions except `contraction` and
/// `tiled`.
inline constexpr const char* main_module = "main";
[[nodiscard]] std::string_view module_of(const Dialect& dialect, std::string_view function);
/// All modules of the kernel. The first is most likely needed by launches over large arrays.
[[nodiscard]] std::vector<std::string_view> modules_of(const kernels::Kernel& kernel,
                                                       const kernels::Schedule& schedule,
                                                       const Dialect& dialect);

/// The text of a module of the kernel: it includes nothing. CUDA too has a text of `main_module`,
/// to be read. `polls`: long loops, if any, test a stop word, a parameter after the extents.
[[nodiscard]] std::string source_of(const kernels::Kernel& kernel,
                                    const kernels::Schedule& schedule, const Dialect& dialect,
                                    IndexWidth width, std::string_view module = main_module,
                                    bool polls = false);
/// The foreign functions in text that the kernel calls, for reports; empty: none.
[[nodiscard]] std::string foreign_names(const kernels::Kernel& kernel);
/// Functions shared by all kernels: they fill memory with words of this many bytes. Arguments: the
/// memory, the number of words, the words at even and at odd places.
[[nodiscard]] const char* fill_function(std::size_t word_bytes);
[[nodiscard]] std::string fill_source(const Dialect& dialect);

}  // namespace hasten::backends::c_like
