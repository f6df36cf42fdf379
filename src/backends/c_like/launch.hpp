// Launches of kernels: which of their functions run, over how many groups, with what scratch
// memory.
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/c_like/skeletons.hpp"
#include "backends/c_like/tiled_map.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace hasten::backends::c_like {

/// Along which axis neighbouring items of a fold should run, by the strides of the reads.
enum class FoldLanes : std::uint8_t { along, across, any };
[[nodiscard]] FoldLanes fold_lanes(const kernels::Kernel& kernel);

/// How a fold is cut. It follows from the extents alone, and so does the result's last bit.
struct FoldShape {
  std::int32_t shift = 0;              // 2^shift items of a group fold a row, or a part of it
  bool across = false;                 // neighbouring items have neighbouring rows
  std::int64_t parts = 1, length = 0;  // of a row, and elements of a part
};
/// `is_shared`: whether items can join what they have in local memory.
[[nodiscard]] FoldShape fold_shape(FoldLanes lanes, bool is_shared, std::int64_t rows,
                                   std::int64_t size);
/// How the parts' values are joined: in one part.
[[nodiscard]] FoldShape join_shape(const FoldShape& shape, std::int64_t rows);

/// A kernel and its programs on a device: the narrow main one, and others once a launch needs them.
class LoadedKernel final : public Code {
 public:
  using Make = std::function<std::shared_ptr<Program>(IndexWidth, Part)>;

  LoadedKernel(const kernels::Kernel& kernel, std::shared_ptr<Program> program, Make make)
      : kernel_(kernel),
        widths_(index_widths(kernel, IndexWidth::narrow)),
        fold_lanes_(c_like::fold_lanes(kernel)),
        tile_(contraction_tile(kernel)),
        tiled_(tiled_map(kernel)),
        program_(std::move(program)),
        make_(std::move(make)) {}
  [[nodiscard]] const kernels::Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const IndexWidths& widths() const { return widths_; }
  [[nodiscard]] FoldLanes fold_lanes() const { return fold_lanes_; }
  [[nodiscard]] ContractionTile tile() const { return tile_; }
  /// Null if the kernel has none.
  [[nodiscard]] const TiledMap* tiled() const { return tiled_ ? &*tiled_ : nullptr; }
  [[nodiscard]] Program& program(IndexWidth width, Part part) const {
    if (width == IndexWidth::narrow && part == Part::main) return *program_;
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Program>& other = others_[{width, part}];
    if (!other) other = make_(width, part);
    return *other;
  }

 private:
  kernels::Kernel kernel_;
  IndexWidths widths_;
  FoldLanes fold_lanes_;
  ContractionTile tile_;
  std::optional<TiledMap> tiled_;
  std::shared_ptr<Program> program_;
  Make make_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<IndexWidth, Part>, std::shared_ptr<Program>> others_;
};

/// Groups of a function in which a group has one of `tasks` (TASK in its text). In CUDA they go
/// round, in OpenCL there is a group for each: PoCL's compiler copies loops with barriers.
[[nodiscard]] std::int64_t groups_for_tasks(const Driver& driver, Program& program,
                                            const char* function, std::int64_t tasks);
/// Groups of a function in which an item is one of `count` (EACH in its text; text_map.cpp says why
/// it has no loop in OpenCL).
[[nodiscard]] std::int64_t groups_for_each(const Driver& driver, Program& program,
                                           const char* function, std::int64_t count);

class Sorter;

/// Enqueues what a launch needs; returns before it has run. Up to `limit` elements indices have 32
/// bits.
void launch(Driver& driver, Sorter& sorter, const LoadedKernel& code,
            const LaunchArguments& arguments, std::int64_t limit);

}  // namespace hasten::backends::c_like
