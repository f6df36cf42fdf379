// Each lane scans a row of the result.
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"
#include "backends/cpu/emit/scans/scan.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

using kernels::Kernel;
using V = llvm::Value*;

namespace {

/// Rows that lie along the scanned axis are read and written in blocks of steps.
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
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 2);
    for (std::size_t axis = 0; axis < rows.index.size(); ++axis)
      for (const kernels::Region* region : regions)
        code_.set(region->params[axis], Uniform{rows.index[axis]});
    OpenLevel row(code_, 1);
    place_rows(rows.index);
    V end = function_->getArg(4);
    in_vectors(code_, function_->getArg(3), end, {}, [&](V column, const Values&, bool tail) {
      for (const kernels::Region* region : regions)
        code_.set(region->params[kernel.rank - 2], Affine{column, code_.i64(1)});
      start_ = b.CreateAdd(row_start_, b.CreateMul(column, lane_pitch_));
      scan(tail ? b.CreateSub(end, column) : code_.i64(code_.lanes()), tail);
      return Values{};
    });
    row.close();
    rows.close();
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

  void scan(V lanes_on, bool tail) {
    auto& b = code_.b;
    OpenLevel columns(code_, lane_level);
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(b.GetInsertBlock());
    code_.run_hoisted(code_.kernel().element, tail ? lane_level : 0, lane_level);
    const Values carry = start_of_lanes(code_);
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
    V at = b.CreateAdd(start_, b.CreateMul(index, pitch_));
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (block.writes && block.writes->collect(i, b.CreateSub(index, block.first), results[i]))
        continue;
      code_.store_at(i, Affine{at, lane_pitch_}, results[i]);
    }
  }

  const KernelModule& module_;
  llvm::Function* function_;
  LaneCode code_;
  bool seeded_;
  V row_start_ = nullptr, start_ = nullptr;   // of the first column; of the first lane's
  V pitch_ = nullptr, lane_pitch_ = nullptr;  // from result to result; from lane to lane
  V length_ = nullptr;                        // the number of results in a row
};

}  // namespace

void emit_scan_across(const KernelModule& module, llvm::Function* function, unsigned lanes) {
  LaneScanner(module, function, lanes).run();
}

}  // namespace hasten::backends::cpu
