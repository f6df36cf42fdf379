// Lines of short rows, or of blocks, along the axis before these: their borders, and what is inside
// them as one row.
#include "backends/cpu/emit/code.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/rows/short_rows.hpp"
#include "backends/cpu/emit/skeletons.hpp"
#include "kernels/analysis/interior.hpp"

namespace hasten::backends::cpu {

using V = llvm::Value*;

namespace {

// Sends the rows of a task to functions for the interior and for anywhere.
class RowsInside {
 public:
  RowsInside(const KernelModule& module, llvm::Function* function, std::size_t outer,
             llvm::Function* inside, llvm::Function* anywhere, llvm::Function* flat)
      : function_(function),
        inside_(inside),
        anywhere_(anywhere),
        flat_(flat),
        outer_(outer),
        is_known_(module.known.number > 0),
        bounds_(module.kernel.interior->bounds),
        code_(module, function, 1) {}

  void run() {
    auto& b = code_.b;
    code_.run(bounds_);
    V rows_fit = b.getTrue(), all_fit = b.getTrue();
    for (std::size_t axis = 0; axis < code_.kernel().rank; ++axis)
      (axis < outer_ ? all_fit : rows_fit) =
          b.CreateAnd(axis < outer_ ? all_fit : rows_fit, covers(axis));
    all_fit = b.CreateAnd(rows_fit, all_fit);
    are_flat_ = b.CreateAnd(are_flat(), has_elements());
    V has_borders = b.CreateAnd(has_rows(), b.CreateNot(all_fit));
    V has_lines = b.CreateAnd(rows_fit, b.CreateOr(are_flat_, has_borders));
    V row0 = function_->getArg(1), row1 = function_->getArg(2);
    code_.when(has_lines, "lines", [&] { by_lines(row0, row1); });
    code_.when(b.CreateNot(has_lines), "rows",
               [&] { call(b.CreateSelect(all_fit, inside_, anywhere_), row0, row1); });
    b.CreateRetVoid();
  }

 private:
  [[nodiscard]] V begin_of(std::size_t axis) { return code_.scalar(bounds_.results[2 * axis]); }
  [[nodiscard]] V end_of(std::size_t axis) { return code_.scalar(bounds_.results[2 * axis + 1]); }

  // Whether the interior has all of the axis.
  V covers(std::size_t axis) {
    auto& b = code_.b;
    return b.CreateAnd(b.CreateICmpSLE(begin_of(axis), code_.i64(0)),
                       b.CreateICmpSGE(end_of(axis), code_.extent(axis)));
  }

  // Short lines would cost more calls than they save: of rows inside and others, which take about
  // the same time, or of one row, which takes less than its rows do by themselves, unless their
  // length is known.
  V has_rows() {
    constexpr std::int64_t rows_min = 64;
    if (outer_ == 1) return code_.b.getTrue();
    return code_.b.CreateICmpSGE(code_.extent(outer_ - 1), code_.i64(rows_min));
  }
  V has_elements() {
    const std::int64_t elements_min = is_known_ ? 128 : 64;
    if (!flat_ || outer_ == 1) return code_.b.getTrue();
    V elements = code_.b.CreateMul(code_.extent(outer_ - 1), code_.extent(outer_));
    return code_.b.CreateICmpSGE(elements, code_.i64(elements_min));
  }

  // Whether rows follow each other in everything that is read and written.
  V are_flat() {
    auto& b = code_.b;
    V result = b.getInt1(flat_ != nullptr);
    if (!flat_) return result;
    for (const kernels::RowExtent& row : flat_lines(code_.kernel()))
      result = b.CreateAnd(result, b.CreateICmpEQ(code_.scalar(code_.kernel().scalars[row.scalar]),
                                                  code_.extent(row.axis)));
    return result;
  }

  // A line is what lies along the last of the outer axes.
  void by_lines(V row0, V row1) {
    auto& b = code_.b;
    if (outer_ == 1) return by_parts(code_.i64(0), b.getTrue(), row0, row1);
    V length = code_.extent(outer_ - 1);
    V last = b.CreateUDiv(b.CreateSub(row1, code_.i64(1)), length);
    counted(code_, b.CreateUDiv(row0, length), b.CreateAdd(last, code_.i64(1)), 1, {},
            [&](V line, const Values&) {
              const Values index = split_row(code_, line, outer_ - 1);
              V is_inside = b.getTrue();
              for (std::size_t axis = 0; axis < index.size(); ++axis)
                is_inside =
                    b.CreateAnd(is_inside, b.CreateAnd(b.CreateICmpSGE(index[axis], begin_of(axis)),
                                                       b.CreateICmpSLT(index[axis], end_of(axis))));
              V start = b.CreateMul(line, length);
              by_parts(start, is_inside, most(row0, start),
                       least(row1, b.CreateAdd(start, length)));
              return Values{};
            });
  }

  // Of the line that begins at `start`, the rows from `from` to `to`.
  void by_parts(V start, V is_inside, V from, V to) {
    auto& b = code_.b;
    const auto clamped = [&](V low, V x) { return least(most(low, x), to); };
    V begin =
        b.CreateSelect(is_inside, clamped(from, b.CreateAdd(start, begin_of(outer_ - 1))), to);
    V end = clamped(begin, b.CreateAdd(start, end_of(outer_ - 1)));
    const auto part = [&](llvm::Function* run, V first, V last) {
      code_.when(b.CreateICmpSLT(first, last), "rows", [&] { call(run, first, last); });
    };
    part(anywhere_, from, begin);
    if (flat_) {
      code_.when(b.CreateAnd(are_flat_, b.CreateICmpSLT(begin, end)), "flat",
                 [&] { call_flat(start, begin, end); });
      part(inside_, begin, b.CreateSelect(are_flat_, begin, end));
    } else {
      part(inside_, begin, end);
    }
    part(anywhere_, end, to);
  }

  void call_flat(V start, V from, V to) {
    auto& b = code_.b;
    const auto column = [&](V row) {
      return b.CreateMul(b.CreateSub(row, start), code_.extent(outer_));
    };
    b.CreateCall(function_->getFunctionType(), flat_,
                 {function_->getArg(0), start, b.CreateAdd(start, code_.i64(1)), column(from),
                  column(to), function_->getArg(5), function_->getArg(6)});
  }

  void call(V run, V from, V to) {
    code_.b.CreateCall(function_->getFunctionType(), run,
                       {function_->getArg(0), from, to, function_->getArg(3), function_->getArg(4),
                        function_->getArg(5), function_->getArg(6)});
  }

  V least(V x, V y) { return code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }
  V most(V x, V y) { return code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y); }

  llvm::Function *function_, *inside_, *anywhere_, *flat_;
  V are_flat_ = nullptr;
  std::size_t outer_;  // axes
  bool is_known_;      // the length of rows
  const kernels::Region& bounds_;
  LaneCode code_;
};

}  // namespace

void call_inside(const KernelModule& module, llvm::Function* function, std::size_t outer,
                 llvm::Function* inside, llvm::Function* anywhere, llvm::Function* flat) {
  RowsInside(module, function, outer, inside, anywhere, flat).run();
}

std::vector<kernels::RowExtent> flat_lines(const kernels::Kernel& kernel) {
  if (!kernel.interior || kernel.rank < 2) return {};
  return kernels::flat_from(kernel, kernel.interior->element, kernel.rank - 2);
}

llvm::Function* rows_of_line(const KernelModule& module, unsigned lanes) {
  if (flat_lines(module.kernel).empty()) return nullptr;
  return emit_columns(module, "hasten_line", module.kernel.interior->element, lanes);
}

// Rows of lines are one row where nothing is corrected, whatever rows by themselves would gain.
void emit_short_rows(const KernelModule& module, const kernels::Schedule& schedule) {
  llvm::Function* const run = declare_run(module, Form::short_rows);
  kernels::Kernel kernel = module.kernel;
  kernel.interior.reset();
  kernels::find_interior(kernel, kernels::InteriorAxes::all);
  const KernelModule own{module.llvm,    kernel,        module.machine,
                         module.options, module.layout, module.known};
  llvm::Function* const line = rows_of_line(own, schedule.lanes);
  if (!line) return emit_short_rows_along(module, run, schedule.lanes_along);
  llvm::Function* const others = declare_part(module, "hasten_rows");
  emit_short_rows_along(module, others, schedule.lanes_along);
  call_inside(own, run, kernel.rank - std::size_t{1}, others, others, line);
}

}  // namespace hasten::backends::cpu
