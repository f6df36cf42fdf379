// The functions a kernel's module exports; see frame.hpp.
#pragma once

#include "backends/cpu/emit/code.hpp"
#include "backends/cpu/forms.hpp"
#include "backends/cpu/schedule/schedule.hpp"
#include "kernels/analysis/indices/flat_rows.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace hasten::backends::cpu {

/// A map in these forms.
void emit_map(const KernelModule& module, const kernels::Schedule& schedule, const Forms& forms);
/// Elements of segments, along each segment.
void emit_segment_elements(const KernelModule& module, const kernels::Schedule& schedule);
/// Emits a function of type RunFunction that runs this element function everywhere.
using PartEmitter = llvm::function_ref<llvm::Function*(
    const char* name, const kernels::Region& element, unsigned lanes)>;
/// The body of a RunFunction of a kernel with an interior: whole rows and parts of columns outside
/// the interior use the general element, and a few columns use scalar code.
void emit_borders(const KernelModule& module, llvm::Function* function, unsigned lanes,
                  PartEmitter part);
/// The body of a RunFunction for rows, or blocks, of the axes from `outer` on, which have no
/// borders of their own. If these axes are inside as a whole, the borders of the lines along the
/// last axis outside are separate, unless the lines are short; else either everything is inside, or
/// everything is tested and corrected. `flat`: what may run the rows of a line that are inside as
/// the columns of one row, the first of the line, as flat_lines says; or null.
void call_inside(const KernelModule& module, llvm::Function* function, std::size_t outer,
                 llvm::Function* inside, llvm::Function* anywhere, llvm::Function* flat = nullptr);
/// The extents that rows must have, if those inside may be one row; else empty.
std::vector<kernels::RowExtent> flat_lines(const kernels::Kernel& kernel);
/// What call_inside takes as `flat`, for a map with an interior.
llvm::Function* rows_of_line(const KernelModule& module, unsigned lanes);
/// A map's function for columns of one row of the kernel's axes, with this element function.
llvm::Function* emit_columns(const KernelModule& module, const char* name,
                             const kernels::Region& element, unsigned lanes);
/// A map along short rows: Form::short_rows.
void emit_short_rows(const KernelModule& module, const kernels::Schedule& schedule);
void emit_fold(const KernelModule& module, const kernels::Schedule& schedule, const Forms& forms);
/// The three functions of a contraction.
void emit_contraction(const KernelModule& module, const kernels::PackedTile& tile);
/// Its tiles without panels: Form::direct_tiles.
void emit_direct_tiles(const KernelModule& module, const kernels::PackedTile& tile);
/// A fold with lanes along the last but one axis. With parts, the function also folds a part of the
/// columns' steps if the launch says so (run_parts).
void emit_fold_across(const KernelModule& module, llvm::Function* function, unsigned lanes,
                      bool has_parts);
/// The same for fewer columns than `schedule.lanes`: each time half as many lanes, down to
/// `lanes_along`, and a mask for what is left then.
void emit_narrow_columns(const KernelModule& module, llvm::Function* function,
                         const kernels::Schedule& schedule);
/// A fold with lanes along the last axis, for short rows of the axis before: Form::joined_rows.
void emit_joined_rows(const KernelModule& module, llvm::Function* function, unsigned lanes);
/// A fold of several axes, or with an interior.
void emit_fold_axes(const KernelModule& module, const kernels::Schedule& schedule,
                    llvm::Function* finish);
/// A fold with a range.
void emit_segments(const KernelModule& module, const kernels::Schedule& schedule);
/// The `finish` of a fold.
llvm::Function* emit_fold_finish(const KernelModule& module);
void emit_scan(const KernelModule& module, const kernels::Schedule& schedule, const Forms& forms);
void emit_scatter(const KernelModule& module, const kernels::Schedule& schedule,
                  const Forms& forms);
/// One of a scatter's loops, emitted as for a kernel that has this loop alone.
void emit_scatter_loop(const KernelModule& module, llvm::Function* function, unsigned lanes);
/// A scatter of several loops.
void emit_loops(const KernelModule& module, const kernels::Schedule& schedule);
void emit_compact(const KernelModule& module, const kernels::Schedule& schedule);

/// An exported function without a body that returns nothing; its first argument is only read.
llvm::Function* declare_function(const KernelModule& module, const char* name,
                                 llvm::ArrayRef<llvm::Type*> params);
/// An exported function of type RunFunction or FinishFunction, without a body.
llvm::Function* declare_run(const KernelModule& module, Form form = Form::usual);
/// The same for use inside the module.
llvm::Function* declare_part(const KernelModule& module, const char* name);
/// Ends a RunFunction with a call of another one, possibly chosen at run time, with the same
/// arguments.
void go_on_in(llvm::IRBuilder<>& b, llvm::Function* run, llvm::Value* chosen);
/// Parts of few columns of a fold with lanes across.
void emit_few_columns(const KernelModule& module, llvm::Function* function, unsigned lanes);
/// A fold of two to four results along the last but one axis, each from as many elements: lanes
/// across the axis before, with the results in registers.
void emit_known_results(const KernelModule& module, const kernels::Schedule& schedule, Form form);
/// A fold with lanes across the last but two axes, of few results along the last but one.
void emit_few_results(const KernelModule& module, llvm::Function* function, unsigned lanes);
void emit_blocks_of_results(const KernelModule& module, llvm::Function* function,
                            const kernels::Schedule& schedule);
llvm::Function* declare_finish(const KernelModule& module);

}  // namespace hasten::backends::cpu
