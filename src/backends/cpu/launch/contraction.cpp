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
// The fewest rows and columns for panels that change the order of additions.
constexpr std::int64_t square_min = 32;

std::int64_t round_up(std::int64_t a, std::int64_t unit) { return divide_up(a, unit) * unit; }

/// One product of the axes before the last three.
class Product {
 public:
  Product(const ContractionLaunch& launch, std::int64_t number, int threads)
      : launch_(launch),
        tile_(launch.tile),
        number_(number),
        threads_(threads),
        rows_(launch.extents[launch.extents.size() - 3]),
        columns_(launch.extents[launch.extents.size() - 2]),
        steps_(launch.extents.back()),
        // A panel of columns stays in the second cache while all rows of a task pass.
        block_(std::min(steps_, std::max(steps_min, launch.cache_bytes / 4 / tile_.across_bytes))),
        panels_(divide_up(columns_, tile_.lanes)) {
    // The rows of a task stay there, too; but there are tasks for all threads.
    const std::int64_t fit = launch.cache_bytes / 2 / (block_ * tile_.down_bytes);
    const std::int64_t share = divide_up(rows_, tile_.rows * tasks_of_thread * threads_);
    rows_of_task_ = tile_.rows * std::clamp<std::int64_t>(share, 1, std::max<std::int64_t>(fit, 1));
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
  void in_parallel(std::int64_t tasks, const std::function<void(std::int64_t)>& task) const {
    if (threads_ > 1 && tasks > 1) return launch_.in_parallel(tasks, task);
    for (std::int64_t i = 0; i < tasks; ++i) task(i);
  }

  void pack(const ContractionPart& all) const {
    const std::int64_t step = divide_up(panels_, tasks_of_thread * threads_);
    in_parallel(divide_up(panels_, step), [&](std::int64_t i) {
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
    in_parallel(bands * divide_up(panels_, step), [&](std::int64_t i) {
      ContractionPart part = all;
      part.row0 = i % bands * rows_of_task_;
      part.row1 = std::min(rows_, part.row0 + rows_of_task_);
      part.column0 = i / bands * step * tile_.lanes;
      part.column1 = std::min(columns_, part.column0 + step * tile_.lanes);
      const Scratch<std::byte> down(rows_of_task_ / tile_.rows * block_ * tile_.down_bytes +
                                    tile_.rows * tile_.lanes * tile_.sum_bytes);
      part.down = down.data() + tile_.rows * tile_.lanes * tile_.sum_bytes;
      if (part.sums_kept == 0) part.sums = down.data();
      launch_.functions.pack_down(launch_.frame, &part);
      launch_.functions.multiply(launch_.frame, &part);
    });
  }

  const ContractionLaunch& launch_;
  const kernels::PackedTile& tile_;
  std::int64_t number_;
  int threads_;
  std::int64_t rows_, columns_, steps_, block_, panels_, rows_of_task_ = 0;
};

}  // namespace

bool contraction_pays(const kernels::PackedTile& tile, kernels::FoldLanes lanes,
                      std::span<const std::int64_t> extents) {
  if (tile.rows == 0) return false;
  const std::size_t rank = extents.size();
  const std::int64_t rows = extents[rank - 3], columns = extents[rank - 2], steps = extents.back();
  if (steps < steps_few) return false;
  if (lanes == kernels::FoldLanes::reduction) return rows >= square_min && columns >= square_min;
  return rows >= 2 * tile.rows && columns >= tile.lanes / 2 &&
         columns * steps * tile.across_bytes / tile.lanes >= packed_bytes_min;
}

void run_contraction(const ContractionLaunch& launch) {
  std::int64_t products = 1;
  for (const std::int64_t extent : launch.extents.first(launch.extents.size() - 3))
    products *= extent;
  if (products >= 2 * launch.threads)
    return launch.in_parallel(products, [&](std::int64_t i) { Product(launch, i, 1).run(); });
  for (std::int64_t i = 0; i < products; ++i) Product(launch, i, launch.threads).run();
}

}  // namespace hasten::backends::cpu
