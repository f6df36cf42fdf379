// Rows of a few registers, which lanes run along, in groups.
#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/folds/row_group.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/skeletons.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

namespace hasten::backends::cpu {

using V = llvm::Value*;

namespace {

// Rows of which a loop makes the same step share the loop's own instructions, and each hides the
// others' latencies. More rows of several sums would spill registers.
std::int64_t rows_together(const kernels::Kernel& kernel, std::int64_t lanes) {
  constexpr std::size_t light_statements = 6;
  const bool is_light =
      kernel.combine.results.size() == 1 && kernel.element.body.size() <= light_statements;
  return std::min<std::int64_t>(is_light ? 8 : 4, lanes);
}

class JoinedRows {
 public:
  JoinedRows(const KernelModule& module, llvm::Function* function, unsigned lanes)
      : function_(function),
        code_(module, function, lanes),
        last_outer_(module.kernel.rank - std::size_t{2}),
        group_(code_) {}

  void run() {
    auto& b = code_.b;
    code_.hoisting.add(code_.kernel().element, element_places(code_.kernel(), true));
    hoist_operator(code_, true);
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), last_outer_);
    V start = b.CreateMul(rows.row, code_.extent(last_outer_));
    const std::int64_t together = rows_together(code_.kernel(), code_.lanes());
    V from_memory = come_from_memory();
    in_vectors(code_, function_->getArg(3), function_->getArg(4), {},
               [&](V first, const Values&, bool tail) {
                 V on = code_.mask;
                 code_.mask = nullptr;
                 code_.when(from_memory, "alone", [&] { fold_group(rows, first, 1, tail); });
                 code_.when(b.CreateNot(from_memory), "together",
                            [&] { fold_group(rows, first, together, tail); });
                 code_.mask = on;
                 group_.store(rows.index, first, b.CreateAdd(start, first), group_.joined());
                 return Values{};
               });
    rows.close();
    entry.close();
    b.CreateRetVoid();
  }

 private:
  // From beyond the second cache rows go one by one: the hardware does not follow several at once.
  V come_from_memory() {
    auto& b = code_.b;
    return b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_ahead)), code_.i64(0));
  }

  // In the last group, rows beyond its last one are this one again.
  void fold_group(const RowLoop& rows, V first, std::int64_t together, bool is_last) {
    auto& b = code_.b;
    V last = b.CreateSub(function_->getArg(4), code_.i64(1));
    counted(code_, code_.i64(0), code_.i64(code_.lanes()), together, {}, [&](V r, const Values&) {
      Values columns;
      for (std::int64_t i = 0; i < together; ++i) {
        V column = b.CreateNSWAdd(b.CreateNSWAdd(first, r), code_.i64(i));
        if (is_last) column = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, column, last);
        columns.push_back(column);
      }
      OpenLevel row(code_, 1);
      const Values folds = fold_rows(rows, columns);
      const std::ptrdiff_t leaves = std::ssize(folds) / together;
      for (std::int64_t i = 0; i < together; ++i)
        group_.keep(b.CreateNSWAdd(r, code_.i64(i)),
                    {folds.begin() + leaves * i, folds.begin() + leaves * (i + 1)});
      row.close();
      return Values{};
    });
  }

  // Each value has one name, so code that depends on the row is emitted again for each row.
  Values fold_rows(const RowLoop& rows, const Values& columns) {
    const kernels::Region& element = code_.kernel().element;
    V depth = code_.extent(last_outer_ + 1);
    const Values nothing = identities(code_);
    Values start;
    for (std::size_t r = 0; r < columns.size(); ++r)
      start.insert(start.end(), nothing.begin(), nothing.end());
    const std::ptrdiff_t leaves = std::ssize(nothing);
    unsigned written = 0;  // the statements of levels above this one have been emitted
    return in_vectors(code_, code_.i64(0), depth, start, [&](V at, const Values& left, bool tail) {
      Values next;
      for (std::size_t r = 0; r < columns.size(); ++r) {
        for (std::size_t axis = 0; axis < last_outer_; ++axis)
          code_.set(element.params[axis], Uniform{rows.index[axis]});
        code_.set(element.params[last_outer_], Uniform{columns[r]});
        code_.set(element.params.back(), Affine{at, code_.i64(1)});
        code_.level_blocks.resize(lane_level);
        code_.level_blocks.push_back(code_.b.GetInsertBlock());
        code_.run_hoisted(element, written);
        written = 1;
        const auto of_row = left.begin() + leaves * static_cast<std::ptrdiff_t>(r);
        const Values both =
            combined_by_table(code_, Values(of_row, of_row + leaves), combined_of(code_));
        for (std::ptrdiff_t i = 0; i < leaves; ++i)
          next.push_back(tail ? code_.b.CreateSelect(code_.mask, both[i], of_row[i]) : both[i]);
      }
      return next;
    });
  }

  llvm::Function* function_;
  LaneCode code_;
  std::size_t last_outer_;  // the axis of the rows of a group
  RowGroup group_;
};

}  // namespace

void emit_joined_rows(const KernelModule& module, llvm::Function* function, unsigned lanes) {
  JoinedRows(module, function, lanes).run();
}

}  // namespace hasten::backends::cpu
