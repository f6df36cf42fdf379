// Each lane scans a row of the result.
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"
#include "backends/cpu/emit/scans/scan.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

using kernels::Kernel;
using V = llvm::Value*;

namespace {

// Of the columns of a strip, at most: part of a first-level cache.
constexpr std::int64_t carry_bytes = 32768;

// Whole rows of fewer columns are read and written one after the other, as one run of memory. Of
// others, and of parts of rows, some are taken together: runs side by side, which are read ahead,
// too, and carries are loaded and stored once for all of them.
constexpr std::int64_t wide_columns = 2048, wide_steps = 4;

/// Rows that lie along the scanned axis are read and written in blocks of steps. Rows that lie
/// side by side are scanned in strips, a few steps of all columns at a time: memory is read and
/// written along its own rows, as it is prefetched, and not down single columns.
class LaneScanner {
 public:
  LaneScanner(const KernelModule& module, llvm::Function* function, unsigned lanes)
      : module_(module),
        function_(function),
        code_(module, function_, lanes),
        seeded_(!module.kernel.seed.empty()) {}

  void run() {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    code_.hoisting.add(kernel.element, element_places(kernel, true));
    hoist_operator(code_, true);
    place_epilogue(code_, true);
    const kernels::Region* const regions[] = {&kernel.element, &kernel.epilogue};
    is_side_by_side_ = is_side_by_side();
    OpenLevel entry(code_, 0);
    stream_ =
        b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_stream)), code_.i64(0));
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 2);
    for (std::size_t axis = 0; axis < rows.index.size(); ++axis)
      for (const kernels::Region* region : regions)
        code_.set(region->params[axis], Uniform{rows.index[axis]});
    OpenLevel row(code_, 1);
    place_rows(rows.index);
    V first = function_->getArg(3), end = function_->getArg(4);
    if (is_side_by_side_)
      strips(first, end);
    else
      columns(first, end, [&](V, V lanes_on, bool tail) { scan(lanes_on, tail); });
    row.close();
    rows.close();
    if (is_side_by_side_) code_.fence(stream_);
    entry.close();
    b.CreateRetVoid();
  }

 private:
  /// Steps, and where their results go.
  struct Block {
    V begin, end;
    RowWrites* writes;  // null: to memory
    V first;            // the position of the first result of `writes` in its row
  };

  // Finds where the results of a row of columns are. Results of one column are adjacent, or, with
  // axes inside the scanned one, results of neighbouring columns are.
  void place_rows(std::span<const V> index) {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    const std::size_t columns = kernel.rank - 2, outer = kernel.rank - 1 - kernel.inner_axes;
    const auto place_of = [&](std::size_t first, std::size_t last) {
      V place = code_.i64(0);
      for (std::size_t axis = first; axis < last; ++axis) {
        place = b.CreateMul(place, code_.extent(axis));
        if (axis < columns) place = b.CreateAdd(place, index[axis]);
      }
      return place;
    };
    length_ = row_length(code_);
    pitch_ = code_.i64(1);
    for (std::size_t axis = outer; axis <= columns; ++axis)
      pitch_ = b.CreateMul(pitch_, code_.extent(axis));
    V outside = b.CreateMul(place_of(0, outer), b.CreateMul(length_, pitch_));
    row_start_ = b.CreateAdd(outside, place_of(outer, columns + 1));
    lane_pitch_ = kernel.inner_axes == 0 ? length_ : code_.i64(1);
  }

  // Whether the rows of neighbouring lanes are, in the outputs and in all inputs.
  [[nodiscard]] bool is_side_by_side() const {
    const kernels::Region& element = code_.kernel().element;
    return code_.kernel().inner_axes > 0 &&
           find_row_reads(code_.hoisting, element, element.params.back(), RowLoopOf::element)
               .reads.empty();
  }

  // body(the first column of a vector, the lanes that are on, whether they are not all)
  void columns(V first, V end, llvm::function_ref<void(V, V, bool)> body) {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    in_vectors(code_, first, end, {}, [&](V column, const Values&, bool tail) {
      for (const kernels::Region* region : {&kernel.element, &kernel.epilogue})
        code_.set(region->params[kernel.rank - 2], Affine{column, code_.i64(1)});
      start_ = b.CreateAdd(row_start_, b.CreateMul(column, lane_pitch_));
      body(column, tail ? b.CreateSub(end, column) : code_.i64(code_.lanes()), tail);
      return Values{};
    });
  }

  // -- strips of columns ------------------------------------------------------------------------

  void strips(V first, V end) {
    auto& b = code_.b;
    const std::int64_t width = strip_columns();
    V count = code_.extent(code_.kernel().rank - 1);
    counted(code_, first, end, width, {}, [&](V left, const Values&) {
      V right = least(end, b.CreateAdd(left, code_.i64(width)));
      V some = steps_of(b.CreateSub(right, left));
      // Also without elements there is a round, for the seeds.
      V rounds = b.CreateUDiv(b.CreateAdd(count, b.CreateSub(some, code_.i64(1))), some);
      counted(code_, code_.i64(0), rounds, 1, {}, [&](V round, const Values&) {
        V begin = b.CreateMul(round, some);
        const Block block{begin, least(count, b.CreateAdd(begin, some)), nullptr, nullptr};
        columns(left, right, [&](V column, V, bool tail) {
          scan_some(block, b.CreateUDiv(b.CreateSub(column, left), code_.i64(code_.lanes())), tail);
        });
        return Values{};
      });
      return Values{};
    });
  }

  V steps_of(V strip) {
    auto& b = code_.b;
    V is_wide = b.CreateICmpSGE(strip, code_.i64(wide_columns));
    V is_part = b.CreateICmpSLT(strip, code_.extent(code_.kernel().rank - 2));
    return b.CreateSelect(b.CreateOr(is_wide, is_part), code_.i64(wide_steps), code_.i64(1));
  }

  [[nodiscard]] std::int64_t strip_columns() const {
    std::int64_t bytes = 0;
    for (const kernels::Value leaf : code_.kernel().combine.results)
      bytes += static_cast<std::int64_t>(detail::size_in_bytes(code_.type(leaf)));
    const std::int64_t lanes = code_.lanes();
    return std::clamp(carry_bytes / bytes / lanes * lanes, lanes, strip_columns_max);
  }

  // Some steps of a vector of columns, the strip's `number`-th.
  void scan_some(const Block& block, V number, bool tail) {
    auto& b = code_.b;
    OpenLevel columns(code_, lane_level);
    const Values start = begin_columns(tail);
    const Values carry = guarded(code_, b.CreateNot(is_first(block.begin)), start, [&] {
      Values left;
      for (std::size_t i = 0; i < start.size(); ++i)
        left.push_back(b.CreateLoad(start[i]->getType(), carry_at(i, number, start[i])));
      return left;
    });
    if (seeded_)
      code_.when(is_first(block.begin), "seed", [&] { store(block, code_.i64(0), start); });
    code_.when(b.CreateICmpSLT(block.begin, block.end), "steps", [&] {
      const Values next = steps(block, carry);
      for (std::size_t i = 0; i < next.size(); ++i)
        b.CreateStore(next[i], carry_at(i, number, next[i]));
    });
    columns.close();
  }

  V carry_at(std::size_t leaf, V number, V like) {
    if (carries_.size() <= leaf) {
      const auto vectors = static_cast<std::uint64_t>(strip_columns() / code_.lanes());
      carries_.push_back(code_.stack_slot(llvm::ArrayType::get(like->getType(), vectors)));
    }
    return code_.b.CreateGEP(like->getType(), carries_[leaf], number);
  }

  V least(V x, V y) { return code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }

  // -- columns one vector after the other -------------------------------------------------------

  void scan(V lanes_on, bool tail) {
    auto& b = code_.b;
    OpenLevel columns(code_, lane_level);
    const Values carry = begin_columns(tail);
    V count = code_.extent(code_.kernel().rank - 1);
    V is_empty = b.CreateICmpEQ(count, code_.i64(0));
    if (seeded_) code_.when(is_empty, "empty", [&] { store(Block{}, code_.i64(0), carry); });
    code_.when(b.CreateNot(is_empty), "elements", [&] { scan_rows(count, lanes_on, carry); });
    columns.close();
  }

  void scan_rows(V count, V lanes_on, const Values& carry) {
    auto& b = code_.b;
    const kernels::Region& element = code_.kernel().element;
    PrivateRows reads(module_, code_, element, element.params.back());
    // The outputs from `first` on: all, or none.
    const std::size_t first = code_.kernel().inner_axes == 0 ? 0 : code_.kernel().outputs.size();
    RowWrites writes(module_, code_, first);
    if (!reads.found() && !writes.found()) {
      scan_block({code_.i64(0), count, nullptr, nullptr}, carry);
      return;
    }
    std::int64_t steps = reads.found() ? reads.steps_max() : writes.steps_max();
    if (writes.found()) steps = std::min(steps, writes.steps_max() - (seeded_ ? 1 : 0));
    counted(code_, code_.i64(0), count, steps, carry, [&](V begin, const Values& left) {
      V some = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(count, begin),
                                       code_.i64(steps));
      V end = b.CreateAdd(begin, some), at = begin;
      if (seeded_) at = b.CreateSelect(is_first(begin), begin, result_of(begin));
      reads.read(Uniform{begin}, some, lanes_on);
      const Values next = scan_block({begin, end, &writes, at}, left);
      writes.write(b.CreateAdd(start_, at), length_, b.CreateSub(result_of(end), at), lanes_on);
      return next;
    });
  }

  Values scan_block(const Block& block, const Values& start) {
    if (seeded_)
      code_.when(is_first(block.begin), "seed", [&] { store(block, code_.i64(0), start); });
    return steps(block, start);
  }

  // -- both -------------------------------------------------------------------------------------

  // Emits what a vector of columns needs once, in its level, and returns what its lanes begin with.
  Values begin_columns(bool tail) {
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(code_.kernel().element, tail ? lane_level : 0, lane_level);
    return start_of_lanes(code_);
  }

  Values steps(const Block& block, const Values& start) {
    return counted(code_, block.begin, block.end, 1, start, [&](V k, const Values& left) {
      const Values next = combined_with(left, k);
      store(block, result_of(k), next);
      return next;
    });
  }

  V is_first(V k) { return code_.b.CreateICmpEQ(k, code_.i64(0)); }

  // The position in its row of the result that an element makes.
  V result_of(V k) { return seeded_ ? code_.b.CreateNSWAdd(k, code_.i64(1)) : k; }

  Values combined_with(const Values& left, V k) {
    const Kernel& kernel = code_.kernel();
    code_.set(kernel.element.params.back(), Uniform{k});
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(kernel.element, lane_level + 1);
    const Values right = lanes_of(code_, kernel.element.results);
    if (kernel.lane_operator.commutative) return combined_by_table(code_, left, right);
    if (seeded_) return combined(code_, left, right);
    return combined_unless(code_, is_first(k), left, right);
  }

  void store(const Block& block, V index, const Values& values) {
    auto& b = code_.b;
    const Values results = epilogue_of(code_, Uniform{index}, values);
    const Affine at{b.CreateAdd(start_, b.CreateMul(index, pitch_)), lane_pitch_};
    if (is_side_by_side_ && !code_.mask) {
      const auto store_all = [&](bool past_caches) {
        for (std::size_t i = 0; i < results.size(); ++i)
          code_.store(i, at.base, results[i], past_caches);
      };
      code_.when(stream_, "stream", [&] { store_all(true); });
      code_.when(b.CreateNot(stream_), "store", [&] { store_all(false); });
      return;
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (block.writes && block.writes->collect(i, b.CreateSub(index, block.first), results[i]))
        continue;
      code_.store_at(i, at, results[i]);
    }
  }

  const KernelModule& module_;
  llvm::Function* function_;
  LaneCode code_;
  bool seeded_, is_side_by_side_ = false;
  V row_start_ = nullptr, start_ = nullptr;   // of the first column; of the first lane's
  V pitch_ = nullptr, lane_pitch_ = nullptr;  // from result to result; from lane to lane
  V length_ = nullptr;                        // the number of results in a row
  V stream_ = nullptr;                        // whether stores go past the caches
  std::vector<llvm::AllocaInst*> carries_;    // of a strip, by leaf
};

}  // namespace

void emit_scan_across(const KernelModule& module, llvm::Function* function, unsigned lanes) {
  LaneScanner(module, function, lanes).run();
}

}  // namespace hasten::backends::cpu
