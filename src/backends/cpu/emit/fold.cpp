// Folds: along the reduction in tiles, or along an outer axis with a result per lane.
#include "backends/cpu/emit/fold_operator.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/segment.hpp"
#include "backends/cpu/emit/skeletons.hpp"

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Region;
using kernels::Value;
using V = llvm::Value*;

namespace {

// Of an element that has been computed: what is folded.
Values combined_of(LaneCode& code) {
  const std::span<const Value> leaves = combined_leaves(code.kernel());
  return lanes_of(code, {leaves.begin(), leaves.end()});
}

// f(output, value) for what is stored.
void for_each_stored(LaneCode& code, llvm::function_ref<void(std::size_t, V)> f) {
  const Kernel& kernel = code.kernel();
  for (std::size_t i = kernel.stored; i > 0; --i)
    f(kernel.outputs.size() - i,
      code.in_lanes(kernel.element.results[kernel.element.results.size() - i]));
}

// -- along the reduction ----------------------------------------------------------------------

class TileEmitter {
 public:
  TileEmitter(const KernelModule& module, const Strategy& strategy, llvm::Function* finish)
      : function_(declare_run(module)),
        finish_(finish),
        code_(module, function_, strategy.lanes),
        in_order_(strategy.in_order),
        has_lanes_(strategy.lanes > 1),
        together_(strategy.rows_together) {}

  void run() {
    const Kernel& kernel = code_.kernel();
    code_.hoisting.add(kernel.element, element_places(kernel, has_lanes_ || !in_order_));
    hoist_operator(code_, has_lanes_ || !in_order_);
    OpenLevel entry(code_, 0);
    if (together_ == 1)
      each_row();
    else
      groups_of_rows();
    entry.close();
    code_.b.CreateRetVoid();
  }

 private:
  struct Row {
    V number;
    Values index;
  };

  void each_row() {
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), code_.kernel().rank - 1);
    fold_rows({{rows.row, rows.index}});
    rows.close();
  }

  // Whole groups, then the rows that are left.
  void groups_of_rows() {
    auto& b = code_.b;
    V begin = function_->getArg(1), end = function_->getArg(2);
    V whole = b.CreateAnd(b.CreateSub(end, begin), code_.i64(-together_));
    V middle = b.CreateAdd(begin, whole);
    row_groups(begin, middle, together_);
    row_groups(middle, end, 1);
  }

  void row_groups(V begin, V end, std::int64_t size) {
    const auto group = [&](V first, const Values&) {
      std::vector<Row> rows;
      for (std::int64_t r = 0; r < size; ++r) {
        V row = code_.b.CreateNSWAdd(first, code_.i64(r));
        rows.push_back({row, {row}});
      }
      fold_rows(std::move(rows));
      return Values{};
    };
    code_.when(code_.b.CreateICmpSLT(begin, end), "rows",
               [&] { counted(code_, begin, end, size, {}, group); });
  }

  void fold_rows(std::vector<Row> rows) {
    rows_ = std::move(rows);
    auto& b = code_.b;
    OpenLevel level(code_, 1);
    counted(code_, function_->getArg(3), function_->getArg(4), 1, {},
            [&](V tile, const Values&) { return store_tile(tile), Values{}; });
    V finishes =
        b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_finish)), code_.i64(0));
    code_.when(finishes, "finish", [&] {
      for (std::size_t r = 0; r < rows_.size(); ++r)
        b.CreateCall(finish_,
                     {function_->getArg(0), rows_[r].number, function_->getArg(4), slots(r)});
    });
    level.close();
  }

  [[nodiscard]] std::size_t leaves() const { return code_.kernel().combine.results.size(); }
  V number(std::size_t x) { return code_.i64(static_cast<std::int64_t>(x)); }

  // Where the tiles of a group's rows go.
  V slots(std::size_t r) {
    V scratch = function_->getArg(5);
    if (r == 0) return scratch;
    V before = code_.b.CreateMul(function_->getArg(4), number(r * leaves()));
    return code_.b.CreateGEP(code_.b.getInt64Ty(), scratch, before);
  }

  void store_tile(V tile) {
    auto& b = code_.b;
    V begin = b.CreateNSWMul(tile, code_.i64(tile_elements));
    V end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                    b.CreateNSWAdd(begin, code_.i64(tile_elements)),
                                    code_.extent(code_.kernel().rank - 1));
    const Values folded = !in_order_   ? fold_lanes(begin, end)
                          : has_lanes_ ? fold_runs(begin, end)
                                       : fold_in_order(begin, end);
    V slot = b.CreateMul(tile, number(leaves()));
    for (std::size_t r = 0; r < rows_.size(); ++r)
      for (std::size_t i = 0; i < leaves(); ++i)
        code_.store_slot(slots(r), b.CreateAdd(slot, number(i)), folded[r * leaves() + i]);
  }

  // Values have one name each. So what depends on the row is written again for each row of a group,
  // and what depends on the lanes for the masked copy.
  Values element(std::size_t r, Lanes index) {
    const Region& fn = code_.kernel().element;
    for (std::size_t axis = 0; axis < rows_[r].index.size(); ++axis)
      code_.set(fn.params[axis], Uniform{rows_[r].index[axis]});
    code_.set(fn.params.back(), index);
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(fn, written_);
    written_ = together_ == 1 ? lane_level : 1;
    store_beside(rows_[r], index);
    return combined_of(code_);
  }

  // The elements that are results, too.
  void store_beside(const Row& row, const Lanes& index) {
    const Kernel& kernel = code_.kernel();
    if (kernel.stored == 0) return;
    const auto* linear = std::get_if<Affine>(&index);
    V first = linear ? linear->base : std::get<Uniform>(index).value;
    V at = code_.b.CreateAdd(code_.b.CreateMul(row.number, code_.extent(kernel.rank - 1)), first);
    for_each_stored(code_,
                    [&](std::size_t output, V value) { code_.store(output, at, value, false); });
  }

  [[nodiscard]] Values of_row(const Values& all, std::size_t r) const {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r * leaves());
    return {begin, begin + static_cast<std::ptrdiff_t>(leaves())};
  }

  static void append(Values& all, const Values& some) {
    all.insert(all.end(), some.begin(), some.end());
  }

  Values fold_lanes(V begin, V end) {
    Values start, results;
    for (std::size_t r = 0; r < rows_.size(); ++r) append(start, identities(code_));
    const Values state =
        in_vectors(code_, begin, end, start, [&](V index, const Values& left, bool tail) {
          Values next;
          for (std::size_t r = 0; r < rows_.size(); ++r) {
            const Values right = element(r, Affine{index, code_.i64(1)});
            append(next, combined_by_table(code_, of_row(left, r), right));
          }
          for (std::size_t i = 0; tail && i < next.size(); ++i)
            next[i] = code_.b.CreateSelect(code_.mask, next[i], left[i]);
          return next;
        });
    for (std::size_t r = 0; r < rows_.size(); ++r)
      append(results, lanes_combined(code_, of_row(state, r)));
    return results;
  }

  Values fold_in_order(V begin, V end) {
    return counted(code_, begin, end, 1, zeros(code_, code_.kernel().combine.results),
                   [&](V index, const Values& left) {
                     const Values right = element(0, Uniform{index});
                     return combined_unless(code_, code_.b.CreateICmpEQ(index, begin), left, right);
                   });
  }

  // In order, too: each lane folds a run of neighbours, of which there are as many as lanes. What
  // is left is folded after them.
  Values fold_runs(V begin, V end) {
    auto& b = code_.b;
    V lanes = code_.i64(code_.lanes());
    V run = length_of_runs(b.CreateUDiv(b.CreateSub(end, begin), lanes));
    V rest = b.CreateAdd(begin, b.CreateMul(run, lanes));
    V some = b.CreateICmpSGT(run, code_.i64(0));
    const Values nothing = zeros(code_, code_.kernel().element.results);
    Values all = guarded(code_, some, nothing, [&] { return runs_joined(fold_each(begin, run)); });
    code_.mask = lanes_on(code_.lanes());
    all = guarded(code_, b.CreateICmpSLT(rest, end), all, [&] {
      return counted(code_, rest, end, 1, all, [&](V index, const Values& left) {
        const Values right = element(0, Affine{index, code_.i64(0)});
        return combined_unless(code_, b.CreateICmpEQ(index, begin), left, right);
      });
    });
    code_.mask = nullptr;
    for (V& value : all) value = b.CreateExtractElement(value, code_.i64(0));
    return all;
  }

  // A little less than the whole, so that lanes do not read addresses of one set of the cache.
  V length_of_runs(V all) {
    V less = code_.b.CreateSub(all, code_.i64(16));
    return code_.b.CreateSelect(code_.b.CreateICmpSGE(all, code_.i64(512)), less, all);
  }

  // Lane l has the run that begins at begin + l * run.
  Values fold_each(V begin, V run) {
    auto& b = code_.b;
    const Values start = element(0, Affine{begin, run});
    return guarded(code_, b.CreateICmpSGT(run, code_.i64(1)), start, [&] {
      return counted(code_, code_.i64(1), run, 1, start, [&](V at, const Values& left) {
        return combined(code_, left, element(0, Affine{b.CreateAdd(begin, at), run}));
      });
    });
  }

  // The first lane gets all of them, pair by pair; only the first of each pair is on.
  Values runs_joined(Values state) {
    const int lanes = static_cast<int>(code_.lanes());
    for (int apart = 1; apart < lanes; apart *= 2) {
      llvm::SmallVector<int, 64> others;
      for (int lane = 0; lane < lanes; ++lane) others.push_back((lane + apart) % lanes);
      Values right;
      for (V value : state) right.push_back(code_.b.CreateShuffleVector(value, others));
      code_.mask = lanes_on(2 * apart);
      state = combined(code_, state, right);
    }
    code_.mask = nullptr;
    return state;
  }

  // The first lane, and every so many lanes another one.
  V lanes_on(int step) {
    llvm::SmallVector<llvm::Constant*, 64> on;
    for (int lane = 0; lane < static_cast<int>(code_.lanes()); ++lane)
      on.push_back(code_.b.getInt1(lane % step == 0));
    return llvm::ConstantVector::get(on);
  }

  llvm::Function *function_, *finish_;
  LaneCode code_;
  bool in_order_, has_lanes_;
  std::int64_t together_;
  std::vector<Row> rows_;  // that are folded together
  unsigned written_ = 0;   // levels above this one have their statements
};

// -- along an outer axis ----------------------------------------------------------------------

class LaneEmitter {
 public:
  LaneEmitter(const KernelModule& module, unsigned lanes)
      : function_(declare_run(module)),
        code_(module, function_, lanes) {}

  void run() {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    code_.hoisting.add(kernel.element, element_places(kernel, true));
    hoist_operator(code_, true);
    std::vector<Place> places(kernel.rank - 1, Place{1, Spread::uniform});
    places.back().spread = Spread::affine;
    places.resize(kernel.epilogue.params.size(), Place{lane_level, Spread::varying});
    code_.hoisting.add(kernel.epilogue, places);
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 2);
    OpenLevel row(code_, 1);
    V start = b.CreateMul(rows.row, code_.extent(kernel.rank - 2));
    in_vectors(code_, function_->getArg(3), function_->getArg(4), {},
               [&](V column, const Values&, bool tail) {
                 set_indices(kernel.element, rows, column);
                 V target = b.CreateAdd(start, column);
                 finish(rows, column, target, fold(target, tail));
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
    code_.set(fn.params[rows.index.size()], Affine{column, code_.i64(1)});
  }

  Values fold(V target, bool tail) {
    const Kernel& kernel = code_.kernel();
    V depth = code_.extent(kernel.rank - 1);
    const bool seeded = !kernel.seed.empty(), table = kernel.lane_operator.commutative;
    OpenLevel columns(code_, lane_level);
    Values start = seeded  ? lanes_of(code_, kernel.seed)
                   : table ? identities(code_)
                           : zeros(code_, kernel.combine.results);
    Values results = counted(
        code_, code_.i64(0), code_.extent(kernel.rank - 1), 1, start, [&](V k, const Values& left) {
          code_.set(kernel.element.params.back(), Uniform{k});
          code_.level_blocks.resize(lane_level + 1);
          code_.level_blocks.push_back(code_.b.GetInsertBlock());
          code_.run_hoisted(kernel.element, tail ? lane_level : 0);
          V at = code_.b.CreateAdd(code_.b.CreateMul(target, depth), k);
          for_each_stored(code_, [&](std::size_t output, V value) {
            code_.store_at(output, Affine{at, depth}, value);
          });
          const Values right = combined_of(code_);
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
  explicit FinishEmitter(const KernelModule& module)
      : function_(declare_finish(module)),
        code_(module, function_, 1) {}

  llvm::Function* run() {
    const Kernel& kernel = code_.kernel();
    const Region& epilogue = kernel.epilogue;
    V row = function_->getArg(1);
    const Values index = split_row(code_, row, outer_axes(kernel));
    const Values leaves = kernel.lanes == kernels::FoldLanes::outer
                              ? lanes_of(code_, kernel.seed)
                              : tiles(count(index), function_->getArg(3));
    set_lanes(code_, std::span(epilogue.params).first(index.size()), index);
    set_lanes(code_, std::span(epilogue.params).subspan(index.size()), leaves);
    code_.run(epilogue);
    for (std::size_t i = 0; i < epilogue.results.size(); ++i)
      code_.store(i, row, code_.scalar(epilogue.results[i]), false);
    code_.b.CreateRetVoid();
    return function_;
  }

 private:
  // Of the parts of a segment those that are not empty.
  V count(const Values& index) {
    auto& b = code_.b;
    V given = function_->getArg(2);
    if (!code_.kernel().range) return given;
    const Segment segment = segment_of(code_, index);
    V elements = b.CreateSub(segment.end, segment.begin);
    const auto at_least_one = [&](V x) {
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, code_.i64(1));
    };
    V length = part_length(code_, elements, at_least_one(given));
    return part_length(code_, elements, at_least_one(length));
  }

  Values tiles(V count, V scratch) {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    const bool seeded = !kernel.seed.empty();
    const Values start =
        seeded ? lanes_of(code_, kernel.seed) : zeros(code_, kernel.combine.results);
    return guarded(code_, b.CreateICmpSGT(count, code_.i64(0)), start, [&] {
      return counted(code_, code_.i64(0), count, 1, start, [&](V tile, const Values& left) {
        const Values right = load_tile(tile, scratch);
        if (seeded) return combined(code_, left, right);
        return combined_unless(code_, b.CreateICmpEQ(tile, code_.i64(0)), left, right);
      });
    });
  }

  Values load_tile(V tile, V scratch) {
    const auto& results = code_.kernel().combine.results;
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

llvm::Function* emit_fold_finish(const KernelModule& module) { return FinishEmitter(module).run(); }

void emit_fold(const KernelModule& module, const Strategy& strategy) {
  if (module.kernel.range) return emit_segments(module, strategy);
  const bool outer = module.kernel.lanes == kernels::FoldLanes::outer;
  llvm::Function* finish = nullptr;
  if (exports_finish(module.kernel)) finish = emit_fold_finish(module);
  if (strategy.contraction.rows > 0) emit_contraction(module, strategy.contraction);
  if (module.kernel.folded > 1 || module.kernel.interior) {
    emit_fold_axes(module, strategy, finish);
    return;
  }
  if (outer)
    LaneEmitter(module, strategy.lanes).run();
  else
    TileEmitter(module, strategy, finish).run();
}

}  // namespace hasten::backends::cpu
