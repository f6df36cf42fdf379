// Launches kernels: which of their functions run, over how many groups, with what scratch memory.
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/c_like/launch/cached_program.hpp"
#include "backends/c_like/launch/loaded_kernel.hpp"
#include "backends/c_like/launch/sort/sort.hpp"
#include "backends/late_inputs.hpp"

namespace hasten::backends::c_like {

/// How a fold is cut. Dialect and extents alone determine it, and so the last bit of the result.
struct FoldShape {
  std::int32_t shift = 0;              // 2^shift items of a group fold a row, or a part of it
  bool across = false;                 // neighbouring items have neighbouring rows
  std::int64_t parts = 1, length = 0;  // of a row, and elements per part
};
/// `is_shared`: whether items can join their values in local memory.
[[nodiscard]] FoldShape fold_shape(kernels::ItemAxis items, bool is_shared, std::int64_t rows,
                                   std::int64_t size, const Dialect& dialect = Dialect::cuda);
/// How the values of the parts are joined: in one part.
[[nodiscard]] FoldShape join_shape(const FoldShape& shape, std::int64_t rows);

/// The groups of a function in which each group takes one of `tasks` (TASK in its text). CUDA's
/// groups loop over tasks, in OpenCL each task has a group: PoCL copies loops with barriers.
[[nodiscard]] std::int64_t groups_for_tasks(const Driver& driver, Program& program,
                                            const char* function, std::int64_t tasks);
/// The groups of a function in which each item takes one of `count` (EACH in its text; text_map.cpp
/// says why it has no loop in OpenCL).
[[nodiscard]] std::int64_t groups_for_each(const Driver& driver, Program& program,
                                           const char* function, std::int64_t count);

inline constexpr const char* fill_program = "fill";

/// The programs that the kernels of a device share.
struct CommonPrograms {
  explicit CommonPrograms(Driver& driver)
      : sorter(driver),
        fill(driver, fill_program, fill_source) {}

  Sorter sorter;
  CommonProgram fill;
};

/// Enqueues the commands of a launch; returns before they have run. Up to `limit` elements indices
/// have 32 bits. `late` provides the inputs whose address is null; null: all inputs have one.
void launch(Driver& driver, CommonPrograms& common, const LoadedKernel& code,
            const LaunchArguments& arguments, std::int64_t limit, LateInputs* late = nullptr);

}  // namespace hasten::backends::c_like
