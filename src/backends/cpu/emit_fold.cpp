// Folds: along the reduction in tiles, or along an outer axis with a result per lane.
#include "backends/cpu/fold_operator.hpp"
#include "backends/cpu/loops.hpp"
#include "backends/cpu/skeletons.hpp"

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Region;
using kernels::Value;
using V = llvm::Value*;

namespace {

// -- along the reduction ----------------------------------------------------------------------

class TileEmitter {
 public:
  TileEmitter(const Unit& unit, const Strategy& strategy, llvm::Function* finish)
      : function_(declare_run(unit)),
        finish_(finish),
        code_(unit, function_, strategy.lanes),
        in_order_(strategy.in_order) {}

  void run() {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    code_.placement.add(kernel.element, element_places(kernel, !in_order_));
    place_operator(code_, !in_order_);
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 1);
    for (std::size_t axis = 0; axis + 1 < kernel.rank; ++axis)
      code_.set(kernel.element.params[axis], Uniform{rows.index[axis]});
    OpenLevel row(code_, 1);
    V scratch = function_->getArg(5);
    counted(code_, function_->getArg(3), function_->getArg(4), 1, {},
            [&](V tile, const Values&) { return store_tile(tile, scratch), Values{}; });
    V finishes =
        b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_finish)), code_.i64(0));
    code_.when(finishes, "finish", [&] {
      b.CreateCall(finish_, {function_->getArg(0), rows.row, function_->getArg(4), scratch});
    });
    row.close();
    rows.close();
    entry.close();
    b.CreateRetVoid();
  }

 private:
  void store_tile(V tile, V scratch) {
    auto& b = code_.b;
    V begin = b.CreateNSWMul(tile, code_.i64(tile_elements));
    V end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                    b.CreateNSWAdd(begin, code_.i64(tile_elements)),
                                    code_.extent(code_.kernel().rank - 1));
    const Values tile_values = in_order_ ? fold_in_order(begin, end) : fold_lanes(begin, end);
    const auto leaves = static_cast<std::int64_t>(tile_values.size());
    V slot = b.CreateMul(tile, code_.i64(leaves));
    for (std::int64_t i = 0; i < leaves; ++i)
      code_.store_slot(scratch, b.CreateAdd(slot, code_.i64(i)),
                       tile_values[static_cast<std::size_t>(i)]);
  }

  Values element(Lanes index, bool again) {
    const Region& fn = code_.kernel().element;
    code_.set(fn.params.back(), index);
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_placed(fn, again ? lane_level : 0);
    return lanes_of(code_, fn.results);
  }

  Values fold_lanes(V begin, V end) {
    Values state =
        in_vectors(code_, begin, end, neutrals(code_), [&](V index, const Values& left, bool tail) {
          const Values right = element(Linear{index, code_.i64(1)}, tail);
          Values next = combined_by_table(code_, left, right);
          for (std::size_t i = 0; tail && i < next.size(); ++i)
            next[i] = code_.b.CreateSelect(code_.mask, next[i], left[i]);
          return next;
        });
    return lanes_combined(code_, std::move(state));
  }

  Values fold_in_order(V begin, V end) {
    return counted(code_, begin, end, 1, zeros(code_, code_.kernel().element.results),
                   [&](V index, const Values& left) {
                     const Values right = element(Uniform{index}, false);
                     return combined_unless(code_, code_.b.CreateICmpEQ(index, begin), left, right);
                   });
  }

  llvm::Function *function_, *finish_;
  LaneCode code_;
  bool in_order_;
};

// -- along an outer axis ----------------------------------------------------------------------

class LaneEmitter {
 public:
  LaneEmitter(const Unit& unit, unsigned lanes)
      : function_(declare_run(unit)),
        code_(unit, function_, lanes) {}

  void run() {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    code_.placement.add(kernel.element, element_places(kernel, true));
    place_operator(code_, true);
    std::vector<Place> places(kernel.rank - 1, Place{1, Spread::uniform});
    places.back().spread = Spread::stepping;
    places.resize(kernel.epilogue.params.size(), Place{lane_level, Spread::varying});
    code_.placement.add(kernel.epilogue, places);
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 2);
    OpenLevel row(code_, 1);
    V start = b.CreateMul(rows.row, code_.extent(kernel.rank - 2));
    in_vectors(code_, function_->getArg(3), function_->getArg(4), {},
               [&](V column, const Values&, bool tail) {
                 set_indices(kernel.element, rows, column);
                 const Values results = fold(tail);
                 finish(rows, column, b.CreateAdd(start, column), results);
                 return Values{};
               });
    row.close();
    rows.close();
    entry.close();
    b.CreateRetVoid();
  }

 private:
  void set_indices(const Region& fn, const RowLoop& rows, V column) {
    for (std::size_t axis = 0; axis < rows.index.size(); ++axis)
      code_.set(fn.params[axis], Uniform{rows.index[axis]});
    code_.set(fn.params[rows.index.size()], Linear{column, code_.i64(1)});
  }

  Values fold(bool tail) {
    const Kernel& kernel = code_.kernel();
    const bool seeded = !kernel.seed.empty(), table = kernel.lane_operator.commutative;
    OpenLevel columns(code_, lane_level);
    Values start = seeded  ? lanes_of(code_, kernel.seed)
                   : table ? neutrals(code_)
                           : zeros(code_, kernel.element.results);
    Values results = counted(
        code_, code_.i64(0), code_.extent(kernel.rank - 1), 1, start, [&](V k, const Values& left) {
          code_.set(kernel.element.params.back(), Uniform{k});
          code_.level_blocks.resize(lane_level + 1);
          code_.level_blocks.push_back(code_.b.GetInsertBlock());
          code_.run_placed(kernel.element, tail ? lane_level : 0);
          const Values right = lanes_of(code_, kernel.element.results);
          if (table) return combined_by_table(code_, left, right);
          if (seeded) return combined(code_, left, right);
          return combined_unless(code_, code_.b.CreateICmpEQ(k, code_.i64(0)), left, right);
        });
    columns.close();
    return results;
  }

  void finish(const RowLoop& rows, V column, V target, const Values& results) {
    const Region& epilogue = code_.kernel().epilogue;
    set_indices(epilogue, rows, column);
    set_lanes(code_, std::span(epilogue.params).subspan(rows.index.size() + 1), results);
    code_.run(epilogue);
    for (std::size_t i = 0; i < epilogue.results.size(); ++i)
      code_.store(i, target, code_.vector(epilogue.results[i]), false);
  }

  llvm::Function* function_;
  LaneCode code_;
};

// -- one result ---------------------------------------------------------------------------------

class FinishEmitter {
 public:
  explicit FinishEmitter(const Unit& unit)
      : function_(declare_finish(unit)),
        code_(unit, function_, 1) {}

  llvm::Function* run() {
    const Kernel& kernel = code_.kernel();
    const Region& epilogue = kernel.epilogue;
    V row = function_->getArg(1);
    const Values index = split_row(code_, row, kernel.rank - 1);
    const Values leaves = kernel.lanes == kernels::FoldLanes::outer
                              ? lanes_of(code_, kernel.seed)
                              : tiles(function_->getArg(2), function_->getArg(3));
    set_lanes(code_, std::span(epilogue.params).first(index.size()), index);
    set_lanes(code_, std::span(epilogue.params).subspan(index.size()), leaves);
    code_.run(epilogue);
    for (std::size_t i = 0; i < epilogue.results.size(); ++i)
      code_.store(i, row, code_.scalar(epilogue.results[i]), false);
    code_.b.CreateRetVoid();
    return function_;
  }

 private:
  Values tiles(V count, V scratch) {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    const bool seeded = !kernel.seed.empty();
    const Values start =
        seeded ? lanes_of(code_, kernel.seed) : zeros(code_, kernel.element.results);
    return guarded(code_, b.CreateICmpSGT(count, code_.i64(0)), start, [&] {
      return counted(code_, code_.i64(0), count, 1, start, [&](V tile, const Values& left) {
        const Values right = load_tile(tile, scratch);
        if (seeded) return combined(code_, left, right);
        return combined_unless(code_, b.CreateICmpEQ(tile, code_.i64(0)), left, right);
      });
    });
  }

  Values load_tile(V tile, V scratch) {
    const auto& results = code_.kernel().element.results;
    V slot = code_.b.CreateMul(tile, code_.i64(static_cast<std::int64_t>(results.size())));
    Values values;
    for (std::size_t i = 0; i < results.size(); ++i)
      values.push_back(
          code_.load_slot(scratch, code_.b.CreateAdd(slot, code_.i64(static_cast<std::int64_t>(i))),
                          code_.type(results[i])));
    return values;
  }

  llvm::Function* function_;
  LaneCode code_;
};

}  // namespace

void emit_fold(const Unit& unit, const Strategy& strategy) {
  const bool outer = unit.kernel.lanes == kernels::FoldLanes::outer;
  llvm::Function* finish = nullptr;
  if (exports_finish(unit.kernel)) finish = FinishEmitter(unit).run();
  if (outer)
    LaneEmitter(unit, strategy.lanes).run();
  else
    TileEmitter(unit, strategy, finish).run();
}

}  // namespace hasten::backends::cpu
