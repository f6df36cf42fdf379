// Folds with lanes along an outer axis: each lane has results of its own, in order. If columns are
// few and long, a launch cuts them into parts, which `finish` joins; the cut follows from extents,
// so results do not depend on the number of threads.
#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/rows/known_rows.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"
#include "backends/cpu/emit/skeletons.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Region;
using V = llvm::Value*;

namespace {

class AcrossEmitter {
 public:
  AcrossEmitter(const KernelModule& module, llvm::Function* function, unsigned lanes,
                bool has_parts, bool is_whole = false)
      : module_(module),
        function_(function),
        code_(module, function, lanes),
        column_axis_(outer_axes(module.kernel) - 1),
        has_parts_(has_parts),
        is_whole_(is_whole) {}

  void run() {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    code_.hoisting.add(kernel.element, element_places(kernel, true));
    hoist_operator(code_, true);
    std::vector<Place> places(column_axis_ + 1, Place{1, Spread::uniform});
    places.back().spread = Spread::affine;
    places.resize(kernel.epilogue.params.size(), Place{lane_level, Spread::varying});
    code_.hoisting.add(kernel.epilogue, places);
    OpenLevel entry(code_, 0);
    begin_ = code_.i64(0), end_ = code_.extent(column_axis_ + 1);
    for (std::size_t axis = column_axis_ + 2; axis < kernel.rank; ++axis)
      end_ = b.CreateMul(end_, code_.extent(axis));
    if (has_parts_) choose_part();
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), column_axis_);
    OpenLevel row(code_, 1);
    if (module_.known.number > 0) known_.emplace(module_, code_, element(), kernel.rank - 1);
    V start = b.CreateMul(rows.row, code_.extent(column_axis_));
    V end = function_->getArg(4);
    const auto vector = [&](V column, const Values&, bool tail) {
      set_indices(kernel.element, rows, column);
      V target = b.CreateAdd(start, column);
      V lanes_on = tail ? b.CreateSub(end, column) : code_.i64(code_.lanes());
      const Values results = fold(target, lanes_on, tail);
      if (!has_parts_) return finish(rows, column, target, results), Values{};
      code_.when(is_part_, "part", [&] { store_part(rows, column, results); });
      code_.when(b.CreateNot(is_part_), "whole", [&] { finish(rows, column, target, results); });
      return Values{};
    };
    if (is_whole_)
      counted(code_, function_->getArg(3), end, code_.lanes(), {},
              [&](V column, const Values& none) { return vector(column, none, false); });
    else
      in_vectors(code_, function_->getArg(3), end, {}, vector);
    row.close();
    rows.close();
    entry.close();
    b.CreateRetVoid();
  }

 private:
  // The steps of a ColumnPart, or all.
  void choose_part() {
    auto& b = code_.b;
    is_part_ = b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_parts)), code_.i64(0),
                              "is_part");
    const Values steps = guarded(code_, is_part_, {begin_, end_},
                                 [&] { return Values{word_of_part(0), word_of_part(1)}; });
    begin_ = steps[0], end_ = steps[1];
  }

  // A member of the ColumnPart.
  V word_of_part(std::int64_t number) {
    auto& b = code_.b;
    V at = b.CreateGEP(b.getInt64Ty(), function_->getArg(5), code_.i64(number));
    return b.CreateAlignedLoad(b.getInt64Ty(), at, llvm::Align(8));
  }

  void store_part(const RowLoop& rows, V column, const Values& results) {
    auto& b = code_.b;
    V words = b.CreateIntToPtr(word_of_part(2), b.getPtrTy());
    V first = b.CreateAdd(b.CreateMul(rows.row, word_of_part(3)), column), size = word_of_part(4);
    for (std::size_t i = 0; i < results.size(); ++i) {
      V at = b.CreateAdd(b.CreateMul(size, code_.i64(static_cast<std::int64_t>(i))), first);
      b.CreateAlignedStore(code_.slot_words(results[i]), b.CreateGEP(b.getInt64Ty(), words, at),
                           llvm::Align(8));
    }
  }

  // A part has no seed: `finish` begins with the seed.
  Values start() {
    Values result = start_of_lanes(code_);
    if (!has_parts_ || code_.kernel().seed.empty()) return result;
    const Values nothing = identities(code_);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = code_.b.CreateSelect(is_part_, nothing[i], result[i]);
    return result;
  }

  void set_indices(const Region& fn, const RowLoop& rows, V column) {
    for (std::size_t axis = 0; axis < rows.index.size(); ++axis)
      code_.set(fn.params[axis], Uniform{rows.index[axis]});
    code_.set(fn.params[rows.index.size()], Affine{column, code_.i64(1)});
  }

  [[nodiscard]] const Region& element() const { return code_.kernel().element; }

  Values fold(V target, V lanes_on, bool tail) {
    OpenLevel columns(code_, lane_level);
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(element(), tail ? lane_level : 0, lane_level);
    if (known_ && !tail) {
      Values results = fold_known(target);
      columns.close();
      return results;
    }
    const auto of_reductions = rows_of_reductions(module_, code_, element(), lanes_on);
    Values results = fold_steps(target, lanes_on);
    columns.close();
    return results;
  }

  // Folds whole rows in registers.
  Values fold_known(V target) {
    const Kernel& kernel = code_.kernel();
    const bool seeded = !kernel.seed.empty(), table = kernel.lane_operator.commutative;
    Values left = start();
    std::vector<Values> stored(kernel.outputs.size());
    known_->each_column([&](std::int64_t column) {
      for_each_stored(code_, [&](std::size_t output, V value) { stored[output].push_back(value); });
      const Values right = combined_of(code_);
      if (table)
        left = combined_by_table(code_, left, right);
      else
        left = seeded || column > 0 ? combined(code_, left, right) : right;
    });
    V at = code_.b.CreateMul(target, code_.extent(kernel.rank - 1));
    for (std::size_t output = 0; output < stored.size(); ++output)
      if (!stored[output].empty()) code_.store_rows(output, at, stored[output]);
    return left;
  }

  // Steps along several axes, whose indices are counted up with a carry.
  Values fold_axes(const Values& first) {
    const std::size_t axes = code_.kernel().folded, leaves = first.size();
    Values state = first;
    state.resize(leaves + axes, code_.i64(0));
    state = counted(code_, begin_, end_, 1, state, [&](V k, const Values& left) {
      const Values index(left.begin() + static_cast<std::ptrdiff_t>(leaves), left.end());
      for (std::size_t i = 0; i < axes; ++i)
        code_.set(element().params[column_axis_ + 1 + i], Uniform{index[i]});
      compute_step();
      Values next =
          combine(Values(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(leaves)),
                  combined_of(code_), k);
      const Values after = next_index(code_, index, column_axis_ + 1);
      next.insert(next.end(), after.begin(), after.end());
      return next;
    });
    state.resize(leaves);
    return state;
  }

  // Goes in blocks of steps if lanes read or write rows of their own.
  Values fold_steps(V target, V lanes_on) {
    const Values first = start();
    if (code_.kernel().folded > 1) return fold_axes(first);
    PrivateRows reads(module_, code_, element(), element().params.back());
    RowWrites writes(module_, code_, module_.kernel.outputs.size() - module_.kernel.stored);
    if (!reads.found() && !writes.found()) return fold_block(target, writes, begin_, end_, first);
    std::int64_t steps = std::max(reads.steps_max(), writes.steps_max());
    if (reads.found() && writes.found()) steps = std::min(reads.steps_max(), writes.steps_max());
    return counted(code_, begin_, end_, steps, first, [&](V begin, const Values& left) {
      V count = least(code_.b.CreateSub(end_, begin), steps);
      reads.read(Uniform{begin}, count, lanes_on);
      Values folded = fold_block(target, writes, begin, code_.b.CreateAdd(begin, count), left);
      writes.write(place(target, begin), code_.extent(code_.kernel().rank - 1), count, lanes_on);
      return folded;
    });
  }

  V least(V a, std::int64_t b) {
    return code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, code_.i64(b));
  }

  // The position of the first lane's k-th element among all elements.
  V place(V target, V k) {
    V depth = code_.extent(code_.kernel().rank - 1);
    return code_.b.CreateAdd(code_.b.CreateMul(target, depth), k);
  }

  Values fold_block(V target, RowWrites& writes, V begin, V end, const Values& start) {
    const Kernel& kernel = code_.kernel();
    return counted(code_, begin, end, 1, start, [&](V k, const Values& left) {
      code_.set(element().params.back(), Uniform{k});
      compute_step();
      for_each_stored(code_, [&](std::size_t output, V value) {
        if (writes.collect(output, code_.b.CreateSub(k, begin), value)) return;
        code_.store_at(output, Affine{place(target, k), code_.extent(kernel.rank - 1)}, value);
      });
      return combine(left, combined_of(code_), k);
    });
  }

  void compute_step() {
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(element(), lane_level + 1);
  }

  Values combine(const Values& left, const Values& right, V k) {
    const Kernel& kernel = code_.kernel();
    if (kernel.lane_operator.commutative) return combined_by_table(code_, left, right);
    if (!kernel.seed.empty()) return combined(code_, left, right);
    return combined_unless(code_, code_.b.CreateICmpEQ(k, begin_), left, right);
  }

  void finish(const RowLoop& rows, V column, V target, const Values& results) {
    const Region& epilogue = code_.kernel().epilogue;
    set_indices(epilogue, rows, column);
    set_lanes(code_, std::span(epilogue.params).subspan(rows.index.size() + 1), results);
    code_.run(epilogue);
    for (std::size_t i = 0; i < epilogue.results.size(); ++i)
      code_.store(i, target, code_.vector(epilogue.results[i]), false);
  }

  const KernelModule& module_;
  llvm::Function* function_;
  LaneCode code_;
  std::size_t column_axis_;
  bool has_parts_;
  bool is_whole_;                      // columns fill whole vectors
  std::optional<KnownRows> known_;     // if the number of steps is known
  V is_part_ = nullptr;                // whether this is a part, if there are parts
  V begin_ = nullptr, end_ = nullptr;  // of the steps
};

}  // namespace

void emit_fold_across(const KernelModule& module, llvm::Function* function, unsigned lanes,
                      bool has_parts) {
  AcrossEmitter(module, function, lanes, has_parts).run();
}

void emit_narrow_columns(const KernelModule& module, llvm::Function* function,
                         const kernels::Schedule& schedule) {
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(function->getContext(), "entry", function));
  V begin = function->getArg(3);
  const V end = function->getArg(4);
  for (unsigned lanes = schedule.lanes / 2; lanes >= schedule.lanes_along; lanes /= 2) {
    const bool is_last = lanes / 2 < schedule.lanes_along;
    const std::string name = "columns_by_" + std::to_string(lanes);
    llvm::Function* part = declare_part(module, name.c_str());
    AcrossEmitter(module, part, lanes, has_column_parts(module.kernel), !is_last).run();
    V whole = b.CreateAnd(b.CreateSub(end, begin), b.getInt64(-static_cast<std::int64_t>(lanes)));
    V last = is_last ? end : b.CreateAdd(begin, whole);
    auto* const run = llvm::BasicBlock::Create(function->getContext(), "columns", function);
    auto* const next = llvm::BasicBlock::Create(function->getContext(), "next", function);
    b.CreateCondBr(b.CreateICmpSLT(begin, last), run, next);
    b.SetInsertPoint(run);
    llvm::SmallVector<V, 7> arguments;
    for (llvm::Argument& argument : function->args()) arguments.push_back(&argument);
    arguments[3] = begin, arguments[4] = last;
    b.CreateCall(part, arguments);
    b.CreateBr(next);
    b.SetInsertPoint(next);
    begin = last;
  }
  b.CreateRetVoid();
}

}  // namespace hasten::backends::cpu
