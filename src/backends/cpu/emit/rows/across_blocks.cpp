// Maps whose last axis, or last two, are short, such as those of many small matrices: lanes go
// across the axis before, each with its own block of elements.
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/rows/block_reads.hpp"
#include "backends/cpu/emit/rows/known_rows.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"
#include "backends/cpu/emit/rows/short_rows.hpp"
#include "backends/cpu/emit/skeletons.hpp"

#include "core/traverse.hpp"
#include "kernels/analysis/interior.hpp"
#include "kernels/analysis/strides.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

namespace {

class AcrossBlocks {
 public:
  /// `along`: what computes the rows of blocks whose elements would be gathered, or null.
  AcrossBlocks(const KernelModule& module, llvm::Function* function, llvm::Function* along,
               const Region& element, unsigned lanes, const BlockShape& shape, Value extent_after)
      : module_(module),
        function_(function),
        along_(along),
        element_(element),
        outer_(module.kernel.rank - shape.axes),
        shape_(shape),
        code_(module, function, lanes) {
    if (extent_after != none) code_.set(extent_after, Uniform{code_.extent(module.kernel.rank)});
  }

  void run() {
    auto& b = code_.b;
    std::vector<Place> places(outer_, Place{1, Spread::uniform});
    places.back() = {lane_level, Spread::affine};
    places.resize(module_.kernel.rank, {lane_level + 1, Spread::uniform});
    code_.hoisting.add(element_, places);
    reads_ = find_block_reads(code_.hoisting, code_.kernel(), element_);
    for (const BlockReads& reads : reads_) slots_.push_back(slot(reads));
    OpenLevel entry(code_, 0);
    columns_ = code_.extent(module_.kernel.rank - std::size_t{1});
    rows_ = shape_.axes == 2 ? code_.extent(outer_) : code_.i64(1);
    block_ = b.CreateMul(rows_, columns_);
    in_runs(code_, function_->getArg(1), function_->getArg(2),
            [&](V row) { return run_of_blocks(row); });
    entry.close();
    b.CreateRetVoid();
  }

 private:
  /// Which elements of an array a block reads.
  struct Range {
    V low, count, distance;  // of the first lane's block, and from lane to lane
    V fits;                  // whether they are few enough, and equally far apart in all lanes
  };

  // The type of elements in memory that lanes read one after the other.
  [[nodiscard]] llvm::Type* memory_of(const BlockReads& reads) const {
    return memory_type(code_.b.getContext(), code_.kernel().inputs[reads.array]);
  }

  llvm::AllocaInst* slot(const BlockReads& reads) {
    auto* vector = llvm::FixedVectorType::get(memory_of(reads), code_.lanes());
    llvm::AllocaInst* slot =
        code_.stack_slot(llvm::ArrayType::get(vector, static_cast<std::uint64_t>(shape_.elements)));
    slot->setAlignment(llvm::Align(64));
    return slot;
  }

  // Returns the block after the last one.
  V run_of_blocks(V row) {
    auto& b = code_.b;
    const Values index = split_row(code_, row, outer_);
    V count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                      b.CreateSub(code_.extent(outer_ - 1), index.back()),
                                      b.CreateSub(function_->getArg(2), row));
    for (std::size_t axis = 0; axis + 1 < outer_; ++axis)
      code_.set(element_.params[axis], Uniform{index[axis]});
    OpenLevel level(code_, 1);
    if (module_.known.number > 0)
      known_.emplace(module_, code_, element_, element_.params.size() - 1);
    ranges_.clear();
    for (const BlockReads& reads : reads_) ranges_.push_back(range_of(reads, index.back()));
    V end = b.CreateAdd(index.back(), count);
    if (!along_) {
      vectors_of_blocks(row, index.back(), end);
    } else {
      V fits = b.getTrue();
      for (const Range& range : ranges_)
        fits = range.low ? b.CreateAnd(fits, range.fits) : b.getFalse();
      code_.when(fits, "blocks", [&] { vectors_of_blocks(row, index.back(), end); });
      code_.when(b.CreateNot(fits), "along", [&] { go_along(row, b.CreateAdd(row, count)); });
    }
    level.close();
    return b.CreateAdd(row, count);
  }

  void go_along(V row0, V row1) {
    auto& b = code_.b;
    b.CreateCall(along_, {function_->getArg(0), b.CreateMul(row0, rows_), b.CreateMul(row1, rows_),
                          code_.i64(0), columns_, function_->getArg(5), function_->getArg(6)});
  }

  void vectors_of_blocks(V row, V begin, V end) {
    auto& b = code_.b;
    in_vectors(code_, begin, end, {}, [&](V first, const Values&, bool tail) {
      V on = tail ? b.CreateSub(end, first) : code_.i64(code_.lanes());
      V before = b.CreateSub(first, begin);
      vector_of_blocks(first, before, b.CreateMul(b.CreateAdd(row, before), block_), on, tail);
      return Values{};
    });
  }

  // -- what is read -----------------------------------------------------------------------------

  // By read; empty if some index has no uniform step from lane to lane.
  std::vector<Affine> indices_at(const LoopReads& loop, V first, V i, V k, V step) {
    code_.set(element_.params[outer_ - 1], Affine{first, code_.i64(1)});
    set_place(i, k);
    if (step) code_.set(loop.step, Uniform{step});
    for (const Stmt* stmt : loop.code) code_.run(*stmt);
    std::vector<Affine> result;
    for (const LoadLinear* read : loop.reads) {
      const auto* index = std::get_if<Affine>(&code_.get(read->index));
      if (!index) return {};
      result.push_back(*index);
    }
    return result;
  }

  void set_place(V i, V k) {
    if (shape_.axes == 2) code_.set(element_.params[outer_], Uniform{i});
    code_.set(element_.params.back(), Uniform{k});
  }

  // The steps of a loop, of which a block has so many at most; none where there is no loop.
  std::pair<V, V> steps_of(const LoopReads& loop, V& is_read) {
    if (loop.step == none) return {};
    auto& b = code_.b;
    V begin = code_.scalar(loop.begin), end = code_.scalar(loop.end);
    V most_steps = b.CreateAdd(begin, code_.i64(shape_.elements));
    is_read = b.CreateAnd(
        is_read, b.CreateAnd(b.CreateICmpSLT(begin, end), b.CreateICmpSLE(end, most_steps)));
    return {begin, least(end, most_steps)};
  }

  // Computes every index of the first lane's block once, so that nothing is read but the elements
  // that are used and those between them.
  Range range_of(const BlockReads& reads, V first) {
    auto& b = code_.b;
    V zero = code_.i64(0), is_read = b.getTrue();
    std::vector<std::pair<V, V>> steps;  // by loop
    for (const LoopReads& loop : reads.loops) {
      for (const Stmt* stmt : loop.bounds) code_.run(*stmt);
      steps.push_back(steps_of(loop, is_read));
    }
    const std::vector<Affine> at = indices_at(reads.loops[0], first, zero, zero, steps[0].first);
    if (at.empty()) return {};
    bool is_affine = true;
    const auto extended = [&](const Values& so_far, const std::vector<Affine>& indices) {
      is_affine &= !indices.empty();
      Values range = so_far;
      for (const Affine& index : indices) {
        V is_as_far = b.CreateICmpEQ(index.step, at[0].step);
        range = {least(range[0], index.base), most(range[1], index.base),
                 b.CreateAnd(range[2], is_as_far)};
      }
      return range;
    };
    const Values begin{at[0].base, at[0].base, is_read};
    const Values found = counted(code_, zero, rows_, 1, begin, [&](V i, const Values& outside) {
      return counted(code_, zero, columns_, 1, outside, [&](V k, const Values& of_element) {
        Values range = of_element;
        for (std::size_t n = 0; n < steps.size(); ++n) {
          const LoopReads& loop = reads.loops[n];
          const auto at_step = [&](V step, const Values& so_far) {
            return extended(so_far, indices_at(loop, first, i, k, step));
          };
          const auto [from, to] = steps[n];
          range = from ? counted(code_, from, to, 1, range, at_step) : at_step(nullptr, range);
        }
        return range;
      });
    });
    if (!is_affine) return {};
    V count = b.CreateAdd(b.CreateSub(found[1], found[0]), code_.i64(1));
    V is_small = b.CreateICmpULE(count, code_.i64(shape_.elements));
    return {found[0], count, at[0].step, b.CreateAnd(found[2], is_small)};
  }
  V least(V x, V y) { return code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }
  V most(V x, V y) { return code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y); }

  // Transposes, for the lanes that are on, a vector of blocks; the first block is the `before`-th
  // of the run.
  void turn(std::size_t number, V before, V on) {
    auto& b = code_.b;
    const Range& range = ranges_[number];
    const BlockReads& reads = reads_[number];
    V low = b.CreateAdd(range.low, b.CreateMul(before, range.distance));
    llvm::Type* type = memory_of(reads);
    code_.when(range.fits, "block", [&] {
      b.CreateCall(
          turn_function(module_, Turn::to_columns, type->getScalarSizeInBits(), code_.lanes()),
          {b.CreateGEP(type, code_.input(reads.array), low), range.distance, range.count, on,
           slots_[number], code_.i64(0)});
    });
    for (const LoopReads& loop : reads.loops)
      for (const LoadLinear* read : loop.reads)
        code_.kept_reads.push_back(
            {read->array, read->index, read->index, low, nullptr, slots_[number], range.fits});
  }

  // -- elements ---------------------------------------------------------------------------------

  // `on`: the number of lanes that are on, the first ones; `start`: where the first lane's block
  // goes.
  void vector_of_blocks(V first, V before, V start, V on, bool tail) {
    auto& b = code_.b;
    code_.set(element_.params[outer_ - 1], Affine{first, code_.i64(1)});
    OpenLevel blocks(code_, lane_level);
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(b.GetInsertBlock());
    code_.run_hoisted(element_, tail ? lane_level : 0, lane_level);
    if (known_ && !tail) {
      known_columns(start);
      blocks.close();
      return;
    }
    for (std::size_t i = 0; i < reads_.size(); ++i)
      if (ranges_[i].low) turn(i, before, on);
    RowWrites writes(module_, code_, 0);
    V zero = code_.i64(0);
    counted(code_, zero, rows_, 1, {}, [&](V i, const Values&) {
      counted(code_, zero, columns_, 1, {}, [&](V k, const Values&) {
        element(i, k, b.CreateAdd(b.CreateMul(i, columns_), k), start, writes);
        return Values{};
      });
      return Values{};
    });
    writes.write(start, block_, block_, on);
    code_.kept_reads.clear();
    blocks.close();
  }

  // The columns of whole rows, in registers.
  void known_columns(V start) {
    std::vector<Values> columns(element_.results.size());
    known_->each_column([&](std::int64_t) {
      for (std::size_t r = 0; r < columns.size(); ++r)
        columns[r].push_back(code_.vector(element_.results[r]));
    });
    for (std::size_t r = 0; r < columns.size(); ++r) code_.store_rows(r, start, columns[r]);
  }

  void element(V i, V k, V number, V start, RowWrites& writes) {
    auto& b = code_.b;
    set_place(i, k);
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(b.GetInsertBlock());
    code_.run_hoisted(element_, lane_level + 1);
    const Affine target{b.CreateAdd(start, number), block_};
    for (std::size_t r = 0; r < element_.results.size(); ++r) {
      V value = code_.vector(element_.results[r]);
      if (!writes.collect(r, number, value)) code_.store_apart(r, target, value);
    }
  }

  const KernelModule& module_;
  llvm::Function *function_, *along_;
  const Region& element_;
  const std::size_t outer_;  // axes
  const BlockShape shape_;
  LaneCode code_;
  V rows_ = nullptr, columns_ = nullptr, block_ = nullptr;  // elements of one
  std::vector<BlockReads> reads_;                           // by array
  std::vector<llvm::AllocaInst*> slots_;                    // the same
  std::vector<Range> ranges_;                               // the same, of a run
  std::optional<KnownRows> known_;                          // if the number of columns is known
};

}  // namespace

namespace {

// Rows of blocks that are far apart, as those of a matrix in tiles, would be gathered element by
// element. Where every read is contiguous along rows, these are run one after the other instead.
// Null where some read is not.
llvm::Function* along_rows(const KernelModule& module, unsigned lanes) {
  const std::vector<kernels::Stride> strides = kernels::read_strides(
      module.kernel, module.kernel.element, module.kernel.rank - std::size_t{1});
  if (strides.empty() || std::ranges::count(strides, kernels::Stride::other) > 0) return nullptr;
  llvm::Function* const along = declare_part(module, "hasten_along_rows");
  emit_short_rows_along(module, along, lanes);
  return along;
}

}  // namespace

void emit_across_blocks(const KernelModule& module, llvm::Function* function, unsigned lanes,
                        const BlockShape& shape, Value extent_after) {
  kernels::Kernel whole = module.kernel;
  whole.interior.reset();
  kernels::Kernel kernel = whole;
  kernels::find_interior(kernel, kernels::InteriorAxes::all);
  const auto with = [&](const kernels::Kernel& of) {
    return KernelModule{module.llvm,   of,          module.machine, module.options,
                        module.layout, module.known};
  };
  const KernelModule own = with(kernel);
  // Where the number of columns is known, the columns alone may put elements outside the interior,
  // and then most are. The limits of these elements are still those of few vectors.
  const KernelModule outside = with(module.known.number > 0 ? whole : kernel);
  const bool may_go_along = shape.axes == 2 && extent_after == none;
  llvm::Function* const along = may_go_along ? along_rows(module, lanes / 2) : nullptr;
  const auto emit = [&](const KernelModule& of, llvm::Function* to, const Region& element,
                        unsigned own_lanes) {
    AcrossBlocks(of, to, along, element, own_lanes, shape, extent_after).run();
    return to;
  };
  if (!kernel.interior) return static_cast<void>(emit(own, function, kernel.element, lanes));
  // Corrected indices are gathered, small elements lane by lane: more lanes have more to load.
  // Where lines are one row, code for more lanes would hardly ever run, and takes long to compile.
  const unsigned few = std::min(lanes, module.machine.lanes(4));
  llvm::Function* const line = shape.line_lanes > 0 ? rows_of_line(own, shape.line_lanes) : nullptr;
  llvm::Function* const inside =
      emit(own, declare_part(own, "hasten_inside"), kernel.interior->element, line ? few : lanes);
  llvm::Function* const anywhere =
      emit(outside, declare_part(own, "hasten_anywhere"), outside.kernel.element, few);
  call_inside(own, function, kernel.rank - shape.axes, inside, anywhere, line);
}

}  // namespace hasten::backends::cpu
