// The folded axis is processed in blocks. The columns of each block are packed once, by all
// threads; then each task packs some rows and folds their tiles.
#include "backends/cpu/launch/contraction.hpp"

#include "backends/cpu/launch/scratch.hpp"
#include "backends/cpu/launch/spaces.hpp"

#include <algorithm>
#include <new>

namespace hasten::backends::cpu {
namespace {

constexpr std::int64_t tasks_of_thread = 4;
constexpr std::int64_t steps_min = 64;  // of a block
// Shared values of columns that take less than this stay unpacked: a first cache holds them.
constexpr std::int64_t packed_bytes_min = 32 * 1024;
constexpr std::int64_t steps_few = 8;
// So few panels of columns use a row that it is not worth packing.
constexpr std::int64_t direct_panels = 2;
constexpr std::int64_t direct_rows_min = 3;
// The fewest rows and columns for panels that change the order of additions.
constexpr std::int64_t square_min = 32;

std::int64_t round_up(std::int64_t a, std::int64_t unit) { return divide_up(a, unit) * unit; }

void in_parallel(const ContractionLaunch& launch, int threads, std::int64_t tasks,
                 const std::function<void(std::int64_t)>& task) {
  if (threads > 1 && tasks > 1) return launch.in_parallel(tasks, task);
  for (std::int64_t i = 0; i < tasks; ++i) task(i);
}

/// One product of the outer axes that have neither rows nor columns.
class Product {
 public:
  /// `down`: the panels of all rows, if all products share them.
  Product(const ContractionLaunch& launch, std::int64_t number, int threads, std::byte* down)
      : launch_(launch),
        tile_(launch.tile),
        number_(number),
        threads_(threads),
        down_(down),
        rows_(launch.extents[static_cast<std::size_t>(tile_.row_axis)]),
        columns_(launch.extents[launch.extents.size() - 2]),
        steps_(launch.extents.back()),
        block_(block_of(launch)),
        panels_(divide_up(columns_, tile_.lanes)) {
    // The rows of a task stay there, too; but there are tasks for all threads.
    const std::int64_t fit = launch.cache_bytes / 2 / (block_ * tile_.down_bytes);
    const std::int64_t share = divide_up(rows_, tile_.rows * tasks_of_thread * threads_);
    rows_of_task_ = tile_.rows * std::clamp<std::int64_t>(share, 1, std::max<std::int64_t>(fit, 1));
  }

  // A panel of columns stays in the second cache while all rows of a task pass.
  static std::int64_t block_of(const ContractionLaunch& launch) {
    const std::int64_t fit = launch.cache_bytes / 4 / launch.tile.across_bytes;
    return std::min(launch.extents.back(), std::max(steps_min, fit));
  }

  void run() const {
    const Scratch<std::byte> across(panels_ * block_ * tile_.across_bytes);
    const std::int64_t kept = block_ < steps_ ? round_up(rows_, tile_.rows) * panels_ : 0;
    const Scratch<std::byte> sums(std::max<std::int64_t>(kept, 1) * tile_.lanes * tile_.sum_bytes);
    for (std::int64_t k = 0; k < steps_; k += block_) {
      ContractionPart part{};
      part.product = number_;
      part.k0 = k;
      part.k1 = std::min(steps_, k + block_);
      part.across = across.data();
      part.sums = sums.data();
      part.sums_kept = kept > 0 ? 1 : 0;
      part.sums_pitch = kept > 0 ? panels_ * tile_.lanes : tile_.lanes;
      part.sums_size = (kept > 0 ? kept : tile_.rows) * tile_.lanes;
      pack(part);
      multiply(part);
    }
  }

 private:
  void pack(const ContractionPart& all) const {
    const std::int64_t step = divide_up(panels_, tasks_of_thread * threads_);
    in_parallel(launch_, threads_, divide_up(panels_, step), [&](std::int64_t i) {
      ContractionPart part = all;
      part.column0 = i * step * tile_.lanes;
      part.column1 = std::min(columns_, (i + 1) * step * tile_.lanes);
      launch_.functions.pack_across(launch_.frame, &part);
    });
  }

  // Few rows are cut by columns, too; then rows are packed more than once.
  void multiply(const ContractionPart& all) const {
    const std::int64_t bands = divide_up(rows_, rows_of_task_);
    const std::int64_t wanted = divide_up(tasks_of_thread * threads_, bands);
    const std::int64_t step = bands >= 2 * threads_ ? panels_ : divide_up(panels_, wanted);
    in_parallel(launch_, threads_, bands * divide_up(panels_, step), [&](std::int64_t i) {
      ContractionPart part = all;
      part.row0 = i % bands * rows_of_task_;
      part.row1 = std::min(rows_, part.row0 + rows_of_task_);
      part.column0 = i / bands * step * tile_.lanes;
      part.column1 = std::min(columns_, part.column0 + step * tile_.lanes);
      const std::int64_t sums = tile_.rows * tile_.lanes * tile_.sum_bytes;
      const std::int64_t panels = down_ ? 0 : rows_of_task_ / tile_.rows;
      const Scratch<std::byte> own(sums + panels * block_ * tile_.down_bytes);
      part.down = own.data() + sums;
      if (part.sums_kept == 0) part.sums = own.data();
      if (down_)
        part.down = down_ + part.row0 / tile_.rows * steps_ * tile_.down_bytes;
      else
        launch_.functions.pack_down(launch_.frame, &part);
      launch_.functions.multiply(launch_.frame, &part);
    });
  }

  const ContractionLaunch& launch_;
  const kernels::PackedTile& tile_;
  std::int64_t number_;
  int threads_;
  std::byte* down_;
  std::int64_t rows_, columns_, steps_, block_, panels_, rows_of_task_ = 0;
};

std::int64_t rows_of(const ContractionLaunch& launch) {
  return launch.extents[static_cast<std::size_t>(launch.tile.row_axis)];
}

std::int64_t bytes_of_rows(const ContractionLaunch& launch) {
  return divide_up(rows_of(launch), launch.tile.rows) * launch.extents.back() *
         launch.tile.down_bytes;
}

// The panels of all rows, all steps in one block.
void pack_rows(const ContractionLaunch& launch, std::byte* down) {
  const kernels::PackedTile& tile = launch.tile;
  const std::int64_t panels = divide_up(rows_of(launch), tile.rows);
  in_parallel(launch, launch.threads, panels, [&](std::int64_t panel) {
    ContractionPart part{};
    part.row0 = panel * tile.rows;
    part.row1 = std::min(rows_of(launch), part.row0 + tile.rows);
    part.k1 = launch.extents.back();
    part.down = down + panel * part.k1 * tile.down_bytes;
    launch.functions.pack_down(launch.frame, &part);
  });
}

}  // namespace

bool contraction_pays(const kernels::PackedTile& tile, kernels::FoldLanes lanes,
                      std::size_t folded_axes, std::span<const std::int64_t> extents,
                      std::int64_t cache_bytes) {
  if (tile.rows == 0) return false;
  const std::size_t rank = extents.size();
  const std::int64_t rows = extents[static_cast<std::size_t>(tile.row_axis)];
  const std::int64_t columns = extents[rank - 2], steps = extents.back();
  if (steps < steps_few) return false;
  if (folded_axes > 1) return rows >= rows_few && columns >= tile.lanes / 2;
  if (lanes == kernels::FoldLanes::reduction) return rows >= square_min && columns >= square_min;
  const std::int64_t bytes = columns * steps * tile.across_bytes / tile.lanes;
  if (rows < rows_few || columns < tile.lanes / 2 || bytes < packed_bytes_min) return false;
  // Rows that nearly fill their tiles, and columns that take longer to read than to pack.
  const bool are_filled = 7 * rows >= 6 * round_up(rows, tile.rows) && 8 * bytes > cache_bytes;
  return rows >= tile.many_rows || bytes > cache_bytes || are_filled;
}

bool direct_tiles_pay(const kernels::PackedTile& tile, kernels::FoldLanes lanes,
                      std::size_t folded_axes, std::span<const std::int64_t> extents,
                      std::int64_t cache_bytes) {
  const std::int64_t rows = extents[static_cast<std::size_t>(tile.row_axis)];
  const std::int64_t columns = extents[extents.size() - 2], steps = extents.back();
  if (!tile.has_light_sides || columns < tile.lanes / 2 || steps < steps_few) return false;
  if (contraction_pays(tile, lanes, folded_axes, extents, cache_bytes))
    return columns <= direct_panels * tile.lanes;
  const std::int64_t bytes = columns * steps * tile.across_bytes / tile.lanes;
  // Of columns in memory the few that a tile has are read more slowly than those of all lanes.
  return lanes == kernels::FoldLanes::outer && rows >= direct_rows_min && rows < rows_few &&
         bytes > cache_bytes && bytes <= 4 * cache_bytes;
}

namespace {

std::int64_t products_of(const ContractionLaunch& launch) {
  std::int64_t products = 1;
  for (std::size_t axis = 0; axis + 2 < launch.extents.size(); ++axis)
    if (axis != static_cast<std::size_t>(launch.tile.row_axis)) products *= launch.extents[axis];
  return products;
}

// Tasks have some rows of few columns, or all of few rows.
void run_direct(const ContractionLaunch& launch) {
  const RunFunction run = launch.forms.of(Form::direct_tiles);
  const std::int64_t rows = rows_of(launch), columns = launch.extents[launch.extents.size() - 2];
  const std::int64_t share = tasks_of_thread * launch.threads;
  const std::int64_t row_step = round_up(divide_up(rows, share), direct_rows);
  const std::int64_t column_step =
      rows < rows_few ? round_up(divide_up(columns, share), launch.tile.lanes) : columns;
  const std::int64_t bands = divide_up(rows, row_step), strips = divide_up(columns, column_step);
  in_parallel(launch, launch.threads, products_of(launch) * bands * strips, [&](std::int64_t i) {
    ContractionPart part{};
    part.product = i / (bands * strips);
    part.row0 = i / strips % bands * row_step;
    part.row1 = std::min(rows, part.row0 + row_step);
    part.column0 = i % strips * column_step;
    part.column1 = std::min(columns, part.column0 + column_step);
    part.k1 = launch.extents.back();
    run(launch.frame, 0, 0, 0, 0, reinterpret_cast<std::uint64_t*>(&part), run_plain);
  });
}

void run_by_panels(const ContractionLaunch& launch) {
  const std::int64_t products = products_of(launch);
  const bool shares =
      launch.tile.same_rows && products > 1 && Product::block_of(launch) == launch.extents.back();
  const Scratch<std::byte> shared(shares ? bytes_of_rows(launch) : 1);
  std::byte* const down = shares ? shared.data() : nullptr;
  if (shares) pack_rows(launch, down);
  if (products >= 2 * launch.threads)
    return launch.in_parallel(products, [&](std::int64_t i) { Product(launch, i, 1, down).run(); });
  for (std::int64_t i = 0; i < products; ++i) Product(launch, i, launch.threads, down).run();
}

}  // namespace

bool run_contraction(const ContractionLaunch& launch) {
  const auto pays = [&](const auto& by) {
    return by(launch.tile, launch.lanes, launch.folded_axes, launch.extents, launch.cache_bytes);
  };
  if (pays(direct_tiles_pay))
    run_direct(launch);
  else if (pays(contraction_pays))
    run_by_panels(launch);
  else
    return false;
  return true;
}

}  // namespace hasten::backends::cpu
