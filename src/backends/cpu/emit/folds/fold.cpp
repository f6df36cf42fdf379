// Folds along the reduction, in tiles, and the code that joins tiles. Folds with a result per lane
// are in fold_across.cpp.
#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/folds/segment.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/skeletons.hpp"

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Region;
using kernels::Value;
using V = llvm::Value*;

namespace {

// -- along the reduction ----------------------------------------------------------------------

class TileEmitter {
 public:
  TileEmitter(const KernelModule& module, llvm::Function* function,
              const kernels::Schedule& schedule, llvm::Function* finish)
      : function_(function),
        finish_(finish),
        code_(module, function_, schedule.lanes),
        in_order_(schedule.in_order),
        has_lanes_(schedule.lanes > 1),
        together_(schedule.rows_together) {}

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

  // The slots for the tiles of a group's rows.
  V slots(std::size_t r) {
    V scratch = function_->getArg(5);
    if (r == 0) return scratch;
    V before = code_.b.CreateMul(function_->getArg(4), number(r * leaves()));
    return code_.b.CreateGEP(code_.b.getInt64Ty(), scratch, before);
  }

  void store_tile(V tile) {
    auto& b = code_.b;
    V depth = code_.extent(code_.kernel().rank - 1);
    V begin = b.CreateNSWMul(tile, code_.i64(tile_elements));
    V end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                    b.CreateNSWAdd(begin, code_.i64(tile_elements)), depth);
    if (code_.kernel().in_order) end = depth;  // the end of the only tile
    const Values folded = !in_order_   ? fold_lanes(begin, end)
                          : has_lanes_ ? fold_runs(begin, end)
                                       : fold_in_order(begin, end);
    V slot = b.CreateMul(tile, number(leaves()));
    for (std::size_t r = 0; r < rows_.size(); ++r)
      for (std::size_t i = 0; i < leaves(); ++i)
        code_.store_slot(slots(r), b.CreateAdd(slot, number(i)), folded[r * leaves() + i]);
  }

  // Each value has one name, so code that depends on the row is emitted again for each row of a
  // group, and code that depends on the lanes again for the masked copy.
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

  // Stores the elements that are results, too.
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
    const Kernel& kernel = code_.kernel();
    if (kernel.in_order && !kernel.seed.empty())
      return counted(code_, begin, end, 1, lanes_of(code_, kernel.seed),
                     [&](V index, const Values& left) {
                       return combined(code_, left, element(0, Uniform{index}));
                     });
    return counted(code_, begin, end, 1, zeros(code_, code_.kernel().combine.results),
                   [&](V index, const Values& left) {
                     const Values right = element(0, Uniform{index});
                     return combined_unless(code_, code_.b.CreateICmpEQ(index, begin), left, right);
                   });
  }

  // In order, too: each lane folds a run of neighbours, with as many runs as lanes. The elements
  // left are folded after them.
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

  // The first lane collects all of them, pair by pair; only the first lane of each pair is on.
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

  // The first lane, and every `step`-th lane after it.
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
  std::vector<Row> rows_;  // folded together
  unsigned written_ = 0;   // the statements of levels above this one have been emitted
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
    const bool has_tiles =
        kernel.lanes == kernels::FoldLanes::reduction || has_column_parts(kernel);
    const Values leaves =
        has_tiles ? tiles(count(index), function_->getArg(3)) : lanes_of(code_, kernel.seed);
    set_lanes(code_, std::span(epilogue.params).first(index.size()), index);
    set_lanes(code_, std::span(epilogue.params).subspan(index.size()), leaves);
    code_.run(epilogue);
    for (std::size_t i = 0; i < epilogue.results.size(); ++i)
      code_.store(i, row, code_.scalar(epilogue.results[i]), false);
    code_.b.CreateRetVoid();
    return function_;
  }

 private:
  // The number of non-empty parts of a segment.
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
        if (seeded && !kernel.in_order) return combined(code_, left, right);
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

// -- which way -----------------------------------------------------------------------------------

// Lanes across the rows of a kernel whose lanes run along them. Each lane has borders of its own.
void emit_short_rows(const KernelModule& module, unsigned lanes, Form form) {
  Kernel kernel = module.kernel;
  kernel.lanes = kernels::FoldLanes::outer;
  kernel.interior.reset();
  const KernelModule turned{module.llvm,    kernel,        module.machine,
                            module.options, module.layout, module.known};
  emit_fold_across(turned, declare_run(turned, form), lanes, false);
}

// Short rows, or columns that fill no whole vector.
void emit_short_form(const KernelModule& module, const kernels::Schedule& schedule) {
  if (module.kernel.lanes == kernels::FoldLanes::reduction)
    return emit_short_rows(module, schedule.lanes_across, Form::short_rows);
  emit_narrow_columns(module, declare_run(module, Form::short_rows), schedule);
}

void emit_known_rows(const KernelModule& module, const kernels::Schedule& schedule, Form form) {
  KernelModule knowing = module;
  knowing.known = known_numbers(module.kernel, schedule, form);
  if (module.kernel.lanes == kernels::FoldLanes::reduction)
    return emit_short_rows(knowing, schedule.lanes_of_rows, form);
  emit_few_columns(knowing, declare_run(module, form), schedule.lanes_of_rows);
}

}  // namespace

llvm::Function* emit_fold_finish(const KernelModule& module) { return FinishEmitter(module).run(); }

namespace {

void emit_usual_fold(const KernelModule& module, const kernels::Schedule& schedule) {
  if (module.kernel.range) return emit_segments(module, schedule);
  llvm::Function* finish = nullptr;
  if (exports_finish(module.kernel)) finish = emit_fold_finish(module);
  if (schedule.packed.rows > 0) emit_contraction(module, schedule.packed);
  if (module.kernel.folded > 1 || module.kernel.interior)
    return emit_fold_axes(module, schedule, finish);
  llvm::Function* run = declare_run(module);
  if (module.kernel.lanes == kernels::FoldLanes::outer)
    return emit_fold_across(module, run, schedule.lanes, has_column_parts(module.kernel));
  TileEmitter(module, run, schedule, finish).run();
}

}  // namespace

void emit_fold(const KernelModule& module, const kernels::Schedule& schedule, const Forms& forms) {
  if (has(forms, Form::usual)) emit_usual_fold(module, schedule);
  if (has(forms, Form::short_rows)) emit_short_form(module, schedule);
  for (const Form form : {Form::rows_of_2, Form::rows_of_3, Form::rows_of_4})
    if (has(forms, form)) emit_known_rows(module, schedule, form);
  for (const Form form : {Form::mixed_rows_of_2, Form::mixed_rows_of_3, Form::mixed_rows_of_4})
    if (has(forms, form)) emit_known_results(module, schedule, form);
  if (has(forms, Form::joined_rows))
    emit_joined_rows(module, declare_run(module, Form::joined_rows), schedule.lanes_joined);
  if (has(forms, Form::few_results))
    emit_few_results(module, declare_run(module, Form::few_results), schedule.lanes_outside);
  if (has(forms, Form::across_blocks))
    emit_blocks_of_results(module, declare_run(module, Form::across_blocks), schedule);
  if (has(forms, Form::direct_tiles)) emit_direct_tiles(module, schedule.packed);
  if (has(forms, Form::few_columns))
    emit_few_columns(module, declare_run(module, Form::few_columns), schedule.lanes_down);
}

}  // namespace hasten::backends::cpu
