// Cuts the task's rectangle into the interior and its borders.
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/skeletons.hpp"
#include "kernels/analysis/sliding_window.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

namespace hasten::backends::cpu {

using V = llvm::Value*;

namespace {

// Corrected indices of a border's vector are gathered. Elements that no instruction gathers are
// loaded lane by lane, and the code of many such loads takes seconds to compile, though it hardly
// ever runs.
bool reads_one_by_one(const KernelModule& module) {
  constexpr std::ptrdiff_t most = 4;
  return std::ranges::count_if(module.kernel.element.body, [&](const core::Stmt& stmt) {
           const auto* load = std::get_if<core::LoadLinear>(&stmt.op);
           return load && (!module.machine.gather ||
                           detail::size_in_bytes(module.kernel.inputs[load->array]) < 4);
         }) > most;
}

/// `run` of a map or a scatter with an interior: cuts the rectangle it is given into the interior
/// and the borders, which are parts of columns and whole rows.
class BorderEmitter {
 public:
  BorderEmitter(const KernelModule& module, llvm::Function* function, unsigned lanes,
                PartEmitter part)
      : unit_(module),
        lanes_(lanes),
        interior_(part("hasten_interior", module.kernel.interior->element, lanes)),
        narrow_(part("hasten_narrow_border", module.kernel.element, 1)),
        border_(reads_one_by_one(module) ? narrow_
                                         : part("hasten_border", module.kernel.element, lanes)),
        function_(function),
        code_(module, function_, 1) {}

  void run() {
    auto& b = code_.b;
    const kernels::Region& bounds = unit_.kernel.interior->bounds;
    code_.run(bounds);
    V row0 = argument(1), row1 = argument(2), x0 = argument(3), x1 = argument(4);
    const std::size_t inner = 2 * (unit_.kernel.rank - std::size_t{1});
    V begin = between(x0, code_.scalar(bounds.results[inner]), x1);
    V end = between(begin, code_.scalar(bounds.results[inner + 1]), x1);
    in_blocks(row0, row1, b.CreateSub(x1, x0), [&](V first, V last) {
      code_.when(b.CreateICmpSLT(begin, end), "interior", [&] {
        if (cuts_rows())
          rows(first, last, begin, end);
        else
          call(interior_, first, last, begin, end, argument(6));
      });
      columns(first, last, x0, begin);
      columns(first, last, end, x1);
    });
    b.CreateRetVoid();
  }

 private:
  V argument(unsigned i) { return function_->getArg(i); }

  V between(V low, V x, V high) {
    auto& b = code_.b;
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                   b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, low, x), high);
  }

  // The columns at the ends of rows and those between them read the same lines: a block has few
  // enough rows that these are still in a cache, and enough that calls cost nothing. The interior
  // is first, since it reads whole lines one after the other, which prefetchers follow. A window
  // would be filled anew for each block, and a scatter's updates have an order.
  void in_blocks(V row0, V row1, V width, llvm::function_ref<void(V, V)> body) {
    constexpr std::int64_t rows_min = 16, elements = 8192;
    auto& b = code_.b;
    if (unit_.kernel.rank == 1 || unit_.kernel.skeleton != kernels::Skeleton::map ||
        kernels::find_sliding_window(unit_.kernel, unit_.kernel.interior->element))
      return body(row0, row1);
    width = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, width, code_.i64(1));
    V rows = b.CreateUDiv(code_.i64(elements), width);
    rows = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, rows, code_.i64(rows_min));
    V blocks =
        b.CreateUDiv(b.CreateAdd(b.CreateSub(row1, row0), b.CreateSub(rows, code_.i64(1))), rows);
    counted(code_, code_.i64(0), blocks, 1, {}, [&](V block, const Values&) {
      V first = b.CreateAdd(row0, b.CreateMul(block, rows));
      body(first, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(first, rows), row1));
      return Values{};
    });
  }

  // A few columns are faster without vectors, whose lanes would mostly be off and gather. Many are
  // a part of the work like the interior: half of each row, where the halves differ.
  void columns(V row0, V row1, V begin, V end) {
    auto& b = code_.b;
    V width = b.CreateSub(end, begin);
    code_.when(b.CreateICmpSGT(width, code_.i64(0)), "columns", [&] {
      V narrow = b.CreateICmpULE(width, code_.i64(lanes_ / 2));
      V in_place = b.CreateAnd(argument(6), code_.i64(run_in_place));
      V flags = b.CreateSelect(narrow, in_place, argument(6));
      call(b.CreateSelect(narrow, narrow_, border_), row0, row1, begin, end, flags);
    });
  }

  [[nodiscard]] bool cuts_rows() const {
    const kernels::Region& bounds = unit_.kernel.interior->bounds;
    for (std::size_t axis = 0; axis + 1 < unit_.kernel.rank; ++axis) {
      const auto* begin = constant(bounds.results[2 * axis]);
      const auto* end = constant(bounds.results[2 * axis + 1]);
      if (!begin || !end || begin->getSExtValue() > 0) return true;
    }
    return false;
  }
  [[nodiscard]] const llvm::ConstantInt* constant(kernels::Value v) const {
    return llvm::dyn_cast<llvm::ConstantInt>(code_.scalar(v));
  }

  // Rows of one kind go together.
  void rows(V row0, V row1, V x0, V x1) {
    for_each_run(
        code_, row0, row1, [&](V row) { return in_interior(row); },
        [&](V kind, V first, V last) {
          V function = code_.b.CreateSelect(kind, interior_, border_);
          call(function, first, last, x0, x1, argument(6));
        });
  }

  V in_interior(V row) {
    auto& b = code_.b;
    const kernels::Region& bounds = unit_.kernel.interior->bounds;
    const Values index = split_row(code_, row, unit_.kernel.rank - 1);
    V inside = b.getTrue();
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      V begin = code_.scalar(bounds.results[2 * axis]);
      V end = code_.scalar(bounds.results[2 * axis + 1]);
      inside = b.CreateAnd(inside, b.CreateICmpSGE(index[axis], begin));
      inside = b.CreateAnd(inside, b.CreateICmpSLT(index[axis], end));
    }
    return inside;
  }

  void call(V function, V row0, V row1, V x0, V x1, V flags) {
    code_.b.CreateCall(function_->getFunctionType(), function,
                       {argument(0), row0, row1, x0, x1, argument(5), flags});
  }

  const KernelModule& unit_;
  unsigned lanes_;
  llvm::Function *interior_, *narrow_, *border_, *function_;
  LaneCode code_;
};

}  // namespace

void emit_borders(const KernelModule& module, llvm::Function* function, unsigned lanes,
                  PartEmitter part) {
  BorderEmitter(module, function, lanes, part).run();
}

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
    // Short lines would cost more calls than they save.
    constexpr std::int64_t long_line = 64;
    V is_long =
        outer_ == 1 ? b.getTrue() : b.CreateICmpSGE(code_.extent(outer_ - 1), code_.i64(long_line));
    are_flat_ = are_flat();
    V has_lines =
        b.CreateAnd(b.CreateAnd(rows_fit, is_long), b.CreateOr(are_flat_, b.CreateNot(all_fit)));
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

}  // namespace hasten::backends::cpu
