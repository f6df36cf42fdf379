// Loops are tested at the bottom and guarded at the top.
#include "backends/cpu/emit/loops.hpp"

namespace hasten::backends::cpu {

using V = llvm::Value*;

Values guarded(LaneCode& code, V condition, const Values& otherwise,
               llvm::function_ref<Values()> then) {
  auto& b = code.b;
  llvm::BasicBlock *before = b.GetInsertBlock(), *inside = code.block("guarded"),
                   *after = code.block("after");
  b.CreateCondBr(condition, inside, after);
  b.SetInsertPoint(inside);
  Values values = then();
  llvm::BasicBlock* end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  for (std::size_t i = 0; i < values.size(); ++i) {
    llvm::PHINode* phi = b.CreatePHI(values[i]->getType(), 2);
    phi->addIncoming(values[i], end);
    phi->addIncoming(otherwise[i], before);
    values[i] = phi;
  }
  return values;
}

Values counted(LaneCode& code, V begin, V end, std::int64_t step, Values state,
               llvm::function_ref<Values(V, const Values&)> body) {
  auto& b = code.b;
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = code.block("loop"),
                   *after = code.block("end");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* counter = b.CreatePHI(b.getInt64Ty(), 2);
  counter->addIncoming(begin, before);
  std::vector<llvm::PHINode*> phis;
  for (V& value : state) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    value = phis.back();
  }
  Values next = body(counter, state);
  V following = b.CreateNSWAdd(counter, code.i64(step));
  for (std::size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], b.GetInsertBlock());
  counter->addIncoming(following, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(following, end), head, after);
  b.SetInsertPoint(after);
  return next;
}

void for_each_run(LaneCode& code, V begin, V end, llvm::function_ref<V(V)> kind_of,
                  llvm::function_ref<void(V, V, V)> body) {
  auto& b = code.b;
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = code.block("rows"),
                   *more = code.block("more"), *next = code.block("next"),
                   *found = code.block("found"), *after = code.block("rows_done");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* first = b.CreatePHI(b.getInt64Ty(), 2);
  first->addIncoming(begin, before);
  V kind = kind_of(first);
  llvm::BasicBlock* const known = b.GetInsertBlock();
  b.CreateBr(more);
  b.SetInsertPoint(more);
  llvm::PHINode* last = b.CreatePHI(b.getInt64Ty(), 2);
  last->addIncoming(first, known);
  V following = b.CreateNSWAdd(last, code.i64(1));
  b.CreateCondBr(b.CreateICmpSLT(following, end), next, found);
  b.SetInsertPoint(next);
  V is_same = b.CreateICmpEQ(kind_of(following), kind);
  last->addIncoming(following, b.GetInsertBlock());
  b.CreateCondBr(is_same, more, found);
  b.SetInsertPoint(found);
  body(kind, first, following);
  first->addIncoming(following, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(following, end), head, after);
  b.SetInsertPoint(after);
}

void in_runs(LaneCode& code, V begin, V end, llvm::function_ref<V(V)> body) {
  auto& b = code.b;
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = code.block("run"),
                   *after = code.block("runs_done");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* row = b.CreatePHI(b.getInt64Ty(), 2);
  row->addIncoming(begin, before);
  V next = body(row);
  row->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(next, end), head, after);
  b.SetInsertPoint(after);
}

Values in_vectors(LaneCode& code, V begin, V end, Values state,
                  llvm::function_ref<Values(V, const Values&, bool)> body, Rest rest) {
  auto& b = code.b;
  const auto lanes = static_cast<std::int64_t>(code.lanes());
  V whole = b.CreateAnd(b.CreateSub(end, begin), code.i64(-lanes));
  V whole_end = b.CreateAdd(begin, whole);
  state = guarded(code, b.CreateICmpSLT(begin, whole_end), state, [&] {
    return counted(code, begin, whole_end, lanes, state,
                   [&](V index, const Values& s) { return body(index, s, false); });
  });
  const auto last_vector = [&] {
    code.begin_tail(b.CreateSub(end, whole_end));
    Values last = body(whole_end, state, true);
    code.end_tail();
    return last;
  };
  if (rest == Rest::always) return last_vector();
  return guarded(code, b.CreateICmpSLT(whole_end, end), state, last_vector);
}

OpenLevel::OpenLevel(LaneCode& code, unsigned level)
    : code_(code),
      level_(level),
      below_(code.block("level")) {
  code.level_blocks.resize(level);
  code.level_blocks.push_back(code.b.GetInsertBlock());
  code.b.SetInsertPoint(below_);
}

void OpenLevel::close() {
  const llvm::IRBuilderBase::InsertPointGuard guard(code_.b);
  code_.b.SetInsertPoint(code_.level_blocks[level_]);
  code_.b.CreateBr(below_);
}

Values split_row(LaneCode& code, V row, std::size_t axes) {
  auto& b = code.b;
  Values index(axes);
  for (std::size_t axis = axes; axis-- > 1;) {
    index[axis] = b.CreateURem(row, code.extent(axis));
    row = b.CreateUDiv(row, code.extent(axis));
  }
  if (axes > 0) index[0] = row;
  return index;
}

RowLoop::RowLoop(LaneCode& code, V begin, V end, std::size_t axes)
    : row(code.i64(0)),
      code_(code),
      end_(end) {
  if (axes == 0) return;
  auto& b = code.b;
  const Values first = split_row(code, begin, axes);
  llvm::BasicBlock* before = b.GetInsertBlock();
  head_ = code.block("row");
  b.CreateBr(head_);
  b.SetInsertPoint(head_);
  const auto counter = [&](V start) {
    llvm::PHINode* phi = b.CreatePHI(b.getInt64Ty(), 2);
    phi->addIncoming(start, before);
    return phi;
  };
  row = counter(begin);
  if (axes == 1) {
    index = {row};
    return;
  }
  for (V start : first) index.push_back(counter(start));
}

// The next row's indices are counted up with a carry, innermost first.
void RowLoop::close() {
  if (!head_) return;
  auto& b = code_.b;
  V next_row = b.CreateNSWAdd(row, code_.i64(1));
  Values next = index;
  V carry = b.getTrue();
  for (std::size_t axis = index.size(); index.size() > 1 && axis-- > 0;) {
    V sum = b.CreateAdd(index[axis], b.CreateZExt(carry, b.getInt64Ty()));
    if (axis > 0) carry = b.CreateICmpEQ(sum, code_.extent(axis));
    next[axis] = axis > 0 ? b.CreateSelect(carry, code_.i64(0), sum) : sum;
  }
  llvm::BasicBlock *latch = b.GetInsertBlock(), *after = code_.block("rows_done");
  llvm::cast<llvm::PHINode>(row)->addIncoming(next_row, latch);
  for (std::size_t axis = 0; index.size() > 1 && axis < index.size(); ++axis)
    llvm::cast<llvm::PHINode>(index[axis])->addIncoming(next[axis], latch);
  b.CreateCondBr(b.CreateICmpSLT(next_row, end_), head_, after);
  b.SetInsertPoint(after);
}

Values next_index(LaneCode& code, Values index, std::size_t axis) {
  auto& b = code.b;
  llvm::Value* carry = b.getTrue();
  for (std::size_t i = index.size(); i-- > 0;) {
    llvm::Value* sum = b.CreateAdd(index[i], b.CreateZExt(carry, b.getInt64Ty()));
    carry = b.CreateICmpEQ(sum, code.extent(axis + i));
    index[i] = i > 0 ? b.CreateSelect(carry, code.i64(0), sum) : sum;
  }
  return index;
}

}  // namespace hasten::backends::cpu
