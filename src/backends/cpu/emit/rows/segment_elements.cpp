// Elements of segments: vectors along each segment, and once under a mask for what is left of it.
// What depends on the segment alone is computed once for it. A task has a range of elements: it
// looks for the segment of the first one, and goes from segment to segment until the last one.
#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/folds/segment.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/skeletons.hpp"

#include <llvm/IR/Intrinsics.h>

namespace hasten::backends::cpu {

using kernels::Region;
using V = llvm::Value*;

namespace {

class SegmentElementsEmitter {
 public:
  SegmentElementsEmitter(const KernelModule& module, unsigned lanes)
      : function_(declare_run(module)),
        code_(module, function_, lanes),
        element_(code_.kernel().element),
        has_masks_(module.machine.has_mask_registers()) {}

  void run() {
    code_.hoisting.add(element_, element_places(code_.kernel(), code_.lanes() > 1));
    OpenLevel entry(code_, 0);
    code_.when(code_.b.CreateICmpSLT(function_->getArg(3), function_->getArg(4)), "some", [&] {
      V segments = code_.extent(0);
      in_runs(code_, segment_at(function_->getArg(3), segments), segments, [&](V segment) {
        V end = elements_of(segment);
        auto& b = code_.b;
        V is_last = b.CreateICmpSGE(end, function_->getArg(4));
        return b.CreateSelect(is_last, segments, b.CreateAdd(segment, code_.i64(1)));
      });
    });
    entry.close();
    code_.b.CreateRetVoid();
  }

 private:
  // The last of the segments, at least one, that begins at `element` or before it: each round
  // halves what is left of them.
  V segment_at(V element, V segments) {
    auto& b = code_.b;
    V bits = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, segments, b.getFalse());
    V rounds = b.CreateSub(code_.i64(64), bits);
    const Values found = counted(
        code_, code_.i64(0), rounds, 1, {code_.i64(0), segments}, [&](V, const Values& state) {
          V half = b.CreateLShr(state[1], code_.i64(1));
          V middle = b.CreateAdd(state[0], half);
          V begins = b.CreateICmpSLE(segment_of(code_, {middle}).begin, element);
          return Values{b.CreateSelect(begins, middle, state[0]), b.CreateSub(state[1], half)};
        });
    return found[0];
  }

  // Stores the segment's elements that lie in the task; returns the segment's end.
  V elements_of(V segment) {
    auto& b = code_.b;
    code_.set(element_.params[0], Uniform{segment});
    OpenLevel row(code_, 1);
    const Segment whole = segment_of(code_, {segment});
    V begin = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, whole.begin, function_->getArg(3));
    V end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, whole.end, function_->getArg(4));
    end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, begin, end);
    if (code_.lanes() == 1)
      one_by_one(begin, end);
    else
      vectors(begin, end);
    row.close();
    return whole.end;
  }

  void one_by_one(V begin, V end) {
    guarded(code_, code_.b.CreateICmpSLT(begin, end), {}, [&] {
      return counted(code_, begin, end, 1, {}, [&](V index, const Values&) {
        element(Uniform{index}, 0);
        for (std::size_t i = 0; i < element_.results.size(); ++i)
          code_.store(i, index, code_.scalar(element_.results[i]), false);
        return Values{};
      });
    });
  }

  void vectors(V begin, V end) {
    const auto step = [&](V index, const Values&, bool tail) {
      element(Affine{index, code_.i64(1)}, tail ? lane_level : 0);
      store(index);
      if (tail && has_masks_) ask_after_rest(code_, {begin, end}, index);
      return Values{};
    };
    const Rest rest = rest_of_segments(code_);
    if (has_masks_) {
      in_vectors(code_, begin, end, {}, step, rest);
      return;
    }
    auto& b = code_.b;
    V whole = b.CreateAnd(b.CreateSub(end, begin), code_.i64(-lanes()));
    V whole_end = b.CreateAdd(begin, whole);
    code_.when(b.CreateICmpSLT(begin, whole_end), "whole", [&] {
      counted(code_, begin, whole_end, lanes(), {},
              [&](V index, const Values& none) { return step(index, none, false); });
    });
    const auto last = [&] { without_masks(whole_end, end); };
    if (rest == Rest::always) return last();
    code_.when(b.CreateICmpSLT(whole_end, end), "rest", last);
  }

  // The elements [begin, end), fewer than there are lanes. Without mask registers masked stores
  // take many times as long as whole ones: lanes that are off store as well, where elements of
  // later segments will be, unless the task ends before.
  void without_masks(V begin, V end) {
    auto& b = code_.b;
    V count = b.CreateSub(end, begin);
    code_.begin_tail(count);
    element(Affine{begin, code_.i64(1)}, lane_level);
    code_.end_tail();
    V fits = b.CreateICmpSLE(b.CreateAdd(begin, code_.i64(lanes())), function_->getArg(4));
    code_.when(fits, "fits", [&] { store(begin); });
    code_.when(b.CreateNot(fits), "last", [&] {
      code_.begin_tail(count);
      store(begin);
      code_.end_tail();
    });
  }

  void store(V index) {
    const Values results = lanes_of(code_, element_.results);
    for (std::size_t i = 0; i < results.size(); ++i) code_.store(i, index, results[i], false);
  }

  [[nodiscard]] std::int64_t lanes() const { return static_cast<std::int64_t>(code_.lanes()); }

  // Code above level `first` has been emitted.
  void element(Lanes index, unsigned first) {
    code_.set(element_.params[1], index);
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(element_, first);
  }

  llvm::Function* function_;
  LaneCode code_;
  const Region& element_;
  bool has_masks_;
};

}  // namespace

void emit_segment_elements(const KernelModule& module, const kernels::Schedule& schedule) {
  SegmentElementsEmitter(module, schedule.lanes).run();
}

}  // namespace hasten::backends::cpu
