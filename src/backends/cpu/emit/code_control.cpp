// Branches and loops, by condition: one for all lanes, or a mask.
#include "backends/cpu/emit/code.hpp"

#include "core/scalar_ops.hpp"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

namespace {

constexpr std::size_t speculated_statements_max = 8;

// Cheap enough, and harmless enough, to be computed in lanes that do not need it.
bool is_cheap(const Region& region, const kernels::PrivateArrays& arrays) {
  if (!arrays.stores(region.results).empty()) return false;
  if (region.body.size() > speculated_statements_max) return false;
  return std::all_of(region.body.begin(), region.body.end(), [](const Stmt& stmt) {
    const auto* prim = std::get_if<Prim>(&stmt.op);
    return std::holds_alternative<Constant>(stmt.op) ||
           (prim && !row(prim->op).expensive && !row(prim->op).partial);
  });
}

}  // namespace

// -- forms ----------------------------------------------------------------------------------------

V LaneCode::in_form(Value v, Value like) { return hoisting.varying(like) ? vector(v) : scalar(v); }

llvm::Type* LaneCode::form_type(Value v) {
  return hoisting.varying(v) ? lane_type(type(v)) : register_type(b.getContext(), type(v));
}

std::vector<V> LaneCode::results_in_form(const std::vector<Value>& from,
                                         const std::vector<Value>& like) {
  std::vector<V> values;
  for (std::size_t i = 0; i < from.size(); ++i)
    values.push_back(is_in_memory(like[i]) ? nullptr : in_form(from[i], like[i]));
  return values;
}

void LaneCode::set_in_form(const std::vector<Value>& to, const std::vector<V>& from) {
  for (std::size_t i = 0; i < to.size(); ++i)
    if (from[i])
      set(to[i], hoisting.varying(to[i]) ? Lanes(Varying{from[i]}) : Lanes(Uniform{from[i]}));
  load_versions(to);
}

// -- branches -------------------------------------------------------------------------------------

void LaneCode::branch(const If& op, const Stmt& stmt) {
  if (std::holds_alternative<Uniform>(values_[op.condition]))
    uniform_branch(op, stmt);
  else
    masked_branch(op, stmt);
}

void LaneCode::uniform_branch(const If& op, const Stmt& stmt) {
  llvm::BasicBlock *then_block = block("then"), *else_block = block("else"), *join = block("join");
  b.CreateCondBr(scalar(op.condition), then_block, else_block);
  const auto side = [&](const Region& region, llvm::BasicBlock* start) {
    b.SetInsertPoint(start);
    run(region);
    store_passed(region.results);
    std::vector<V> results = results_in_form(region.results, stmt.results);
    b.CreateBr(join);
    return std::pair(results, b.GetInsertBlock());
  };
  const auto [then_values, then_end] = side(op.then_, then_block);
  const auto [else_values, else_end] = side(op.else_, else_block);
  b.SetInsertPoint(join);
  std::vector<V> results;
  for (std::size_t i = 0; i < stmt.results.size(); ++i) {
    results.push_back(nullptr);
    if (!then_values[i]) continue;
    llvm::PHINode* phi = b.CreatePHI(form_type(stmt.results[i]), 2);
    phi->addIncoming(then_values[i], then_end);
    phi->addIncoming(else_values[i], else_end);
    results.back() = phi;
  }
  set_in_form(stmt.results, results);
}

void LaneCode::masked_branch(const If& op, const Stmt& stmt) {
  V condition = vector(op.condition);
  V old_mask = mask;
  const std::vector<V> then_values = masked_side(op.then_, stmt, condition, old_mask);
  const std::vector<V> else_values = masked_side(op.else_, stmt, b.CreateNot(condition), old_mask);
  mask = old_mask;
  for (std::size_t i = 0; i < stmt.results.size(); ++i)
    if (then_values[i])
      set(stmt.results[i], Varying{b.CreateSelect(condition, then_values[i], else_values[i])});
  load_versions(stmt.results);
}

// The results in the lanes where `condition` holds; anything elsewhere.
std::vector<V> LaneCode::masked_side(const Region& side, const Stmt& stmt, V condition,
                                     V old_mask) {
  const auto results = [&] {
    store_passed(side.results);
    std::vector<V> values;
    for (std::size_t i = 0; i < side.results.size(); ++i)
      values.push_back(is_in_memory(stmt.results[i]) ? nullptr : vector(side.results[i]));
    return values;
  };
  if (is_cheap(side, hoisting.arrays())) {
    mask = old_mask;
    run(side);
    return results();
  }
  mask = old_mask ? b.CreateAnd(old_mask, condition) : condition;
  llvm::BasicBlock *before = b.GetInsertBlock(), *inside = block("side"), *after = block("join");
  b.CreateCondBr(any(mask), inside, after);
  b.SetInsertPoint(inside);
  run(side);
  std::vector<V> values = results();
  llvm::BasicBlock* end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  for (V& value : values) {
    if (!value) continue;
    llvm::PHINode* phi = b.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, end);
    phi->addIncoming(llvm::Constant::getNullValue(value->getType()), before);
    value = phi;
  }
  return values;
}

// -- loops ----------------------------------------------------------------------------------------

// A look at the word costs a comparison with memory, which no chain of the loop waits for. Nothing
// is computed of what a loop has left behind: what is proved of its results may not hold yet.
void LaneCode::poll() {
  if (!stopped_) {
    const llvm::IRBuilderBase::InsertPointGuard guard(b);
    stopped_ = block("stopped");
    b.SetInsertPoint(stopped_);
    if (llvm::Triple(machine_.triple).isX86())  // stores past the caches may be under way
      b.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    b.CreateRetVoid();
  }
  llvm::LoadInst* word = b.CreateAlignedLoad(b.getInt32Ty(), stop_word_, llvm::Align(4), true);
  llvm::BasicBlock* goes_on = block("goes_on");
  llvm::MDNode* const weights = llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights();
  b.CreateCondBr(b.CreateICmpNE(word, b.getInt32(0)), stopped_, goes_on, weights);
  b.SetInsertPoint(goes_on);
}

// A state keeps one form inside. Where lanes leave at different times, a mask says who is still in,
// and the others keep their state: of one that is the same in all lanes that are on, vectors beside
// it.
void LaneCode::loop(const While& op, const Stmt& stmt) {
  V old_mask = mask;
  const bool diverges = hoisting.varying(op.condition.results[0]);
  store_passed(op.init);
  const std::vector<V> init = results_in_form(op.init, op.body.params);
  const auto is_kept_apart = [&](std::size_t i) {
    return diverges && init[i] && !hoisting.varying(op.body.params[i]);
  };
  std::vector<V> first_kept(init.size());
  for (std::size_t i = 0; i < init.size(); ++i)
    if (is_kept_apart(i)) first_kept[i] = vector(op.init[i]);
  V all = diverges && !mask ? all_lanes() : mask;
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = block("while"), *body = block("do"),
                   *exit = block("done");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  const auto states = [&](const std::vector<V>& first) {
    std::vector<llvm::PHINode*> phis;
    for (V value : first) {
      phis.push_back(value ? b.CreatePHI(value->getType(), 2) : nullptr);
      if (value) phis.back()->addIncoming(value, before);
    }
    return phis;
  };
  const std::vector<llvm::PHINode*> state = states(init), kept = states(first_kept);
  llvm::PHINode* inside = nullptr;
  if (diverges) {
    inside = b.CreatePHI(all->getType(), 2);
    inside->addIncoming(all, before);
    mask = inside;
  }
  std::vector<V> values(state.begin(), state.end());
  set_in_form(op.condition.params, values);
  run(op.condition);
  V going = diverges ? vector(op.condition.results[0]) : scalar(op.condition.results[0]);
  if (diverges) mask = going = b.CreateAnd(inside, going);
  b.CreateCondBr(any(going), body, exit);
  b.SetInsertPoint(body);
  if (long_loops_.is_long(stmt)) poll();
  set_in_form(op.body.params, values);
  run(op.body);
  store_passed(op.body.results);
  const std::vector<V> next = results_in_form(op.body.results, op.body.params);
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (!next[i]) continue;
    V own = next[i];
    if (kept[i]) {
      V now = b.CreateSelect(going, b.CreateVectorSplat(lanes_, own), kept[i]);
      kept[i]->addIncoming(now, b.GetInsertBlock());
    } else if (diverges) {
      own = b.CreateSelect(going, own, state[i]);
    }
    state[i]->addIncoming(own, b.GetInsertBlock());
  }
  if (diverges) inside->addIncoming(going, b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(exit);
  mask = old_mask;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (kept[i]) values[i] = kept[i];
  set_in_form(stmt.results, values);
}

}  // namespace hasten::backends::cpu
