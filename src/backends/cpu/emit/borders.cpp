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

}  // namespace hasten::backends::cpu
