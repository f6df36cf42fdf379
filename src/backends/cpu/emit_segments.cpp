// Folds whose rows are segments: where the kernel's `range` says. Short rows go element by element,
// in order, others by lanes; each is one task's work, so no threads show in results.
#include "backends/cpu/fold_operator.hpp"
#include "backends/cpu/loops.hpp"
#include "backends/cpu/skeletons.hpp"

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Region;
using V = llvm::Value*;

namespace {

struct Segment {
  V begin, end;
};

Segment segment_of(LaneCode& code, const Values& index) {
  const Region& range = *code.kernel().range;
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    code.set(range.params[axis], Uniform{index[axis]});
  code.run(range);
  return {code.scalar(range.results[0]), code.scalar(range.results[1])};
}

/// A function of type RunFunction that folds whole rows in one way: with one lane in order.
class SegmentEmitter {
 public:
  SegmentEmitter(const Unit& unit, llvm::Function* function, unsigned lanes)
      : function_(function),
        code_(unit, function, lanes) {}

  void run() {
    const Kernel& kernel = code_.kernel();
    code_.placement.add(kernel.element, element_places(kernel, code_.lanes() > 1));
    place_operator(code_, code_.lanes() > 1);
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 1);
    for (std::size_t axis = 0; axis < rows.index.size(); ++axis)
      code_.set(kernel.element.params[axis], Uniform{rows.index[axis]});
    OpenLevel row(code_, 1);
    const Segment segment = segment_of(code_, rows.index);
    store(rows, code_.lanes() > 1 ? by_lanes(segment) : in_order(segment));
    row.close();
    rows.close();
    entry.close();
    code_.b.CreateRetVoid();
  }

 private:
  [[nodiscard]] bool is_table() const { return code_.kernel().lane_operator.commutative; }

  Values element(Lanes index, unsigned first) {
    const Region& fn = code_.kernel().element;
    code_.set(fn.params.back(), index);
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_placed(fn, first);
    return lanes_of(code_, fn.results);
  }

  Values seeds() {
    Values result;
    for (kernels::Value v : code_.kernel().seed) result.push_back(code_.scalar(v));
    return result;
  }

  Values by_lanes(const Segment& segment) {
    const Values state = in_vectors(
        code_, segment.begin, segment.end, neutrals(code_),
        [&](V index, const Values& left, bool tail) {
          const Values right = element(Linear{index, code_.i64(1)}, tail ? lane_level : 0);
          Values next = combined_by_table(code_, left, right);
          for (std::size_t i = 0; tail && i < next.size(); ++i)
            next[i] = code_.b.CreateSelect(code_.mask, next[i], left[i]);
          return next;
        });
    const Values total = lanes_combined(code_, state);
    return code_.kernel().seed.empty() ? total : combined_by_table(code_, seeds(), total);
  }

  Values in_order(const Segment& segment) {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    const bool seeded = !kernel.seed.empty();
    const Values start = seeded       ? seeds()
                         : is_table() ? neutrals(code_)
                                      : zeros(code_, kernel.element.results);
    return guarded(code_, b.CreateICmpSLT(segment.begin, segment.end), start, [&] {
      return counted(code_, segment.begin, segment.end, 1, start, [&](V index, const Values& left) {
        const Values right = element(Uniform{index}, 0);
        if (is_table()) return combined_by_table(code_, left, right);
        if (seeded) return combined(code_, left, right);
        return combined_unless(code_, b.CreateICmpEQ(index, segment.begin), left, right);
      });
    });
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
};

/// `run`: gives each run of rows of one kind to the function for it.
class KindEmitter {
 public:
  KindEmitter(const Unit& unit, unsigned lanes)
      : short_(part(unit, "hasten_short", 1)),
        long_(part(unit, "hasten_long", lanes)),
        function_(declare_run(unit)),
        code_(unit, function_, 1) {}

  void run() {
    auto& b = code_.b;
    V end = function_->getArg(2);
    llvm::BasicBlock *before = b.GetInsertBlock(), *head = code_.block("rows"),
                     *after = code_.block("rows_done");
    b.CreateBr(head);
    b.SetInsertPoint(head);
    llvm::PHINode* first = b.CreatePHI(b.getInt64Ty(), 2);
    first->addIncoming(function_->getArg(1), before);
    V kind = is_short(first);
    V last = end_of_run(first, end, kind);
    b.CreateCall(function_->getFunctionType(), b.CreateSelect(kind, short_, long_),
                 {function_->getArg(0), first, last, function_->getArg(3), function_->getArg(4),
                  function_->getArg(5), function_->getArg(6)});
    first->addIncoming(last, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpSLT(last, end), head, after);
    b.SetInsertPoint(after);
    b.CreateRetVoid();
  }

 private:
  static llvm::Function* part(const Unit& unit, const char* name, unsigned lanes) {
    llvm::Function* function = declare_part(unit, name);
    SegmentEmitter(unit, function, lanes).run();
    return function;
  }

  V is_short(V row) {
    const Segment segment = segment_of(code_, split_row(code_, row, code_.kernel().rank - 1));
    V count = code_.b.CreateSub(segment.end, segment.begin);
    return code_.b.CreateICmpSLT(count, code_.i64(short_segment));
  }

  // The first row after `first` that is of another kind, or the end.
  V end_of_run(V first, V end, V kind) {
    auto& b = code_.b;
    llvm::BasicBlock *before = b.GetInsertBlock(), *more = code_.block("more"),
                     *next = code_.block("next"), *found = code_.block("found");
    b.CreateBr(more);
    b.SetInsertPoint(more);
    llvm::PHINode* last = b.CreatePHI(b.getInt64Ty(), 2);
    last->addIncoming(first, before);
    V following = b.CreateNSWAdd(last, code_.i64(1));
    b.CreateCondBr(b.CreateICmpSLT(following, end), next, found);
    b.SetInsertPoint(next);
    V same = b.CreateICmpEQ(is_short(following), kind);
    last->addIncoming(following, b.GetInsertBlock());
    b.CreateCondBr(same, more, found);
    b.SetInsertPoint(found);
    return following;
  }

  llvm::Function *short_, *long_, *function_;
  LaneCode code_;
};

}  // namespace

void emit_segments(const Unit& unit, const Strategy& strategy) {
  emit_fold_finish(unit);
  if (strategy.lanes == 1)
    SegmentEmitter(unit, declare_run(unit), 1).run();
  else
    KindEmitter(unit, strategy.lanes).run();
}

}  // namespace hasten::backends::cpu
