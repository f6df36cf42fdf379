// Whole tiles of a row, one for each lane, for operators that need an order: each lane goes through
// its tile in order, as scalar code would, and the elements of all lanes are read and written in
// blocks.
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"
#include "backends/cpu/emit/scans/scan.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

namespace hasten::backends::cpu {

using kernels::Kernel;
using V = llvm::Value*;

namespace {

class RunScanner {
 public:
  RunScanner(const KernelModule& module, llvm::Function* function, unsigned lanes,
             llvm::Function* others)
      : module_(module),
        function_(function),
        others_(others),
        code_(module, function, lanes),
        seeded_(!module.kernel.seed.empty()) {}

  void run() {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    place_regions();
    OpenLevel entry(code_, 0);
    size_ = scan_tile_size(code_);
    V totals =
        b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_totals)), code_.i64(0));
    V first = function_->getArg(3), whole = whole_tiles();
    code_.when(b.CreateICmpSLT(first, whole), "whole", [&] {
      RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 1);
      for (std::size_t axis = 0; axis < rows.index.size(); ++axis)
        for (const kernels::Region* region : {&kernel.element, &kernel.epilogue})
          code_.set(region->params[axis], Uniform{rows.index[axis]});
      OpenLevel row(code_, 1);
      row_start_ = b.CreateMul(rows.row, row_length(code_));
      in_vectors(code_, first, whole, {}, [&](V tile, const Values&, bool tail) {
        tile_ = tile, tail_ = tail;
        on_ = tail ? b.CreateSub(whole, tile) : code_.i64(code_.lanes());
        go_through(totals);
        return Values{};
      });
      row.close();
      rows.close();
    });
    entry.close();
    run_others(b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first, whole));
    b.CreateRetVoid();
  }

 private:
  // An element's index varies from lane to lane, and with the step.
  void place_regions() {
    const Kernel& kernel = code_.kernel();
    code_.hoisting.add(kernel.element, places_of_runs(kernel));
    hoist_operator(code_, true);
    std::vector<Place> places(kernel.rank, Place{1, Spread::uniform});
    places.resize(kernel.epilogue.params.size() + 1, Place{lane_level, Spread::varying});
    places.erase(places.begin());  // the last index varies, too
    code_.hoisting.add(kernel.epilogue, places);
  }

  // The end of the whole tiles in the function's range.
  V whole_tiles() {
    auto& b = code_.b;
    V all = b.CreateUDiv(code_.extent(code_.kernel().rank - 1), size_);
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, function_->getArg(4), all);
  }

  void run_others(V first) {
    auto& b = code_.b;
    // The other function stores the seed of an empty row.
    V end = function_->getArg(4), no_tiles = b.CreateICmpEQ(function_->getArg(3), end);
    code_.when(b.CreateOr(b.CreateICmpSLT(first, end), no_tiles), "others", [&] {
      llvm::SmallVector<V, 8> arguments;
      for (llvm::Argument& argument : function_->args()) arguments.push_back(&argument);
      arguments[3] = first;
      b.CreateCall(others_, arguments);
    });
  }

  void go_through(V totals) {
    OpenLevel columns(code_, lane_level);
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(code_.kernel().element, tail_ ? lane_level : 0, lane_level);
    code_.when(totals, "totals", [&] {
      const Values nothing = zeros(code_, code_.kernel().element.results);
      store_slots(in_blocks(nothing, [&](V k, const Values& left) {
        return combined_unless(code_, is_first(k), left, element_at(k));
      }));
    });
    code_.when(code_.b.CreateNot(totals), "scan", [&] { scan(); });
    columns.close();
  }

  // -- elements -----------------------------------------------------------------------------------

  // Lane l has the l-th tile after the first lane's.
  [[nodiscard]] Affine index_of(V k) {
    V begin = code_.b.CreateMul(tile_, size_);
    return {code_.b.CreateAdd(begin, k), size_};
  }

  Values element_at(V k) {
    const kernels::Region& fn = code_.kernel().element;
    code_.set(fn.params.back(), index_of(k));
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(fn, lane_level + 1);
    return lanes_of(code_, fn.results);
  }

  using Step = llvm::function_ref<Values(V k, const Values& left)>;

  Values in_blocks(const Values& start, Step step) {
    return in_blocks(start, 0, step, [](V, V) {});
  }

  /// Calls `after` behind each block with its begin and its end.
  Values in_blocks(const Values& start, std::int64_t steps_max, Step step,
                   llvm::function_ref<void(V, V)> after) {
    auto& b = code_.b;
    const kernels::Region& fn = code_.kernel().element;
    PrivateRows reads(module_, code_, fn, fn.params.back());
    std::int64_t steps = reads.found() ? reads.steps_max() : ordered_tile_max;
    if (steps_max > 0) steps = std::min(steps, steps_max);
    return counted(code_, code_.i64(0), size_, steps, start, [&](V begin, const Values& left) {
      V end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                      b.CreateNSWAdd(begin, code_.i64(steps)), size_);
      block_begin_ = begin;
      reads.read(index_of(begin), b.CreateSub(end, begin), on_);
      const Values next = counted(code_, begin, end, 1, left, step);
      after(begin, end);
      return next;
    });
  }

  // -- scans --------------------------------------------------------------------------------------

  void scan() {
    auto& b = code_.b;
    V first_tile = is_first(tile_), lane_of_first = lanes_of_first_tile();
    const Values carry = carries(lane_of_first);
    if (seeded_) code_.when(first_tile, "seed", [&] { store_seed(carry); });
    RowWrites writes(module_, code_, 0);
    in_blocks(
        carry, writes.steps_max(),
        [&](V k, const Values& left) {
          const Values right = element_at(k);
          Values next = combined(code_, left, right);
          if (!seeded_) {
            V alone = b.CreateAnd(lane_of_first, b.CreateVectorSplat(code_.lanes(), is_first(k)));
            for (std::size_t i = 0; i < next.size(); ++i)
              next[i] = b.CreateSelect(alone, right[i], next[i]);
          }
          store(writes, k, next);
          return next;
        },
        [&](V begin, V end) {
          V place = b.CreateAdd(row_start_, result_of(begin));
          writes.write(place, size_, b.CreateSub(end, begin), on_);
        });
  }

  void store(RowWrites& writes, V k, const Values& values) {
    auto& b = code_.b;
    Affine result = index_of(k);
    if (seeded_) result.base = b.CreateNSWAdd(result.base, code_.i64(1));
    const Values stored = epilogue_of(code_, result, values);
    for (std::size_t i = 0; i < stored.size(); ++i)
      if (!writes.collect(i, b.CreateSub(k, block_begin_), stored[i]))
        code_.store_at(i, Affine{b.CreateAdd(row_start_, result.base), result.step}, stored[i]);
  }

  // The position in its row of the result that the first lane's k-th element makes.
  V result_of(V k) {
    V at = index_of(k).base;
    return seeded_ ? code_.b.CreateNSWAdd(at, code_.i64(1)) : at;
  }

  // The first result of a row, in the first lane.
  void store_seed(const Values& carry) {
    V on = code_.mask;
    code_.mask = code_.first_lanes(code_.i64(1));
    const Values stored = epilogue_of(code_, Affine{code_.i64(0), code_.i64(1)}, carry);
    for (std::size_t i = 0; i < stored.size(); ++i)
      code_.store_at(i, Affine{row_start_, code_.i64(1)}, stored[i]);
    code_.mask = on;
  }

  // -- what is carried
  // ------------------------------------------------------------------------------

  V is_first(V k) { return code_.b.CreateICmpEQ(k, code_.i64(0)); }

  V lanes_of_first_tile() {
    return code_.b.CreateAnd(code_.first_lanes(code_.i64(1)),
                             code_.b.CreateVectorSplat(code_.lanes(), is_first(tile_)));
  }

  // A slot holds one leaf of one tile: slots of the same leaf are as many slots apart as there are
  // leaves.
  V slots(std::size_t leaf, std::int64_t tiles_before) {
    auto& b = code_.b;
    const auto leaves = static_cast<std::int64_t>(code_.kernel().element.results.size());
    V tile = b.CreateSub(tile_, code_.i64(tiles_before));
    V first = b.CreateAdd(b.CreateMul(tile, code_.i64(leaves)),
                          code_.i64(static_cast<std::int64_t>(leaf)));
    V places = code_.vector(Lanes(Affine{first, code_.i64(leaves)}));
    return b.CreateGEP(b.getInt64Ty(), function_->getArg(5), places);
  }

  V lanes_on() {
    return code_.mask ? code_.mask : code_.b.CreateVectorSplat(code_.lanes(), code_.b.getTrue());
  }

  void store_slots(const Values& totals) {
    auto& b = code_.b;
    for (std::size_t i = 0; i < totals.size(); ++i)
      b.CreateMaskedScatter(code_.slot_words(totals[i]), slots(i, 0), llvm::Align(8), lanes_on());
  }

  // The carries of the tile before each lane's. For the row's first tile they are the seed, or
  // anything.
  Values carries(V lane_of_first) {
    auto& b = code_.b;
    const Values before = start_of_lanes(code_);
    V on = b.CreateAnd(lanes_on(), b.CreateNot(lane_of_first));
    auto* words = llvm::FixedVectorType::get(b.getInt64Ty(), code_.lanes());
    Values result;
    for (std::size_t i = 0; i < before.size(); ++i) {
      V x = b.CreateMaskedGather(words, slots(i, 1), llvm::Align(8), on,
                                 llvm::Constant::getNullValue(words));
      x = code_.from_slot_words(x, code_.type(code_.kernel().element.results[i]));
      result.push_back(b.CreateSelect(lane_of_first, before[i], x));
    }
    return result;
  }

  const KernelModule& module_;
  llvm::Function* function_;
  llvm::Function* others_;
  LaneCode code_;
  bool seeded_;
  V size_ = nullptr;                 // of a tile
  V row_start_ = nullptr;            // in the outputs
  V tile_ = nullptr, on_ = nullptr;  // the first lane's tile, and the number of lanes that are on
  bool tail_ = false;
  V block_begin_ = nullptr;  // its first step
};

}  // namespace

void emit_scan_of_runs(const KernelModule& module, llvm::Function* function, unsigned lanes,
                       llvm::Function* others) {
  RunScanner(module, function, lanes, others).run();
}

}  // namespace hasten::backends::cpu
