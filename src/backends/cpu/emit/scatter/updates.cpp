// A task with part of the outputs makes only some of all updates, and branch prediction cannot
// foresee which: simple updates are always made, those to other tasks' targets at a place that
// nothing reads.
#include "backends/cpu/emit/scatter/updates.hpp"

#include "backends/cpu/launch/private_outputs.hpp"
#include "core/scalar_ops.hpp"
#include "kernels/analysis/strides.hpp"
#include "kernels/analysis/target_bounds.hpp"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Value;
using V = llvm::Value*;

namespace {

constexpr std::uint64_t spill_alignment = 64;
constexpr std::size_t unrolled_statements_max = 256;
// A power of two, so that an update that does not apply need not wait for the one before it.
constexpr std::int64_t places_for_none = 64;
// Collected updates stay in the first-level cache, beside the outputs that they update.
constexpr std::int64_t collected = 256;
constexpr std::int64_t collected_together = 4;

// Whether code returns a value, without any other effect, for whatever operands.
bool is_simple(const kernels::Region& region) {
  return std::ranges::all_of(region.body, [](const core::Stmt& stmt) {
    const auto* prim = std::get_if<core::Prim>(&stmt.op);
    return std::holds_alternative<core::Constant>(stmt.op) ||
           (prim && !core::row(prim->op).partial && !core::row(prim->op).expensive);
  });
}

}  // namespace

V bound_of(LaneCode& code, Value v) {
  const std::optional<core::Bits> known = kernels::constant_of(code.kernel().element, v);
  return known ? code.i64(static_cast<std::int64_t>(known->lo)) : code.scalar(v);
}

Updates::Updates(LaneCode& code, V part, bool collects) : code_(code) {
  auto& b = code_.b;
  const Kernel& kernel = code_.kernel();
  V first = code_.load_slot(part, code_.i64(0), core::ScalarType::i64);
  V end = code_.load_slot(part, code_.i64(1), core::ScalarType::i64);
  conditions_ = kernels::target_bounds(kernel).others;
  part_ = bounds_ = narrowed(first, end);
  if (code_.lanes() == 1) {
    is_whole_ =
        b.CreateAnd(b.CreateICmpEQ(first, code_.i64(0)), b.CreateICmpEQ(end, code_.i64(INT64_MAX)));
    whole_ = narrowed(code_.i64(0), code_.i64(INT64_MAX));
    find_index_bounds();
    find_copies(code_.load_slot(part, code_.i64(2), core::ScalarType::i64));
    if (is_simple(kernel.combine)) make_places_for_none();
    return;
  }
  of_neighbours_ = !collects && kernels::updates_neighbours(kernel);
  if (of_neighbours_) return;
  find_room(collects ? collected + code_.lanes() : code_.lanes());
  if (!collects) return;
  counted_ = code_.stack_slot(b.getInt64Ty());
  b.CreateStore(code_.i64(0), counted_);
}

void Updates::find_room(std::uint64_t elements) {
  auto& b = code_.b;
  const auto room = [&](llvm::Type* element) {
    llvm::AllocaInst* memory = b.CreateAlloca(llvm::ArrayType::get(element, elements));
    memory->setAlignment(llvm::Align(spill_alignment));
    spilled_.push_back(memory);
  };
  room(b.getInt64Ty());
  for (core::ScalarType type : code_.kernel().outputs)
    room(memory_type(b.getContext(), detail::part_of(type)));
}

// Narrows both bounds by the conditions of `keep` on the target itself, so that one test checks all
// of them. The other conditions remain.
Updates::Bounds Updates::narrowed(V first, V end) {
  auto& b = code_.b;
  const kernels::TargetBounds demanded = kernels::target_bounds(code_.kernel());
  for (const Value least : demanded.at_least)
    first = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first, bound_of(code_, least));
  for (const Value bound : demanded.below)
    end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, bound_of(code_, bound));
  V size = b.CreateSub(end, first);
  return {first, b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, size, code_.i64(0))};
}

// Scalar code tests both bounds of an index at once.
void Updates::find_index_bounds() {
  auto& b = code_.b;
  const Kernel& kernel = code_.kernel();
  const kernels::TargetBounds demanded = kernels::target_bounds(kernel);
  bounds_whole_ = !demanded.at_least.empty() || !demanded.below.empty();
  for (const kernels::IndexBounds& index : kernels::take_index_bounds(kernel, conditions_)) {
    IndexBounds& bounds = indices_.emplace_back();
    bounds.index = index.index;
    bounds.first = limit_of(index.at_least, llvm::Intrinsic::smax);
    bounds.end = limit_of(index.below, llvm::Intrinsic::smin);
    if (!bounds.first || !bounds.end) continue;
    V last = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, bounds.end, bounds.first);
    bounds.size = b.CreateSub(last, bounds.first);
  }
}

std::pair<V, V> Updates::within_bounds(V begin, V end) const {
  for (const IndexBounds& bounds : indices_) {
    if (bounds.index != code_.kernel().element.params.back()) continue;
    if (bounds.first)
      begin = code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, begin, bounds.first);
    if (bounds.end) end = code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, bounds.end);
  }
  // A piece of a row may lie beyond the bounds; then it has no elements.
  return {begin, code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, begin, end)};
}

V Updates::limit_of(const std::vector<Value>& limits, llvm::Intrinsic::ID choose) {
  V result = nullptr;
  for (const Value limit : limits) {
    V next = bound_of(code_, limit);
    result = result ? code_.b.CreateBinaryIntrinsic(choose, result, next) : next;
  }
  return result;
}

void Updates::find_copies(V distance) {
  const Kernel& kernel = code_.kernel();
  if (!may_have_copies(kernel)) return;
  for (std::int64_t k = 0; k < output_copies; ++k) {
    Values& outputs = copies_.emplace_back();
    V begin = code_.b.CreateMul(distance, code_.i64(k));
    for (std::size_t i = 0; i < kernel.outputs.size(); ++i)
      outputs.push_back(code_.b.CreateGEP(memory_type(code_.b.getContext(), kernel.outputs[i]),
                                          code_.output(i), begin));
  }
}

void Updates::make_places_for_none() {
  for (const core::ScalarType output : code_.kernel().outputs) {
    if (detail::is_complex(output)) return none_.clear();
    llvm::Type* const type =
        llvm::ArrayType::get(memory_type(code_.b.getContext(), output), places_for_none);
    none_.push_back(code_.stack_slot(type));
    code_.b.CreateStore(llvm::Constant::getNullValue(type), none_.back());
  }
}

void Updates::take(bool whole) {
  takes_whole_ = whole;
  bounds_ = whole ? whole_ : part_;
  without_branch_ = !whole && !none_.empty();
}

void Updates::take_copy(std::size_t k) {
  if (copies_.empty()) return;
  for (std::size_t i = 0; i < copies_[k].size(); ++i) code_.move_output(i, copies_[k][i]);
}

void Updates::emit() {
  if (code_.lanes() == 1)
    emit_one();
  else
    emit_lanes();
}

namespace {

// The keep condition, the target, and the leaves of the only write.
Value target(const Kernel& kernel) { return kernels::written(kernel, 0)[1]; }
std::span<const Value> leaves(const Kernel& kernel) {
  return kernels::written(kernel, 0).subspan(2);
}

}  // namespace

// Lanes are taken from memory one by one: targets first, then the leaves.
void Updates::emit_lanes() {
  auto& b = code_.b;
  const Kernel& kernel = code_.kernel();
  if (of_neighbours_) return emit_neighbours(std::get<Affine>(code_.get(target(kernel))).base);
  V targets = code_.vector(target(kernel));
  V applies = applies_to(targets);
  if (code_.mask) applies = b.CreateAnd(applies, code_.mask);
  code_.mask = nullptr;  // what follows is scalar code
  if (counted_) return collect(targets, applies);
  code_.when(code_.any(applies), "updates", [&] {
    b.CreateAlignedStore(targets, spilled_[0], llvm::Align(spill_alignment));
    for (std::size_t i = 0; i < kernel.outputs.size(); ++i) {
      V leaf = code_.to_memory(detail::part_of(kernel.outputs[i]), code_.vector(leaves(kernel)[i]));
      b.CreateAlignedStore(leaf, spilled_[i + 1], llvm::Align(spill_alignment));
    }
    update_lanes(b.CreateBitCast(applies, b.getIntNTy(code_.lanes())));
  });
}

// Targets are neighbours from `first` on. Mostly all updates of a vector apply, or none.
void Updates::emit_neighbours(V first) {
  auto& b = code_.b;
  const auto some = [&]() -> V {
    V applies = applies_to(code_.vector(target(code_.kernel())));
    V old_mask = code_.mask;
    code_.mask = old_mask ? b.CreateAnd(old_mask, applies) : applies;
    code_.when(code_.any(code_.mask), "updates", [&] { update_neighbours(first); });
    code_.mask = old_mask;
    return nullptr;
  };
  V all = code_.mask ? nullptr : are_all(first);
  if (!all) return void(some());
  const auto each = [&]() -> V {
    update_neighbours(first);
    return nullptr;
  };
  code_.mostly(all, each, some);
}

// Whether all updates of a vector apply, by scalars alone; null if that is not known.
V Updates::are_all(V first) {
  auto& b = code_.b;
  V last = b.CreateAdd(first, code_.i64(code_.lanes() - 1));
  V all = b.CreateAnd(b.CreateICmpSGE(first, bounds_.first),
                      b.CreateICmpSLT(last, b.CreateAdd(bounds_.first, bounds_.size)));
  for (const Value condition : conditions_) {
    const Lanes& holds = code_.get(condition);
    if (const auto* same = std::get_if<Uniform>(&holds)) {
      all = b.CreateAnd(all, same->value);
      continue;
    }
    const auto* varying = std::get_if<Varying>(&holds);
    if (!varying || !varying->near.first || varying->near.is_limit) return nullptr;
    all = b.CreateAnd(all, b.CreateAnd(varying->near.fits, varying->near.first));
  }
  return all;
}

void Updates::update_neighbours(V first) {
  const Kernel& kernel = code_.kernel();
  const kernels::Region& fn = kernel.combine;
  const std::size_t count = kernel.outputs.size();
  for (std::size_t i = 0; i < count; ++i) {
    code_.set(fn.params[i], Varying{code_.vector(leaves(kernel)[i])});
    code_.set(fn.params[count + i], Varying{code_.load_outputs(i, first)});
  }
  code_.run(fn);
  for (std::size_t i = 0; i < count; ++i) code_.store(i, first, code_.vector(fn.results[i]), false);
}

// A vector is stored behind those collected before; the next vector overwrites lanes that are not
// chosen. No branch depends on the choice.
void Updates::collect(V targets, V applies) {
  auto& b = code_.b;
  const Kernel& kernel = code_.kernel();
  V count = count_[0];
  const auto store = [&](V x, std::size_t slot) {
    V place = b.CreateGEP(x->getType()->getScalarType(), spilled_[slot], count);
    const std::size_t bytes = x->getType()->getScalarSizeInBits() / 8;
    b.CreateAlignedStore(compressed(b, x, applies), place, llvm::Align(bytes));
  };
  store(targets, 0);
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i)
    store(code_.to_memory(detail::part_of(kernel.outputs[i]), code_.vector(leaves(kernel)[i])),
          i + 1);
  count = b.CreateAdd(count, count_of(b, applies));
  count_ = guarded(code_, b.CreateICmpSGE(count, code_.i64(collected)), {count}, [&] {
    make_collected(count);
    return Values{code_.i64(0)};
  });
}

Values Updates::begin_row() {
  if (!counted_) return {};
  return {code_.b.CreateLoad(code_.b.getInt64Ty(), counted_)};
}

void Updates::end_row(const Values& count) {
  if (counted_) code_.b.CreateStore(count[0], counted_);
}

void Updates::finish() {
  if (counted_) make_collected(begin_row()[0]);
}

void Updates::make_collected(V count) {
  auto& b = code_.b;
  const auto steps = [&](V begin, V end, std::int64_t step) {
    code_.when(b.CreateICmpSLT(begin, end), "updates", [&] {
      counted(code_, begin, end, step, {}, [&](V at, const Values&) {
        for (std::int64_t k = 0; k < step; ++k) update_lane(b.CreateAdd(at, code_.i64(k)));
        return Values{};
      });
    });
  };
  V in_fours = code_.i64(0);
  if (code_.kernel().combine.body.size() * collected_together <= unrolled_statements_max) {
    in_fours = b.CreateAnd(count, code_.i64(-collected_together));
    steps(code_.i64(0), in_fours, collected_together);
  }
  steps(in_fours, count, 1);
}

// For a vector of targets, or one target.
Values Updates::conditions_for(V target) {
  auto& b = code_.b;
  const auto in_lanes = [&](V x) {
    return code_.lanes() == 1 ? x : b.CreateVectorSplat(code_.lanes(), x);
  };
  Values conditions;
  // All outputs have the targets that are kept.
  if (bounds_whole_ || !takes_whole_)
    conditions.push_back(
        b.CreateICmpULT(b.CreateSub(target, in_lanes(bounds_.first)), in_lanes(bounds_.size)));
  for (const IndexBounds& bounds : indices_) {
    if (bounds.index == code_.kernel().element.params.back()) continue;  // within_bounds()
    V index = code_.scalar(bounds.index);
    conditions.push_back(bounds.size
                             ? b.CreateICmpULT(b.CreateSub(index, bounds.first), bounds.size)
                         : bounds.first ? b.CreateICmpSGE(index, bounds.first)
                                        : b.CreateICmpSLT(index, bounds.end));
  }
  for (const Value condition : conditions_) conditions.push_back(code_.in_lanes(condition));
  return conditions;
}

V Updates::applies_to(V target) {
  const Values conditions = conditions_for(target);
  if (conditions.empty()) return code_.b.getTrue();
  V applies = conditions[0];
  for (std::size_t i = 1; i < conditions.size(); ++i)
    applies = code_.b.CreateAnd(applies, conditions[i]);
  return applies;
}

void Updates::emit_one() {
  V at = code_.scalar(target(code_.kernel()));
  V applies = applies_to(at);
  if (without_branch_)
    update_where(applies, at);
  else
    code_.when(applies, "update", [&] { update(at, new_leaves()); });
}

void Updates::defer() {
  V at = code_.scalar(target(code_.kernel()));
  deferred_.push_back({at, conditions_for(at), new_leaves()});
}

void Updates::make_deferred() {
  auto& b = code_.b;
  llvm::BasicBlock *some = code_.block("some"), *after = code_.block("updated");
  llvm::MDNode* const likely = llvm::MDBuilder(b.getContext()).createLikelyBranchWeights();
  for (const Deferred& one : deferred_)
    for (V condition : one.conditions) {
      llvm::BasicBlock* const next = code_.block("applies");
      b.CreateCondBr(condition, next, some, likely);
      b.SetInsertPoint(next);
    }
  const auto each = [&](llvm::function_ref<void(const Deferred&)> make) {
    for (std::size_t k = 0; k < deferred_.size(); ++k) {
      take_copy(k);
      make(deferred_[k]);
    }
    b.CreateBr(after);
  };
  each([&](const Deferred& one) { update(one.at, one.news); });
  b.SetInsertPoint(some);
  each([&](const Deferred& one) { update_under(one.conditions, 0, one.at, one.news); });
  b.SetInsertPoint(after);
  deferred_.clear();
}

// A branch for each condition: their conjunction would be a number that is computed for both.
void Updates::update_under(const Values& conditions, std::size_t first, V at, const Values& news) {
  if (first == conditions.size()) return update(at, news);
  code_.when(conditions[first], "update", [&] { update_under(conditions, first + 1, at, news); });
}

Values Updates::new_leaves() {
  const Kernel& kernel = code_.kernel();
  Values news;
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i) {
    const core::ScalarType type = detail::part_of(kernel.outputs[i]);
    V leaf = code_.to_memory(type, code_.scalar(leaves(kernel)[i]));
    news.push_back(code_.from_memory(type, leaf));
  }
  return news;
}

void Updates::update_where(V applies, V at) {
  auto& b = code_.b;
  V for_none = b.CreateAnd(at, code_.i64(places_for_none - 1));
  Values outputs;
  for (std::size_t i = 0; i < none_.size(); ++i) {
    llvm::Type* const element = memory_type(b.getContext(), code_.kernel().outputs[i]);
    V output = outputs.emplace_back(code_.output(i));
    V place = b.CreateGEP(element, output, at), none = b.CreateGEP(element, none_[i], for_none);
    code_.move_output(i, b.CreateSelect(applies, place, none));
  }
  update(code_.i64(0), new_leaves());
  for (std::size_t i = 0; i < outputs.size(); ++i) code_.move_output(i, outputs[i]);
}

// Mostly all lanes are on: then no search for them is needed.
void Updates::update_lanes(V bits) {
  auto& b = code_.b;
  const auto some = [&] {
    each_lane(b.CreateZExt(bits, b.getInt64Ty()), [&](V lane) { update_lane(lane); });
  };
  const Kernel& kernel = code_.kernel();
  const std::size_t statements = kernel.combine.body.size() + 2 * kernel.outputs.size();
  if (code_.lanes() * statements > unrolled_statements_max) return some();
  V all = b.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
  llvm::BasicBlock *every = code_.block("every_lane"), *few = code_.block("some_lanes"),
                   *after = code_.block("updated");
  b.CreateCondBr(all, every, few);
  b.SetInsertPoint(every);
  for (unsigned lane = 0; lane < code_.lanes(); ++lane) update_lane(code_.i64(lane));
  b.CreateBr(after);
  b.SetInsertPoint(few);
  some();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

// Calls `body` for each bit that is set, lowest first; at least one is.
void Updates::each_lane(V bits, llvm::function_ref<void(V)> body) {
  auto& b = code_.b;
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = code_.block("lane"),
                   *after = code_.block("lanes_done");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* left = b.CreatePHI(bits->getType(), 2);
  left->addIncoming(bits, before);
  body(b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b.getTrue()));
  V rest = b.CreateAnd(left, b.CreateSub(left, code_.i64(1)));
  left->addIncoming(rest, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpNE(rest, code_.i64(0)), head, after);
  b.SetInsertPoint(after);
}

V Updates::spilled(std::size_t slot, core::ScalarType type, V lane) {
  auto& b = code_.b;
  llvm::Type* memory = memory_type(b.getContext(), type);
  return code_.from_memory(type, b.CreateLoad(memory, b.CreateGEP(memory, spilled_[slot], lane)));
}

void Updates::update_lane(V lane) {
  const auto& outputs = code_.kernel().outputs;
  Values news;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    news.push_back(spilled(i + 1, detail::part_of(outputs[i]), lane));
  update(spilled(0, core::ScalarType::i64, lane), news);
}

void Updates::update(V at, const Values& news) {
  const kernels::Region& fn = code_.kernel().combine;
  const auto& outputs = code_.kernel().outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    code_.set(fn.params[i], Uniform{news[i]});
    code_.set(fn.params[outputs.size() + i], Uniform{code_.load_output(i, at)});
  }
  code_.run(fn);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    code_.store(i, at, code_.scalar(fn.results[i]), false);
}

}  // namespace hasten::backends::cpu
