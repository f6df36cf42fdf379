// Rows one after the other, by vectors along them, and vectors of rows.
#include "backends/cpu/emit/rows/short_rows.hpp"

#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"
#include "backends/cpu/emit/skeletons.hpp"
#include "backends/cpu/schedule/schedule.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <vector>

namespace hasten::backends::cpu {

using V = llvm::Value*;

namespace {

/// The part of a row that is no whole vector has a mask that is the same in all rows.
class AlongRows {
 public:
  AlongRows(const KernelModule& module, llvm::Function* function, const kernels::Region& element,
            unsigned lanes)
      : function_(function),
        element_(element),
        code_(module, function, lanes) {}

  void run() {
    auto& b = code_.b;
    const std::size_t outer = code_.kernel().rank - std::size_t{1};
    code_.hoisting.add(element_, element_places(code_.kernel(), code_.lanes() > 1));
    OpenLevel entry(code_, 0);
    V first = function_->getArg(3), end = function_->getArg(4);
    V whole = b.CreateAnd(b.CreateSub(end, first), code_.i64(-std::int64_t{code_.lanes()}));
    V whole_end = b.CreateAdd(first, whole);
    V has_whole = b.CreateICmpSLT(first, whole_end), has_part = b.CreateICmpSLT(whole_end, end);
    V count = b.CreateSub(end, whole_end);
    V part = code_.lanes() > 1 ? code_.first_lanes(count) : nullptr;
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), outer);
    for (std::size_t axis = 0; axis < outer; ++axis)
      code_.set(element_.params[axis], Uniform{rows.index[axis]});
    V start = b.CreateMul(rows.row, code_.extent(outer));
    OpenLevel row(code_, 1);
    code_.when(has_whole, "whole", [&] {
      counted(code_, first, whole_end, code_.lanes(), {}, [&](V column, const Values&) {
        elements(column, start, 0);
        return Values{};
      });
    });
    if (part)
      code_.when(has_part, "part", [&] {
        code_.begin_tail(count, part);
        elements(whole_end, start, lane_level);
        code_.end_tail();
      });
    row.close();
    rows.close();
    entry.close();
    b.CreateRetVoid();
  }

 private:
  // Code above level `first` has been emitted.
  void elements(V column, V start, unsigned first) {
    const Lanes index =
        code_.lanes() > 1 ? Lanes(Affine{column, code_.i64(1)}) : Lanes(Uniform{column});
    code_.set(element_.params.back(), index);
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(element_, first);
    V target = code_.b.CreateAdd(start, column);
    for (std::size_t i = 0; i < element_.results.size(); ++i)
      code_.store(i, target, code_.in_lanes(element_.results[i]), false);
  }

  llvm::Function* function_;
  const kernels::Region& element_;
  LaneCode code_;
};

/// The rows with one index of the axes before them are a run of vectors; a row's elements are
/// computed one after the other, and the rows are read and written by blocks of columns.
class AcrossRows {
 public:
  AcrossRows(const KernelModule& module, llvm::Function* function, unsigned lanes,
             kernels::Value extent_after)
      : module_(module),
        function_(function),
        element_(module.kernel.element),
        outer_(module.kernel.rank - std::size_t{1}),
        code_(module, function, lanes) {
    if (extent_after != core::none) code_.set(extent_after, Uniform{code_.extent(outer_ + 1)});
  }

  void run() {
    auto& b = code_.b;
    std::vector<Place> places(outer_, Place{1, Spread::uniform});
    places.back() = {lane_level, Spread::affine};
    places.push_back({lane_level + 1, Spread::uniform});
    code_.hoisting.add(element_, places);
    OpenLevel entry(code_, 0);
    in_runs(code_, function_->getArg(1), function_->getArg(2),
            [&](V row) { return run_of_rows(row); });
    entry.close();
    b.CreateRetVoid();
  }

 private:
  // Returns the row after the last one.
  V run_of_rows(V row) {
    auto& b = code_.b;
    const Values index = split_row(code_, row, outer_);
    V count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                      b.CreateSub(code_.extent(outer_ - 1), index.back()),
                                      b.CreateSub(function_->getArg(2), row));
    for (std::size_t axis = 0; axis + 1 < outer_; ++axis)
      code_.set(element_.params[axis], Uniform{index[axis]});
    OpenLevel level(code_, 1);
    V end = b.CreateAdd(index.back(), count);
    in_vectors(code_, index.back(), end, {}, [&](V first, const Values&, bool tail) {
      V number = b.CreateAdd(row, b.CreateSub(first, index.back()));
      V on = tail ? b.CreateSub(end, first) : code_.i64(code_.lanes());
      vector_of_rows(first, b.CreateMul(number, code_.extent(outer_)), on, tail);
      return Values{};
    });
    level.close();
    return b.CreateAdd(row, count);
  }

  // `on`: the number of lanes that are on, which are the first ones.
  void vector_of_rows(V first, V start, V on, bool tail) {
    auto& b = code_.b;
    code_.set(element_.params[outer_ - 1], Affine{first, code_.i64(1)});
    OpenLevel rows(code_, lane_level);
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(b.GetInsertBlock());
    code_.own_rows = {on, code_.mask};
    code_.run_hoisted(element_, tail ? lane_level : 0, lane_level);
    const auto of_reductions = rows_of_reductions(module_, code_, element_, on);
    PrivateRows reads(module_, code_, element_, element_.params.back());
    RowWrites writes(module_, code_, 0);
    V begin = function_->getArg(3), end = function_->getArg(4);
    if (!reads.found() && !writes.found()) {
      columns(begin, end, start, nullptr);
    } else {
      std::int64_t steps = reads.found() ? reads.steps_max() : writes.steps_max();
      if (writes.found()) steps = std::min(steps, writes.steps_max());
      counted(code_, begin, end, steps, {}, [&](V at, const Values&) {
        V count =
            b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(end, at), code_.i64(steps));
        reads.read(Uniform{at}, count, on);
        columns(at, b.CreateAdd(at, count), start, &writes);
        writes.write(b.CreateAdd(start, at), code_.extent(outer_), count, on);
        return Values{};
      });
    }
    code_.own_rows.reset();
    rows.close();
  }

  void columns(V begin, V end, V start, RowWrites* writes) {
    auto& b = code_.b;
    counted(code_, begin, end, 1, {}, [&](V column, const Values&) {
      code_.set(element_.params.back(), Uniform{column});
      code_.level_blocks.resize(lane_level + 1);
      code_.level_blocks.push_back(b.GetInsertBlock());
      code_.run_hoisted(element_, lane_level + 1);
      const Affine target{b.CreateAdd(start, column), code_.extent(outer_)};
      for (std::size_t i = 0; i < element_.results.size(); ++i) {
        V value = code_.vector(element_.results[i]);
        if (!writes || !writes->collect(i, b.CreateSub(column, begin), value))
          code_.store_apart(i, target, value);
      }
      return Values{};
    });
  }

  const KernelModule& module_;
  llvm::Function* function_;
  const kernels::Region& element_;
  const std::size_t outer_;  // axes
  LaneCode code_;
};

}  // namespace

void emit_short_rows_along(const KernelModule& module, llvm::Function* function, unsigned lanes) {
  const auto emit = [&](llvm::Function* to, const kernels::Region& element) {
    AlongRows(module, to, element, lanes).run();
    return to;
  };
  if (!module.kernel.interior) return static_cast<void>(emit(function, module.kernel.element));
  llvm::Function* const inside =
      emit(declare_part(module, "hasten_short_inside"), module.kernel.interior->element);
  llvm::Function* const anywhere = declare_part(module, "hasten_short_anywhere");
  emit_borders(module, anywhere, lanes,
               [&](const char* name, const kernels::Region& element, unsigned part_lanes) {
                 llvm::Function* const part = declare_part(module, name);
                 AlongRows(module, part, element, part_lanes).run();
                 return part;
               });
  call_inside(module, function, module.kernel.rank - std::size_t{1}, inside, anywhere);
}

void emit_short_rows_across(const KernelModule& module, llvm::Function* function, unsigned lanes,
                            kernels::Value extent_after) {
  AcrossRows(module, function, lanes, extent_after).run();
}

}  // namespace hasten::backends::cpu
