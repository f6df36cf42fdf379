// Branches and loops: by one condition for all lanes, or by a mask.
#include "backends/cpu/emit/code.hpp"

#include "backends/cpu/emit/rounds.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"
#include "backends/cpu/transforms/split_lanes.hpp"

#include "core/scalar_ops.hpp"
#include "kernels/analysis/loops/loop_counter.hpp"

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

bool is_harmless(const While& loop) {
  constexpr std::size_t statements_max = 32;
  std::size_t statements = 0;
  for (const Region* part : {&loop.condition, &loop.body})
    for (const Stmt& stmt : part->body) {
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (prim && (row(prim->op).expensive || row(prim->op).partial)) return false;
      if (!prim && !std::holds_alternative<Constant>(stmt.op)) return false;
      statements += prim ? 1 : 0;
    }
  return statements <= statements_max;
}

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

  // Makes phis of all states, in a new block that the current one goes on to.
  void begin_rounds(llvm::IRBuilder<>& builder, llvm::BasicBlock* head) {
    llvm::BasicBlock* const before = builder.GetInsertBlock();
    builder.CreateBr(head);
    builder.SetInsertPoint(head);
    phis.clear();
    for (std::vector<V>* part : {&now, &kept})
      for (V& value : *part) {
        llvm::PHINode* phi = value ? builder.CreatePHI(value->getType(), 2) : nullptr;
        if (phi) phi->addIncoming(value, before);
        phis.push_back(phi);
        value = phi;
      }
  }
};

// Where a loop is left, and with which states.
struct LaneCode::LoopEnd {
  llvm::BasicBlock* block;
  LoopStates states;
};

LaneCode::LoopStates LaneCode::first_states(const While& op, const Stmt& stmt, bool diverges) {
  LoopStates states;
  states.now = results_in_form(op.init, op.body.params);
  for (std::size_t i = 0; i < states.now.size(); ++i) {
    states.is_kept.push_back(diverges && states.now[i] && used_[stmt.results[i]]);
    const bool apart = states.is_kept[i] && !hoisting.varying(op.body.params[i]);
    states.kept.push_back(apart ? vector(op.init[i]) : nullptr);
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
      states.kept[i] = kept_after(states.kept[i], going, states.now[i], own);
    else if (states.is_kept[i])
      own = b.CreateSelect(going, own, states.now[i]);
    states.now[i] = own;
  }
}

// What each lane keeps beside a state that is the same in those that are on.
V LaneCode::kept_after(V kept, V going, V now, V next) {
  const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(next);
  const bool counts = sum && sum->getOpcode() == llvm::Instruction::Add &&
                      sum->getOperand(0) == now && constant_like(now, 1) == sum->getOperand(1);
  // The number itself would have to come from a scalar register each time.
  if (counts && machine_.has_mask_registers())
    return b.CreateSelect(going, b.CreateAdd(kept, constant_like(kept, 1)), kept);
  if (counts) return b.CreateSub(kept, b.CreateSExt(going, kept->getType()));
  return b.CreateSelect(going, b.CreateVectorSplat(lanes_, next), kept);
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

// The number of lanes that are on, if these are the first ones; else null.
V LaneCode::first_lanes_on() {
  if (own_rows) return own_rows->mask == mask ? own_rows->count : nullptr;
  if (!mask) return i64(lanes_);
  return mask == tail_mask_ ? tail_ : nullptr;
}

// A loop in which each lane goes through a row of its own: blocks of the rows are turned into
// columns, and a loop of rounds runs for each. False if there are no such reads.
bool LaneCode::loop_by_blocks(const While& op, const Stmt& stmt) {
  constexpr int loops_most = 8;  // their blocks take stack, and their code time to compile
  V on = lanes_ > 1 && loops_by_blocks_ < loops_most ? first_lanes_on() : nullptr;
  const auto is_one = [&](Value v) {
    const auto* same = std::get_if<Uniform>(&values_[v]);
    const auto* number = same ? llvm::dyn_cast_or_null<llvm::ConstantInt>(same->value) : nullptr;
    return number && number->isOne();
  };
  const auto counter = on ? kernels::find_loop_counter(op, is_one) : std::nullopt;
  const auto* end_of_all = counter ? std::get_if<Uniform>(&values_[counter->end]) : nullptr;
  if (!end_of_all) return false;
  const Value step = op.body.params[counter->state];
  PrivateRows rows(module_, *this, op.body, step, RowLoopOf::while_here);
  if (!rows.found()) return false;
  ++loops_by_blocks_;
  LoopStates states = first_states(op, stmt, false);
  states.begin_rounds(b, block("blocks"));
  LoopStates after = states;
  llvm::BasicBlock *head = b.GetInsertBlock(), *inside = block("block"), *exit = block("done");
  V first = states.now[counter->state], end = end_of_all->value;
  b.CreateCondBr(b.CreateICmpSLT(first, end), inside, exit);
  b.SetInsertPoint(inside);
  V count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(end, first),
                                    i64(rows.steps_max()));
  rows.read(Uniform{first}, count, on);
  V last = b.CreateAdd(first, count);
  states.begin_rounds(b, block("rounds"));
  llvm::BasicBlock* const round = b.GetInsertBlock();
  if (long_loops_.is_long(stmt)) poll();
  loop_round(op, nullptr, states);
  states.add_incoming(b.GetInsertBlock());
  const LoopStates left = after;
  after.now = states.now;
  after.add_incoming(b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(states.now[counter->state], last), round, head);
  b.SetInsertPoint(exit);
  end_loop(stmt, left);
  return true;
}

// All lanes make the same rounds.
void LaneCode::uniform_loop(const While& op, const Stmt& stmt) {
  if (loop_by_blocks(op, stmt)) return;
  LoopStates states = first_states(op, stmt, false);
  states.begin_rounds(b, block("while"));
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
  V inside = mask ? mask : all_lanes();
  LoopStates states = first_states(op, stmt, true);
  llvm::BasicBlock* const exit = block("done");
  std::vector<LoopEnd> ends;
  if (has_blocks(op)) inside = blocks_of_rounds(op, stmt, inside, states, exit, ends);
  single_rounds(op, stmt, inside, states, exit, ends);
  b.SetInsertPoint(exit);
  end_loop(stmt, merged(ends));
}

LaneCode::LoopStates LaneCode::merged(const std::vector<LoopEnd>& ends) {
  LoopStates left = ends[0].states;
  for (const auto part : {&LoopStates::now, &LoopStates::kept})
    for (std::size_t i = 0; i < (left.*part).size(); ++i) {
      V& value = (left.*part)[i];
      const auto is_same = [&](const LoopEnd& end) { return (end.states.*part)[i] == value; };
      if (!value || std::ranges::all_of(ends, is_same)) continue;
      llvm::PHINode* const either =
          b.CreatePHI(value->getType(), static_cast<unsigned>(ends.size()));
      for (const LoopEnd& end : ends) either->addIncoming((end.states.*part)[i], end.block);
      value = either;
    }
  return left;
}

// One round after the other, each with a test.
void LaneCode::single_rounds(const While& op, const Stmt& stmt, V all, LoopStates states,
                             llvm::BasicBlock* exit, std::vector<LoopEnd>& ends) {
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = block("while"), *goes_on = block("do");
  states.begin_rounds(b, head);
  llvm::PHINode* inside = b.CreatePHI(all->getType(), 2);
  inside->addIncoming(all, before);
  const bool ask_last = is_harmless(op);
  set_in_form(op.condition.params, states.now);
  mask = inside;
  run(op.condition);
  const Conjuncts parts = conjuncts_of(op.condition, hoisting);
  V going = inside;
  for (const Value v : parts.varying) going = b.CreateAnd(going, vector(v));
  mask = going;
  if (!parts.uniform.empty()) {
    V some = b.getTrue();
    for (const Value v : parts.uniform) some = b.CreateAnd(some, scalar(v));
    llvm::BasicBlock* const lanes_leave = block("lanes");
    ends.push_back({b.GetInsertBlock(), states});
    b.CreateCondBr(some, lanes_leave, exit);
    b.SetInsertPoint(lanes_leave);
  }
  LoopStates left = states;
  if (ask_last) {
    loop_round(op, going, states);
    left = states;
  }
  ends.push_back({b.GetInsertBlock(), left});
  b.CreateCondBr(any(going), goes_on, exit);
  b.SetInsertPoint(goes_on);
  if (long_loops_.is_long(stmt)) poll();
  if (!ask_last) loop_round(op, going, states);
  states.add_incoming(b.GetInsertBlock());
  inside->addIncoming(going, b.GetInsertBlock());
  b.CreateBr(head);
}

namespace {

// Rounds between two tests of whether a lane is left: all but one of them are more than needed at
// worst. With mask registers a test costs less.
constexpr unsigned block_rounds_with_masks = 2, block_rounds_without = 4;
// A register goes on for so many rounds before it is the next one's turn: what waits in between are
// its own states alone, and the processor, which sees some sixty vector instructions at once, still
// finds other registers' work beside them.
constexpr unsigned turn_rounds = 2;

}  // namespace

bool LaneCode::has_blocks(const While& op) const { return lanes_ > 1 && is_harmless(op); }

// Whether all conditions that are the same in all lanes hold for the next rounds. What they depend
// on is the same in all lanes, too, and a few scalars.
V LaneCode::holds_for(unsigned rounds, const While& op, const LoopStates& states) {
  const auto run_uniform = [&](const Region& region) {
    for (const Stmt& s : region.body)
      if (!hoisting.varying(s.results[0])) run(s);
  };
  const Conjuncts parts = conjuncts_of(op.condition, hoisting);
  V holds = b.getTrue();
  std::vector<V> ahead = states.now;
  if (parts.uniform.empty()) return holds;
  for (unsigned k = 0; k < rounds; ++k) {
    set_in_form(op.condition.params, ahead);
    run_uniform(op.condition);
    for (const Value v : parts.uniform) holds = b.CreateAnd(holds, scalar(v));
    set_in_form(op.body.params, ahead);
    run_uniform(op.body);
    for (std::size_t i = 0; i < ahead.size(); ++i)
      if (ahead[i] && !hoisting.varying(op.body.params[i])) ahead[i] = scalar(op.body.results[i]);
  }
  return holds;
}

// Rounds are computed in blocks without a test, as long as no condition that is the same in all
// lanes ends one. Returns the lanes that are on for the rounds that remain.
V LaneCode::blocks_of_rounds(const While& op, const Stmt& stmt, V all, LoopStates& states,
                             llvm::BasicBlock* exit, std::vector<LoopEnd>& ends) {
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = block("block");
  llvm::BasicBlock *rounds = block("rounds"), *goes_on = block("goes_on"), *rest = block("rest");
  states.begin_rounds(b, head);
  llvm::PHINode* inside = b.CreatePHI(all->getType(), 2);
  inside->addIncoming(all, before);
  const unsigned block_rounds =
      machine_.has_mask_registers() ? block_rounds_with_masks : block_rounds_without;
  b.CreateCondBr(holds_for(block_rounds, op, states), rounds, rest);
  b.SetInsertPoint(rounds);
  const Conjuncts parts = conjuncts_of(op.condition, hoisting);
  LoopStates next = states;
  V going = inside;
  for (unsigned k = 0; k < block_rounds; ++k) {
    set_in_form(op.condition.params, next.now);
    mask = going;
    run(op.condition);
    for (const Value v : parts.varying) going = b.CreateAnd(going, vector(v));
    mask = going;
    loop_round(op, going, next);
    if ((k + 1) % turn_rounds == 0) end_turn(b);
  }
  ends.push_back({b.GetInsertBlock(), next});
  b.CreateCondBr(any(going), goes_on, exit);
  b.SetInsertPoint(goes_on);
  if (long_loops_.is_long(stmt)) poll();
  next.add_incoming(b.GetInsertBlock());
  inside->addIncoming(going, b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(rest);
  return inside;
}

}  // namespace hasten::backends::cpu
