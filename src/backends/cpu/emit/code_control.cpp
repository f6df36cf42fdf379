// Branches and loops: by one condition for all lanes, or by a mask.
#include "backends/cpu/emit/code.hpp"

#include "core/scalar_ops.hpp"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <utility>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

namespace {

constexpr std::size_t speculated_statements_max = 8;

// Counts the statements computed in lanes that do not need them, nested branches included. False if
// they are too many, or could do harm.
bool counts_cheap(const Region& region, const kernels::PrivateArrays& arrays,
                  std::size_t& statements) {
  if (!arrays.stores(region.results).empty()) return false;
  return std::ranges::all_of(region.body, [&](const Stmt& stmt) {
    if (++statements > speculated_statements_max) return false;
    if (const auto* branch = std::get_if<If>(&stmt.op))
      return counts_cheap(branch->then_, arrays, statements) &&
             counts_cheap(branch->else_, arrays, statements);
    const auto* prim = std::get_if<Prim>(&stmt.op);
    return std::holds_alternative<Constant>(stmt.op) ||
           (prim && !row(prim->op).expensive && !row(prim->op).partial);
  });
}

// Whether a region is cheap and harmless enough to be computed in lanes that do not need it.
bool is_cheap(const Region& region, const kernels::PrivateArrays& arrays) {
  std::size_t statements = 0;
  return counts_cheap(region, arrays, statements);
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
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(scalar(op.condition))) {
    const Region& side = known->isOne() ? op.then_ : op.else_;
    run(side);
    store_passed(side.results);
    return set_in_form(stmt.results, results_in_form(side.results, stmt.results));
  }
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
  const bool was_whole = std::exchange(is_whole_, is_whole_ || !old_mask);
  llvm::BasicBlock *before = b.GetInsertBlock(), *inside = block("side"), *after = block("join");
  b.CreateCondBr(any(mask), inside, after);
  b.SetInsertPoint(inside);
  run(side);
  std::vector<V> values = results();
  is_whole_ = was_whole;
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

// A poll of the stop word costs a comparison with memory, for which no dependence chain of the loop
// waits. Nothing is computed from the results of a loop that was left this way: what is proved
// about them may not hold yet.
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

namespace {

// Whether a round does no harm in lanes that have left, even if no lane is on.
bool is_harmless(const While& op) {
  constexpr std::size_t statements_max = 32;
  std::size_t statements = 0;
  for (const Region* part : {&op.condition, &op.body})
    for (const Stmt& stmt : part->body) {
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (prim && (row(prim->op).expensive || row(prim->op).partial)) return false;
      if (!prim && !std::holds_alternative<Constant>(stmt.op)) return false;
      statements += prim ? 1 : 0;
    }
  return statements <= statements_max;
}

}  // namespace

struct LaneCode::LoopStates {
  std::vector<V> now;   // null: in memory
  std::vector<V> kept;  // for lanes that have left, beside a state that is uniform in the others
  std::vector<bool> is_kept;
  std::vector<llvm::PHINode*> phis;  // of `now`, then of `kept`

  void add_incoming(llvm::BasicBlock* from) const {
    std::vector<V> next = now;
    next.insert(next.end(), kept.begin(), kept.end());
    for (std::size_t i = 0; i < phis.size(); ++i)
      if (phis[i]) phis[i]->addIncoming(next[i], from);
  }

  // Merges the results of a loop that is left after a round, or before it from `at_head`.
  void merge(llvm::IRBuilder<>& builder, llvm::BasicBlock* at_head, llvm::BasicBlock* after_round) {
    for (std::size_t i = 0; i < phis.size(); ++i) {
      V& value = i < now.size() ? now[i] : kept[i - now.size()];
      if (!phis[i] || value == phis[i]) continue;
      llvm::PHINode* const either = builder.CreatePHI(value->getType(), 2);
      either->addIncoming(phis[i], at_head);
      either->addIncoming(value, after_round);
      value = either;
    }
  }
};

LaneCode::LoopStates LaneCode::begin_loop(const While& op, const Stmt& stmt, bool diverges) {
  LoopStates states;
  states.now = results_in_form(op.init, op.body.params);
  for (std::size_t i = 0; i < states.now.size(); ++i) {
    states.is_kept.push_back(diverges && states.now[i] && used_[stmt.results[i]]);
    const bool apart = states.is_kept[i] && !hoisting.varying(op.body.params[i]);
    states.kept.push_back(apart ? vector(op.init[i]) : nullptr);
  }
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = block("while");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  for (std::vector<V>* part : {&states.now, &states.kept})
    for (V& value : *part) {
      llvm::PHINode* phi = value ? b.CreatePHI(value->getType(), 2) : nullptr;
      if (phi) phi->addIncoming(value, before);
      states.phis.push_back(phi);
      value = phi;
    }
  return states;
}

// Computes the states of the next round. Under `going` lanes leave at different times.
void LaneCode::loop_round(const While& op, V going, LoopStates& states) {
  set_in_form(op.body.params, states.now);
  run(op.body);
  store_passed(op.body.results);
  const std::vector<V> next = results_in_form(op.body.results, op.body.params);
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (!next[i]) continue;
    V own = next[i];
    if (states.kept[i])
      states.kept[i] = b.CreateSelect(going, b.CreateVectorSplat(lanes_, own), states.kept[i]);
    else if (states.is_kept[i])
      own = b.CreateSelect(going, own, states.now[i]);
    states.now[i] = own;
  }
}

void LaneCode::end_loop(const Stmt& stmt, const LoopStates& states) {
  std::vector<V> results = states.now;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (states.kept[i]) results[i] = states.kept[i];
  set_in_form(stmt.results, results);
}

void LaneCode::loop(const While& op, const Stmt& stmt) {
  store_passed(op.init);
  V old_mask = mask;
  if (hoisting.varying(op.condition.results[0]))
    diverging_loop(op, stmt);
  else
    uniform_loop(op, stmt);
  mask = old_mask;
}

// All lanes make the same rounds.
void LaneCode::uniform_loop(const While& op, const Stmt& stmt) {
  LoopStates states = begin_loop(op, stmt, false);
  const LoopStates left = states;
  llvm::BasicBlock *head = b.GetInsertBlock(), *body = block("do"), *exit = block("done");
  set_in_form(op.condition.params, states.now);
  run(op.condition);
  b.CreateCondBr(scalar(op.condition.results[0]), body, exit);
  b.SetInsertPoint(body);
  if (long_loops_.is_long(stmt)) poll();
  loop_round(op, nullptr, states);
  states.add_incoming(b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(exit);
  end_loop(stmt, left);
}

namespace {

// The conditions for a lane to stay: each part of a & b & c, with those that are the same in all
// lanes apart.
struct Conjuncts {
  std::vector<Value> uniform, varying;
};

Conjuncts conjuncts_of(const Region& condition, const HoistingLevels& places) {
  std::vector<Value> open{condition.results[0]};
  Conjuncts found;
  while (!open.empty()) {
    const Value v = open.back();
    open.pop_back();
    const auto made = std::ranges::find_if(condition.body,
                                           [&](const Stmt& stmt) { return stmt.results[0] == v; });
    const auto* prim = made == condition.body.end() ? nullptr : std::get_if<Prim>(&made->op);
    if (!places.varying(v))
      found.uniform.push_back(v);
    else if (prim && prim->op == ScalarOp::and_)
      open.insert(open.end(), prim->args.begin(), prim->args.end());
    else
      found.varying.push_back(v);
  }
  return found;
}

}  // namespace

// Lanes leave at different times: a mask holds the lanes still inside, and the others keep their
// results. For a state that is uniform among the lanes that are on, vectors beside it hold those.
// States that are unused after the loop advance in all lanes, because lanes that have left never
// come back. A harmless round runs before the test for remaining lanes, so that no value shared by
// condition and body stays live across the test. Conditions that are the same in all lanes, such as
// a limit of rounds, are not part of the mask: where they fail, all lanes leave at once, before the
// round.
void LaneCode::diverging_loop(const While& op, const Stmt& stmt) {
  V all = mask ? mask : all_lanes();
  llvm::BasicBlock* before = b.GetInsertBlock();
  LoopStates states = begin_loop(op, stmt, true);
  llvm::PHINode* inside = b.CreatePHI(all->getType(), 2);
  inside->addIncoming(all, before);
  llvm::BasicBlock *head = b.GetInsertBlock(), *goes_on = block("do"), *exit = block("done");
  const bool ask_last = is_harmless(op);
  LoopStates left = states;
  set_in_form(op.condition.params, states.now);
  mask = inside;
  run(op.condition);
  const Conjuncts parts = conjuncts_of(op.condition, hoisting);
  V going = inside;
  for (const Value v : parts.varying) going = b.CreateAnd(going, vector(v));
  mask = going;
  llvm::BasicBlock* all_leave = nullptr;  // the block where they do
  if (!parts.uniform.empty()) {
    V some = b.getTrue();
    for (const Value v : parts.uniform) some = b.CreateAnd(some, scalar(v));
    llvm::BasicBlock* const lanes_leave = block("lanes");
    all_leave = b.GetInsertBlock();
    b.CreateCondBr(some, lanes_leave, exit);
    b.SetInsertPoint(lanes_leave);
  }
  if (ask_last) {
    loop_round(op, going, states);
    left = states;
  }
  llvm::BasicBlock* const asked = b.GetInsertBlock();
  b.CreateCondBr(any(going), goes_on, exit);
  b.SetInsertPoint(goes_on);
  if (long_loops_.is_long(stmt)) poll();
  if (!ask_last) loop_round(op, going, states);
  states.add_incoming(b.GetInsertBlock());
  inside->addIncoming(going, b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(exit);
  if (all_leave) left.merge(b, all_leave, asked);
  end_loop(stmt, left);
}

}  // namespace hasten::backends::cpu
