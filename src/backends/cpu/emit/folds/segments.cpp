// Folds whose rows are segments, given by the kernel's `range`. Rows go by lanes. Where the
// schedule says so, short ones go element by element, in order, or those that are short on average
// go by fewer lanes. If rows are few and long on average, a launch cuts each into equal parts,
// which `finish` joins; the cut follows from extents, so results do not depend on the number of
// threads.
#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/folds/segment.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/prefetch.hpp"
#include "backends/cpu/emit/skeletons.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Region;
using V = llvm::Value*;

Segment segment_of(LaneCode& code, const Values& index) {
  const Region& range = *code.kernel().range;
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    code.set(range.params[axis], Uniform{index[axis]});
  code.run(range);
  return {code.scalar(range.results[0]), code.scalar(range.results[1])};
}

Rest rest_of_segments(LaneCode& code) {
  const bool is_light = std::ranges::all_of(code.kernel().element.body, [&](const auto& stmt) {
    if (const auto* load = std::get_if<core::LoadLinear>(&stmt.op)) {
      const Spread spread = code.hoisting[load->index].spread;
      return spread == Spread::uniform ||
             (spread == Spread::affine && code.masks_reads_of(load->array));
    }
    return std::holds_alternative<core::Constant>(stmt.op) ||
           std::holds_alternative<core::Prim>(stmt.op);
  });
  return is_light ? Rest::always : Rest::if_any;
}

void ask_after_rest(LaneCode& code, const Segment& segment, V rest) {
  auto& b = code.b;
  V is_short = b.CreateICmpEQ(segment.begin, rest);
  code.ask_ahead(code.kernel().element,
                 b.CreateSelect(is_short, code.i64(prefetch_bytes), code.i64(0)));
}

V part_length(LaneCode& code, V count, V parts) {
  V up = code.b.CreateAdd(count, code.b.CreateSub(parts, code.i64(1)));
  return code.b.CreateUDiv(up, parts);
}

namespace {

enum class What : std::uint8_t { rows, parts };

/// A function of type RunFunction that folds rows, or a part of each, in one way: in order if there
/// is one lane.
class SegmentEmitter {
 public:
  SegmentEmitter(const KernelModule& module, llvm::Function* function, unsigned lanes, What what)
      : function_(function),
        code_(module, function, lanes),
        is_part_(what == What::parts),
        has_masks_(module.machine.has_mask_registers()) {}

  void run() {
    const Kernel& kernel = code_.kernel();
    code_.hoisting.add(kernel.element, element_places(kernel, code_.lanes() > 1));
    hoist_operator(code_, code_.lanes() > 1);
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 1);
    for (std::size_t axis = 0; axis < rows.index.size(); ++axis)
      code_.set(kernel.element.params[axis], Uniform{rows.index[axis]});
    OpenLevel row(code_, 1);
    const Segment whole = segment_of(code_, rows.index), segment = is_part_ ? part(whole) : whole;
    const Values total = code_.lanes() > 1 ? by_lanes(segment) : in_order(segment);
    if (is_part_)
      store_part(total);
    else
      store(rows, total);
    row.close();
    rows.close();
    entry.close();
    code_.b.CreateRetVoid();
  }

 private:
  [[nodiscard]] bool is_table() const { return code_.kernel().lane_operator.commutative; }
  [[nodiscard]] bool is_seeded() const { return !is_part_ && !code_.kernel().seed.empty(); }

  // The x0-th of x1 parts; the last ones may be empty.
  Segment part(const Segment& whole) {
    auto& b = code_.b;
    V length = part_length(code_, b.CreateSub(whole.end, whole.begin), function_->getArg(4));
    V first = b.CreateAdd(whole.begin, b.CreateMul(function_->getArg(3), length));
    V last = b.CreateAdd(first, length);
    return {b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, first, whole.end),
            b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, last, whole.end)};
  }

  Values element(Lanes index, unsigned first) {
    const Region& fn = code_.kernel().element;
    code_.set(fn.params.back(), index);
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(fn, first);
    return lanes_of(code_, fn.results);
  }

  Values seeds() {
    Values result;
    for (kernels::Value v : code_.kernel().seed) result.push_back(code_.scalar(v));
    return result;
  }

  Values by_lanes(const Segment& segment) {
    const auto step = [&](V index, const Values& left, bool tail) {
      const Values right = element(Affine{index, code_.i64(1)}, tail ? lane_level : 0);
      if (tail && has_masks_) ask_after_rest(code_, segment, index);
      Values next = combined_by_table(code_, left, right);
      for (std::size_t i = 0; tail && i < next.size(); ++i)
        next[i] = code_.b.CreateSelect(code_.mask, next[i], left[i]);
      return next;
    };
    const Values state = in_vectors(code_, segment.begin, segment.end, identities(code_), step,
                                    rest_of_segments(code_));
    const Values total = lanes_combined(code_, state);
    return is_seeded() ? combined_by_table(code_, seeds(), total) : total;
  }

  Values in_order(const Segment& segment) {
    if (is_seeded()) return go_on(segment.begin, segment.end, seeds(), 0);
    if (is_table()) return go_on(segment.begin, segment.end, identities(code_), 0);
    const Values nothing = zeros(code_, code_.kernel().element.results);
    return guarded(code_, code_.b.CreateICmpSLT(segment.begin, segment.end), nothing, [&] {
      const Values first = element(Uniform{segment.begin}, 0);
      return go_on(code_.b.CreateAdd(segment.begin, code_.i64(1)), segment.end, first, lane_level);
    });
  }

  // Code above level `first` has been emitted.
  Values go_on(V begin, V end, const Values& start, unsigned first) {
    return guarded(code_, code_.b.CreateICmpSLT(begin, end), start, [&] {
      return counted(code_, begin, end, 1, start, [&](V index, const Values& left) {
        const Values right = element(Uniform{index}, first);
        return is_table() ? combined_by_table(code_, left, right) : combined(code_, left, right);
      });
    });
  }

  void store_part(const Values& total) {
    auto& b = code_.b;
    V slot = b.CreateMul(function_->getArg(3), code_.i64(std::ssize(total)));
    for (std::size_t i = 0; i < total.size(); ++i)
      code_.store_slot(function_->getArg(5),
                       b.CreateAdd(slot, code_.i64(static_cast<std::int64_t>(i))), total[i]);
  }

  void store(const RowLoop& rows, const Values& total) {
    const Region& epilogue = code_.kernel().epilogue;
    const std::size_t axes = rows.index.size();
    for (std::size_t axis = 0; axis < axes; ++axis)
      code_.set(epilogue.params[axis], Uniform{rows.index[axis]});
    for (std::size_t i = 0; i < total.size(); ++i)
      code_.set(epilogue.params[axes + i], Uniform{total[i]});
    code_.run(epilogue);
    for (std::size_t i = 0; i < epilogue.results.size(); ++i)
      code_.store(i, rows.row, code_.scalar(epilogue.results[i]), false);
  }

  llvm::Function* function_;
  LaneCode code_;
  bool is_part_, has_masks_;
};

/// `run`: passes rows, or each run of rows of one kind, to the function for them.
class KindEmitter {
 public:
  KindEmitter(const KernelModule& module, const kernels::Schedule& schedule)
      : schedule_(schedule),
        short_(schedule.short_row == 0
                   ? nullptr
                   : part(module, "hasten_short", schedule.lanes_along, What::rows)),
        long_(part(module, "hasten_long", schedule.lanes, What::rows)),
        part_(part(module, "hasten_part", schedule.lanes, What::parts)),
        function_(declare_run(module)),
        code_(module, function_, 1) {}

  void run() {
    auto& b = code_.b;
    V row0 = function_->getArg(1), row1 = function_->getArg(2);
    V in_parts =
        b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_parts)), code_.i64(0));
    llvm::BasicBlock *parts = code_.block("parts"), *rows = code_.block("whole");
    b.CreateCondBr(in_parts, parts, rows);
    b.SetInsertPoint(parts);
    call(part_, row0, row1);
    b.CreateRetVoid();
    b.SetInsertPoint(rows);
    if (!short_)
      call(long_, row0, row1);
    else if (schedule_.lanes_along == 1)
      by_kinds(row0, row1);
    else
      call(b.CreateSelect(is_short_row(mean_length()), short_, long_), row0, row1);
    b.CreateRetVoid();
  }

 private:
  void by_kinds(V row0, V row1) {
    for_each_run(
        code_, row0, row1, [&](V row) { return is_short(row); },
        [&](V kind, V first, V last) {
          call(code_.b.CreateSelect(kind, short_, long_), first, last);
        });
  }

  void call(V function, V row0, V row1) {
    code_.b.CreateCall(function_->getFunctionType(), function,
                       {function_->getArg(0), row0, row1, function_->getArg(3),
                        function_->getArg(4), function_->getArg(5), function_->getArg(6)});
  }

  static llvm::Function* part(const KernelModule& module, const char* name, unsigned lanes,
                              What what) {
    llvm::Function* function = declare_part(module, name);
    SegmentEmitter(module, function, lanes, what).run();
    return function;
  }

  V is_short(V row) {
    const Segment segment = segment_of(code_, split_row(code_, row, code_.kernel().rank - 1));
    return is_short_row(code_.b.CreateSub(segment.end, segment.begin));
  }
  V is_short_row(V count) { return code_.b.CreateICmpSLT(count, code_.i64(schedule_.short_row)); }
  V mean_length() { return function_->getArg(4); }

  const kernels::Schedule& schedule_;
  llvm::Function *short_, *long_, *part_, *function_;  // null: no segment is short
  LaneCode code_;
};

}  // namespace

void emit_segments(const KernelModule& module, const kernels::Schedule& schedule) {
  emit_fold_finish(module);
  KindEmitter(module, schedule).run();
}

}  // namespace hasten::backends::cpu
