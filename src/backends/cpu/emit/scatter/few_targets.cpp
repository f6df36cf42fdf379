// A result stays in its register from vector to vector, so that no update goes through memory.
#include "backends/cpu/emit/scatter/few_targets.hpp"

#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/scatter/updates.hpp"
#include "backends/cpu/launch/private_outputs.hpp"
#include "kernels/analysis/target_bounds.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Value;
using V = llvm::Value*;

namespace {

// Without mask registers, comparing and choosing take three times as long.
constexpr unsigned targets_max = 8, unmasked_targets_max = 4, targets_min = 4;
// Each element's code is emitted for whole vectors and for the last one.
constexpr std::size_t statements_max = 64;

Value target_of(const Kernel& kernel) { return kernels::written(kernel, 0)[1]; }
std::span<const Value> leaves_of(const Kernel& kernel) {
  return kernels::written(kernel, 0).subspan(2);
}

// The number that every update adds to the output.
std::optional<core::Bits> same_addend(const Kernel& kernel, std::size_t leaf) {
  if (kernel.lane_operator.leaves[leaf] != core::ScalarOp::add ||
      !detail::is_integral(kernel.outputs[leaf]))
    return std::nullopt;
  return kernels::constant_of(kernel.element, leaves_of(kernel)[leaf]);
}

}  // namespace

FewTargetsShape few_targets_of(const Kernel& kernel, std::size_t bytes, const Machine& machine) {
  const auto is_bool = [](core::ScalarType type) { return detail::is_bool(type); };
  if (kernel.unique || kernel.writes != 1 || kernel.interior || !kernel.loops.empty() ||
      !kernel.lane_operator.commutative || unordered_updates(kernel).empty() ||
      std::ranges::any_of(kernel.outputs, is_bool) || kernel.element.body.size() > statements_max)
    return {};
  std::size_t all = 0;
  for (std::size_t leaf = 0; leaf < kernel.outputs.size(); ++leaf) {
    if (same_addend(kernel, leaf)) continue;
    const std::size_t of_leaf = detail::size_in_bytes(kernel.outputs[leaf]);
    bytes = std::max(bytes, of_leaf);
    all += of_leaf;
  }
  const unsigned lanes = machine.lanes(std::max<std::size_t>(bytes, 1));
  // Half of the registers are for what elements compute.
  const std::size_t registers = machine.has_mask_registers() ? 16 : 8;
  const unsigned most =
      machine.has_mask_registers() || all == 0 ? targets_max : unmasked_targets_max;
  const std::size_t each = (all * lanes * 8 + machine.bits - 1) / machine.bits;
  const auto targets = static_cast<unsigned>(
      std::min<std::size_t>(most, registers / std::max<std::size_t>(each, 1)));
  return targets < targets_min || lanes < 2 ? FewTargetsShape{} : FewTargetsShape{lanes, targets};
}

FewTargets::FewTargets(LaneCode& code, unsigned targets) : code_(code), targets_(targets) {
  const Kernel& kernel = code.kernel();
  find_bounds();
  for (std::size_t leaf = 0; leaf < kernel.outputs.size(); ++leaf)
    counts_ |= same_.emplace_back(same_addend(kernel, leaf)).has_value();
  for (unsigned target = 0; target < targets_; ++target) {
    if (counts_) results_.push_back(code_.i64(0));
    for (std::size_t leaf = 0; leaf < same_.size(); ++leaf)
      if (!same_[leaf])
        results_.push_back(identity_of(code, kernel.combine, kernel.lane_operator, leaf, true));
  }
  for (V result : results_) {
    memory_.push_back(code_.stack_slot(result->getType()));
    code_.b.CreateStore(result, memory_.back());
  }
}

void FewTargets::find_bounds() {
  auto& b = code_.b;
  const kernels::TargetBounds bounds = kernels::target_bounds(code_.kernel());
  conditions_ = bounds.others;
  first_ = code_.i64(0);
  V end = code_.i64(INT64_MAX);
  for (const Value least : bounds.at_least)
    first_ = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first_, bound_of(code_, least));
  for (const Value bound : bounds.below)
    end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, bound_of(code_, bound));
  size_ = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.CreateSub(end, first_), code_.i64(0));
}

Values FewTargets::begin_row() {
  Values results;
  for (std::size_t i = 0; i < memory_.size(); ++i)
    results.push_back(code_.b.CreateLoad(results_[i]->getType(), memory_[i]));
  return results;
}

void FewTargets::end_row(const Values& results) {
  for (std::size_t i = 0; i < memory_.size(); ++i) code_.b.CreateStore(results[i], memory_[i]);
}

// The lanes whose elements update this target. Whether it is allowed matters at the end only.
V FewTargets::hits(unsigned target) {
  auto& b = code_.b;
  V all = code_.vector(target_of(code_.kernel()));
  V hits = b.CreateICmpEQ(all, b.CreateVectorSplat(code_.lanes(), code_.i64(target)));
  for (const Value condition : conditions_) hits = b.CreateAnd(hits, code_.vector(condition));
  return code_.mask ? b.CreateAnd(hits, code_.mask) : hits;
}

void FewTargets::emit() {
  auto& b = code_.b;
  const Kernel& kernel = code_.kernel();
  std::size_t next = 0;
  for (unsigned target = 0; target < targets_; ++target) {
    V mine = hits(target);
    if (counts_) {
      results_[next] = b.CreateAdd(results_[next], count_of(b, mine));
      ++next;
    }
    for (std::size_t leaf = 0; leaf < same_.size(); ++leaf) {
      if (same_[leaf]) continue;
      const core::ScalarType type = code_.type(kernel.combine.results[leaf]);
      const core::ScalarType types[] = {type, type};
      V args[] = {code_.vector(leaves_of(kernel)[leaf]), results_[next]};
      V combined = code_.ops.apply(kernel.lane_operator.leaves[leaf], type, types, args);
      results_[next] = b.CreateSelect(mine, combined, results_[next]);
      ++next;
    }
  }
}

void FewTargets::finish() {
  auto& b = code_.b;
  const Values results = begin_row();
  const std::size_t each = results.size() / targets_;
  for (unsigned target = 0; target < targets_; ++target) {
    const auto first = results.begin() + static_cast<std::ptrdiff_t>(target * each);
    V at = b.CreateSub(code_.i64(target), first_);
    code_.when(b.CreateICmpULT(at, size_), "target",
               [&] { update(target, Values(first, first + static_cast<std::ptrdiff_t>(each))); });
  }
}

// All lanes of one leaf as a scalar, by a tree of fixed shape.
V FewTargets::joined(V lanes, std::size_t leaf) {
  const Kernel& kernel = code_.kernel();
  const core::ScalarType type = code_.type(kernel.combine.results[leaf]);
  const core::ScalarType types[] = {type, type};
  for (unsigned count = code_.lanes(); count > 1; count /= 2) {
    std::vector<int> low, high;
    for (unsigned lane = 0; lane < count / 2; ++lane) {
      low.push_back(static_cast<int>(lane));
      high.push_back(static_cast<int>(lane + count / 2));
    }
    V args[] = {code_.b.CreateShuffleVector(lanes, low), code_.b.CreateShuffleVector(lanes, high)};
    lanes = code_.ops.apply(kernel.lane_operator.leaves[leaf], type, types, args);
  }
  return code_.b.CreateExtractElement(lanes, code_.i64(0));
}

void FewTargets::update(unsigned target, const Values& mine) {
  auto& b = code_.b;
  const Kernel& kernel = code_.kernel();
  const kernels::Region& fn = kernel.combine;
  std::size_t next = counts_ ? 1 : 0;
  for (std::size_t leaf = 0; leaf < same_.size(); ++leaf) {
    V news = nullptr;
    if (same_[leaf]) {
      V addend = code_.i64(static_cast<std::int64_t>(same_[leaf]->lo));
      news = b.CreateTrunc(b.CreateMul(mine[0], addend),
                           memory_type(b.getContext(), kernel.outputs[leaf]));
    } else {
      news = joined(mine[next++], leaf);
    }
    code_.set(fn.params[leaf], Uniform{news});
    code_.set(fn.params[same_.size() + leaf], Uniform{code_.load_output(leaf, code_.i64(target))});
  }
  code_.run(fn);
  for (std::size_t leaf = 0; leaf < same_.size(); ++leaf)
    code_.store(leaf, code_.i64(target), code_.scalar(fn.results[leaf]), false);
}

}  // namespace hasten::backends::cpu
