// Folds of several axes, and of rows with an interior, along the reduction: a tile is a run of
// elements in row-major order, and vectors go along each row's part of it. Lanes keep their partial
// folds from row to row. If the kernel has an interior, its columns are separate from those beside
// it.
#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/skeletons.hpp"

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Region;
using V = llvm::Value*;

namespace {

class AxesEmitter {
 public:
  AxesEmitter(const KernelModule& module, unsigned lanes, llvm::Function* finish)
      : kernel_(module.kernel),
        function_(declare_run(module)),
        finish_(finish),
        code_(module, function_, lanes) {}

  void run() {
    const std::vector<Place> places = element_places(kernel_, true);
    code_.hoisting.add(kernel_.element, places);
    if (kernel_.interior) {
      code_.hoisting.add(kernel_.interior->element, places);
      code_.run(kernel_.interior->bounds);
    }
    hoist_operator(code_, true);
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), outer_axes(kernel_));
    counted(code_, function_->getArg(3), function_->getArg(4), 1, {}, [&](V tile, const Values&) {
      store(tile, fold_tile(rows, tile));
      return Values{};
    });
    finish_row(rows.row);
    rows.close();
    entry.close();
    code_.b.CreateRetVoid();
  }

 private:
  /// The element function of the whole space or of its interior.
  struct Element {
    const Region& fn;
    unsigned written = 0;  // levels above this one have their statements
  };

  void finish_row(V row) {
    auto& b = code_.b;
    V finishes =
        b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_finish)), code_.i64(0));
    code_.when(finishes, "finish", [&] {
      b.CreateCall(finish_,
                   {function_->getArg(0), row, function_->getArg(4), function_->getArg(5)});
    });
  }

  void store(V tile, const Values& folded) {
    auto& b = code_.b;
    V slot = b.CreateMul(tile, code_.i64(std::ssize(folded)));
    for (std::size_t i = 0; i < folded.size(); ++i)
      code_.store_slot(function_->getArg(5),
                       b.CreateAdd(slot, code_.i64(static_cast<std::int64_t>(i))), folded[i]);
  }

  // Elements [begin, end) of the row-major order lie in one or more rows; the first and the last
  // row may be partial.
  Values fold_tile(const RowLoop& rows, V tile) {
    auto& b = code_.b;
    V depth = code_.extent(outer_axes(kernel_));
    for (std::size_t axis = outer_axes(kernel_) + 1; axis < kernel_.rank; ++axis)
      depth = b.CreateMul(depth, code_.extent(axis));
    V columns = code_.extent(kernel_.rank - 1);
    V begin = b.CreateNSWMul(tile, code_.i64(tile_elements));
    V end = smaller(b.CreateNSWAdd(begin, code_.i64(tile_elements)), depth);
    V first = b.CreateUDiv(begin, columns);
    V last = b.CreateUDiv(b.CreateSub(end, code_.i64(1)), columns);
    Values state = identities(code_);
    const std::size_t leaves = state.size();
    append(state, folded_indices(first));
    state = counted(
        code_, first, b.CreateAdd(last, code_.i64(1)), 1, state, [&](V row, const Values& before) {
          V start = b.CreateMul(row, columns);
          Values folded(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(leaves));
          const Values at(before.begin() + static_cast<std::ptrdiff_t>(leaves), before.end());
          index_ = rows.index;
          append(index_, at);
          row_begin_ = b.CreateAdd(b.CreateMul(rows.row, depth), start);
          V from = larger(b.CreateSub(begin, start), code_.i64(0));
          folded = fold_columns(from, smaller(b.CreateSub(end, start), columns), folded);
          append(folded, next_index(code_, at, outer_axes(kernel_)));
          return folded;
        });
    state.resize(leaves);
    return lanes_combined(code_, state);
  }

  // The indices of a row of the folded axes: all but the innermost.
  Values folded_indices(V row) {
    Values index(kernel_.folded - 1);
    for (std::size_t i = index.size(); i-- > 1;) {
      V extent = code_.extent(outer_axes(kernel_) + i);
      index[i] = code_.b.CreateURem(row, extent);
      row = code_.b.CreateUDiv(row, extent);
    }
    if (!index.empty()) index[0] = row;
    return index;
  }

  Values fold_columns(V begin, V end, Values state) {
    auto& b = code_.b;
    OpenLevel row(code_, 1);
    Element all{kernel_.element};
    if (kernel_.interior) {
      const auto [first, last] = interior_of(begin, end);
      Element interior{kernel_.interior->element};
      state = fold_vectors(interior, first, last, state);
      state = counted(code_, code_.i64(0), code_.i64(2), 1, state, [&](V side, const Values& s) {
        V is_left = b.CreateICmpEQ(side, code_.i64(0));
        return fold_vectors(all, b.CreateSelect(is_left, begin, last),
                            b.CreateSelect(is_left, first, end), s);
      });
    } else {
      state = fold_vectors(all, begin, end, state);
    }
    row.close();
    return state;
  }

  // The columns of the interior within [begin, end); none for a row outside.
  std::pair<V, V> interior_of(V begin, V end) {
    auto& b = code_.b;
    const Region& bounds = kernel_.interior->bounds;
    const auto bound = [&](std::size_t i) { return code_.scalar(bounds.results[i]); };
    V inside = b.getTrue();
    for (std::size_t axis = 0; axis < index_.size(); ++axis) {
      inside = b.CreateAnd(inside, b.CreateICmpSGE(index_[axis], bound(2 * axis)));
      inside = b.CreateAnd(inside, b.CreateICmpSLT(index_[axis], bound(2 * axis + 1)));
    }
    V first = smaller(larger(begin, bound(2 * index_.size())), end);
    V last = smaller(larger(first, bound(2 * index_.size() + 1)), end);
    return {b.CreateSelect(inside, first, end), b.CreateSelect(inside, last, end)};
  }

  Values fold_vectors(Element& element, V begin, V end, const Values& state) {
    return in_vectors(code_, begin, end, state, [&](V column, const Values& left, bool tail) {
      Values next = combined_by_table(code_, left, compute(element, column));
      for (std::size_t i = 0; tail && i < next.size(); ++i)
        next[i] = code_.b.CreateSelect(code_.mask, next[i], left[i]);
      return next;
    });
  }

  // Returns the values folded; elements that are results, too, are stored.
  Values compute(Element& element, V column) {
    const Region& fn = element.fn;
    for (std::size_t axis = 0; axis < index_.size(); ++axis)
      code_.set(fn.params[axis], Uniform{index_[axis]});
    code_.set(fn.params.back(), Affine{column, code_.i64(1)});
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(fn, element.written);
    element.written = lane_level;
    const std::size_t folded = fn.results.size() - kernel_.stored;
    V at = code_.b.CreateAdd(row_begin_, column);
    for (std::size_t i = folded; i < fn.results.size(); ++i)
      code_.store(kernel_.outputs.size() + i - fn.results.size(), at, code_.in_lanes(fn.results[i]),
                  false);
    return lanes_of(code_,
                    {fn.results.begin(), fn.results.begin() + static_cast<std::ptrdiff_t>(folded)});
  }

  V smaller(V x, V y) { return code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }
  V larger(V x, V y) { return code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y); }
  static void append(Values& all, const Values& some) {
    all.insert(all.end(), some.begin(), some.end());
  }

  const Kernel& kernel_;
  llvm::Function *function_, *finish_;
  LaneCode code_;
  Values index_;           // of the row at hand: all axes but the innermost
  V row_begin_ = nullptr;  // its first element, in row-major order
};

}  // namespace

void emit_fold_axes(const KernelModule& module, const kernels::Schedule& schedule,
                    llvm::Function* finish) {
  AxesEmitter(module, schedule.lanes, finish).run();
}

}  // namespace hasten::backends::cpu
