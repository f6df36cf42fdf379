// Reductions in scalar code. A reduction that is the same for a whole row is folded once per row:
// by lanes along the range where the operator is one of the table, in the tiles that folds have. A
// reduction that differs among lanes is one loop of all lanes, in order.
#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"

#include "core/scalar_ops.hpp"
#include "kernels/finish.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

namespace {

constexpr std::int64_t steps_between_polls = 1 << 14;

// How many vectors are folded side by side: each addition waits for the one before it, and four
// registers hide that latency. An element of several operations a step hides it by itself.
unsigned chains_of(const Region& element, std::size_t leaf_bytes, unsigned lanes,
                   const Machine& machine) {
  constexpr unsigned registers_wanted = 4;
  constexpr std::ptrdiff_t statements_max = 8;
  const auto is_light = [](const Stmt& stmt) {
    const auto* prim = std::get_if<Prim>(&stmt.op);
    return std::holds_alternative<Constant>(stmt.op) ||
           std::holds_alternative<LoadLinear>(stmt.op) ||
           (prim && !row(prim->op).expensive && !row(prim->op).partial);
  };
  if (std::ssize(element.body) > statements_max || !std::ranges::all_of(element.body, is_light))
    return 1;
  return std::max(1U, registers_wanted * machine.lanes(leaf_bytes) / lanes);
}

// Folds whole vectors from `begin` on, `chains` of them side by side, each with a state of its own.
// Returns where they end and what they fold to together.
std::pair<V, Values> in_chains(LaneCode& code, V begin, V end, unsigned chains,
                               const Values& nothing,
                               llvm::function_ref<Values(V, const Values&, bool)> element,
                               llvm::function_ref<Values(const Values&, const Values&)> combined) {
  if (chains == 1) return {begin, nothing};
  auto& b = code.b;
  const std::size_t leaves = nothing.size();
  const auto lanes = static_cast<std::int64_t>(code.lanes()), step = lanes * chains;
  const auto of_chain = [&](const Values& all, std::size_t chain) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(chain * leaves);
    return Values(first, first + static_cast<std::ptrdiff_t>(leaves));
  };
  Values all;
  for (unsigned chain = 0; chain < chains; ++chain)
    all.insert(all.end(), nothing.begin(), nothing.end());
  V stop = b.CreateAdd(begin, b.CreateAnd(b.CreateSub(end, begin), code.i64(-step)));
  all = guarded(code, b.CreateICmpSLT(begin, stop), all, [&] {
    return counted(code, begin, stop, step, all, [&](V index, const Values& before) {
      Values next;
      for (unsigned chain = 0; chain < chains; ++chain) {
        V at = b.CreateAdd(index, code.i64(lanes * chain));
        for (V leaf : element(at, of_chain(before, chain), false)) next.push_back(leaf);
      }
      return next;
    });
  });
  std::vector<Values> left;
  for (unsigned chain = 0; chain < chains; ++chain) left.push_back(of_chain(all, chain));
  for (; left.size() > 1; left.resize(left.size() / 2))
    for (std::size_t pair = 0; pair < left.size() / 2; ++pair)
      left[pair] = combined(left[2 * pair], left[2 * pair + 1]);
  return {stop, left[0]};
}

}  // namespace

void LaneCode::reduce(const Reduce& op, const Stmt& stmt) {
  if (hoisting.along_lanes(stmt.results[0])) return reduce_along_lanes(op, stmt);
  const bool same_steps = !hoisting.varying(op.begin) && !hoisting.varying(op.end);
  set_in_form(stmt.results, same_steps ? reduce_in_order(op, stmt) : reduce_under_mask(op, stmt));
}

// Memory is idle while a row's waiting elements are computed, because other folds of the row have
// already read it.
void LaneCode::ask_for_next_row(const Region& element, const StoredElement& stored) {
  when(stored.streams, "ask", [&] {
    for (const Stmt& stmt : element.body)
      if (const auto* load = std::get_if<LoadLinear>(&stmt.op)) prefetch(*load, stored.next_row);
  });
}

// Whether an earlier reduction of the row has read it, too, so that it is in the first cache. The
// first reduction that does so is to ask for the next row; there is none where elements are stored.
bool LaneCode::reads_row_again(const Region& element) {
  if (!next_rows || !stored_elements.empty() || asks_for_rows_) return false;
  bool again = false;
  std::set<std::uint32_t> arrays;
  for (const Stmt& stmt : element.body)
    if (const auto* load = std::get_if<LoadLinear>(&stmt.op)) {
      again = again || rows_read_.contains(load->array);
      arrays.insert(load->array);
    }
  rows_read_.merge(arrays);
  asks_for_rows_ = again;
  return again;
}

void LaneCode::ask_for_next_row(const Region& element) {
  when(next_rows->streams, "ask", [&] {
    for (const Stmt& stmt : element.body)
      if (const auto* load = std::get_if<LoadLinear>(&stmt.op)) {
        const auto bytes =
            static_cast<std::int64_t>(detail::size_in_bytes(module_.kernel.inputs[load->array]));
        prefetch(*load, b.CreateMul(next_rows->elements, i64(bytes)));
      }
  });
}

// A seed is folded before the first tile.
void LaneCode::reduce_along_lanes(const Reduce& op, const Stmt& stmt) {
  const kernels::LaneOperator table = kernels::lane_operator(op.combine);
  const std::size_t leaves = stmt.results.size();
  Values start, nothing;
  for (std::size_t i = 0; i < leaves; ++i) {
    nothing.push_back(identity_of(*this, op.combine, table, i, true));
    start.push_back(op.seed.empty() ? identity_of(*this, op.combine, table, i, false)
                                    : scalar(op.seed[i]));
  }
  const auto both = [&](const Values& left, const Values& right) {
    return combined_by_table(*this, op.combine, table, left, right);
  };
  const bool asks = reads_row_again(op.element);
  const auto element = [&](V index, const Values& left, bool tail) {
    set(op.element.params[0], Affine{index, i64(1)});
    run(op.element);
    if (asks && !tail) ask_for_next_row(op.element);
    for (const StoredElement& stored : stored_elements)
      if (stored.kept.reduction == stmt.results[0]) {
        store_waiting(stored, index, vector(stored.kept.folded));
        if (!tail) ask_for_next_row(op.element, stored);
      }
    Values right;
    for (Value v : op.element.results) right.push_back(vector(v));
    Values next = both(left, right);
    for (std::size_t i = 0; tail && i < leaves; ++i)
      next[i] = b.CreateSelect(mask, next[i], left[i]);
    return next;
  };
  const std::size_t leaf_bytes = detail::size_in_bytes(type(stmt.results[0]));
  const unsigned chains_of_this = chains_of(op.element, leaf_bytes, lanes_, machine_);
  V begin = scalar(op.begin), end = scalar(op.end);
  const Values total = guarded(*this, b.CreateICmpSLT(begin, end), start, [&] {
    return counted(*this, begin, end, tile_elements, start, [&](V first, const Values& left) {
      if (long_loops_.is_long(stmt)) poll();
      V last = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                       b.CreateNSWAdd(first, i64(tile_elements)), end);
      const auto chains = in_chains(*this, first, last, chains_of_this, nothing, element, both);
      const Values tile = in_vectors(*this, chains.first, last, chains.second, element);
      return both(left, lanes_combined(*this, op.combine, table, tile));
    });
  });
  for (std::size_t i = 0; i < leaves; ++i) set(stmt.results[i], Uniform{total[i]});
}

// The element in the form of the results.
std::vector<V> LaneCode::reduced_element(const Reduce& op, const Stmt& stmt, Lanes k) {
  set(op.element.params[0], k);
  run(op.element);
  return results_in_form(op.element.results, stmt.results);
}

std::vector<V> LaneCode::reduced(const Reduce& op, const Stmt& stmt, const std::vector<V>& left,
                                 const std::vector<V>& right) {
  std::vector<V> both = left;
  both.insert(both.end(), right.begin(), right.end());
  set_in_form(op.combine.params, both);
  run(op.combine);
  return results_in_form(op.combine.results, stmt.results);
}

// Zeros if there is no seed.
std::vector<V> LaneCode::start_of(const Reduce& op, const Stmt& stmt) {
  if (!op.seed.empty()) return results_in_form(op.seed, stmt.results);
  std::vector<V> start;
  for (Value v : stmt.results) start.push_back(llvm::Constant::getNullValue(form_type(v)));
  return start;
}

std::vector<V> LaneCode::reduce_steps(const Reduce& op, const Stmt& stmt, V begin, V end,
                                      const std::vector<V>& start) {
  const auto step = [&](V k, const Values& left) {
    return reduced(op, stmt, left, reduced_element(op, stmt, Uniform{k}));
  };
  // A long reduction polls between runs of steps.
  const auto run = [&](V first, const Values& left) {
    poll();
    V last = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                     b.CreateNSWAdd(first, i64(steps_between_polls)), end);
    return counted(*this, first, last, 1, left, step);
  };
  const bool is_long = long_loops_.is_long(stmt);
  return guarded(*this, b.CreateICmpSLT(begin, end), start, [&] {
    return is_long ? counted(*this, begin, end, steps_between_polls, start, run)
                   : counted(*this, begin, end, 1, start, step);
  });
}

// Steps whose reads are kept come first.
std::vector<V> LaneCode::reduce_in_order(const Reduce& op, const Stmt& stmt) {
  V begin = scalar(op.begin), end = scalar(op.end);
  std::optional<PrivateRows> rows;
  if (own_rows && own_rows->mask == mask) {
    rows.emplace(module_, *this, op.element, op.element.params[0], RowLoopOf::reduction_here);
    if (rows->found()) {
      V count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(end, begin),
                                        i64(rows->steps_max()));
      rows->read(Uniform{begin}, count, own_rows->count);
    }
  }
  const auto of_this = [&](const KeptRead& read) { return read.step == op.element.params[0]; };
  V until = nullptr;
  for (const KeptRead& read : kept_reads)
    if (of_this(read))
      until = until ? b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, until, read.end) : read.end;
  const auto rest = [&](V from, const Values& start) {
    if (!until) return reduce_steps(op, stmt, from, end, start);
    const Values first = reduce_steps(op, stmt, from, until, start);
    const std::vector<KeptRead> all = kept_reads;
    std::erase_if(kept_reads, of_this);
    Values last = reduce_steps(op, stmt, until, end, first);
    kept_reads = all;
    return last;
  };
  const Values start = start_of(op, stmt);
  if (!op.seed.empty()) return rest(begin, start);
  return guarded(*this, b.CreateICmpSLT(begin, end), start, [&] {
    const Values first = reduced_element(op, stmt, Uniform{begin});
    return rest(b.CreateNSWAdd(begin, i64(1)), first);
  });
}

// Each lane has a range of its own; a mask says which lanes are still in theirs.
std::vector<V> LaneCode::reduce_under_mask(const Reduce& op, const Stmt& stmt) {
  V old_mask = mask, all = mask ? mask : all_lanes();
  V begin = vector(op.begin), end = vector(op.end);
  const auto inside = [&](V k) { return b.CreateAnd(all, b.CreateICmpSLT(k, end)); };
  Values start = start_of(op, stmt);
  if (op.seed.empty()) {
    V some = inside(begin);
    start = guarded(*this, any(some), start, [&] {
      mask = some;
      return reduced_element(op, stmt, Varying{begin});
    });
    begin = b.CreateAdd(begin, constant_like(begin, 1));
  }
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = block("reduce"), *body = block("step"),
                   *exit = block("reduced");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  Values state = start;
  state.push_back(begin);
  std::vector<llvm::PHINode*> phis;
  for (V& value : state) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    value = phis.back();
  }
  V k = state.back();
  state.pop_back();
  mask = inside(k);
  V going = mask;
  b.CreateCondBr(any(going), body, exit);
  b.SetInsertPoint(body);
  if (long_loops_.is_long(stmt)) poll();
  Values next = reduced(op, stmt, state, reduced_element(op, stmt, Varying{k}));
  for (std::size_t i = 0; i < next.size(); ++i) next[i] = b.CreateSelect(going, next[i], state[i]);
  next.push_back(b.CreateAdd(k, constant_like(k, 1)));
  for (std::size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(exit);
  mask = old_mask;
  return state;
}

}  // namespace hasten::backends::cpu
