// A mask has a wide twin: -1 in lanes that are on, 0 in others.
#include "backends/cpu/transforms/wide_masks.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace hasten::backends::cpu {
namespace {

using V = llvm::Value*;

bool is_mask(const llvm::Type* type) {
  return llvm::isa<llvm::FixedVectorType>(type) && type->isIntOrIntVectorTy(1);
}

class Widener {
 public:
  Widener(llvm::Function& function, unsigned bits)
      : function_(function),
        bits_(bits),
        b_(function.getContext()) {}

  void run() {
    std::vector<llvm::Instruction*> masks;
    bool some_is_handed_on = false;
    for (llvm::BasicBlock& block : function_)
      for (llvm::Instruction& i : block) {
        if (!is_mask(i.getType())) continue;
        const bool handed_on = llvm::isa<llvm::PHINode>(i) || i.isUsedOutsideOfBlock(&block);
        some_is_handed_on |= handed_on;
        if (handed_on || llvm::isa<llvm::BinaryOperator>(i)) masks.push_back(&i);
      }
    if (!some_is_handed_on) return;
    subtract_masks();
    for (llvm::Instruction* mask : masks) replace_uses(*mask);
    fill_phis();
    for (llvm::PHINode* phi : replaced_) phi->eraseFromParent();
  }

 private:
  // x + (1 where the mask is on) = x - twin: one instruction.
  void subtract_masks() {
    std::vector<llvm::Instruction*> sums;
    for (llvm::BasicBlock& block : function_)
      for (llvm::Instruction& i : block) {
        auto* one = i.getOpcode() == llvm::Instruction::Add
                        ? llvm::dyn_cast<llvm::ZExtInst>(i.getOperand(1))
                        : nullptr;
        if (one && is_mask(one->getOperand(0)->getType()) &&
            i.getType() == wide_type(one->getOperand(0)->getType()))
          sums.push_back(&i);
      }
    for (llvm::Instruction* sum : sums) {
      V twin = wide(llvm::cast<llvm::ZExtInst>(sum->getOperand(1))->getOperand(0));
      b_.SetInsertPoint(sum);
      sum->replaceAllUsesWith(b_.CreateSub(sum->getOperand(0), twin));
      b_.ClearInsertionPoint();  // which is the sum
      sum->eraseFromParent();
    }
  }

  llvm::Type* wide_type(llvm::Type* mask) {
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask)->getNumElements();
    return llvm::FixedVectorType::get(b_.getIntNTy(std::clamp(bits_ / lanes, 8U, 64U)), lanes);
  }

  // The twin of a mask: masks computed from masks have twins computed from theirs.
  V wide(V mask) {
    if (const auto found = wide_.find(mask); found != wide_.end()) return found->second;
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    V twin = nullptr;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(mask)) {
      b_.SetInsertPoint(phi);
      twin = b_.CreatePHI(wide_type(mask->getType()), phi->getNumIncomingValues());
      phis_.emplace_back(phi, llvm::cast<llvm::PHINode>(twin));
    } else if (auto* both = llvm::dyn_cast<llvm::BinaryOperator>(mask)) {
      V left = wide(both->getOperand(0)), right = wide(both->getOperand(1));
      set_place_after(mask);
      twin = b_.CreateBinOp(both->getOpcode(), left, right);
    } else {
      set_place_after(mask);
      twin = extended(mask);
    }
    return wide_[mask] = twin;
  }

  V extended(V mask) {
    auto* type = llvm::cast<llvm::FixedVectorType>(wide_type(mask->getType()));
    V same = llvm::isa<llvm::Constant>(mask) ? nullptr : llvm::getSplatValue(mask);
    if (!same) return b_.CreateSExt(mask, type);
    return b_.CreateVectorSplat(type->getNumElements(), b_.CreateSExt(same, type->getScalarType()));
  }

  void set_place_after(V value) {
    if (auto* i = llvm::dyn_cast<llvm::Instruction>(value))
      b_.SetInsertPoint(*i->getInsertionPointAfterDef());
    else
      b_.SetInsertPoint(&*function_.getEntryBlock().getFirstInsertionPt());
  }

  // Users read the twin's highest bits, except for those beside the comparison itself. Phis have
  // twins of their own.
  void replace_uses(llvm::Instruction& mask) {
    V twin = wide(&mask);
    llvm::DenseMap<llvm::BasicBlock*, V> narrow;  // by block
    const bool here = llvm::isa<llvm::PHINode, llvm::BinaryOperator>(mask);
    for (llvm::Use& use : llvm::make_early_inc_range(mask.uses())) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      llvm::BasicBlock* block = user->getParent();
      const bool is_beside = block == mask.getParent();
      if (llvm::isa<llvm::PHINode>(user) || (is_beside && !here)) continue;
      V& bits = narrow[block];
      if (!bits) {
        if (is_beside)
          set_place_after(twin);
        else
          b_.SetInsertPoint(block, block->getFirstInsertionPt());
        bits = b_.CreateICmpSLT(twin, llvm::Constant::getNullValue(twin->getType()));
        wide_[bits] = twin;
      }
      use.set(bits);
    }
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&mask)) replaced_.push_back(phi);
  }

  // The loop may find more of them.
  void fill_phis() {
    for (std::size_t i = 0; i < phis_.size(); ++i) {
      const auto [phi, twin] = phis_[i];
      for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k)
        twin->addIncoming(wide(phi->getIncomingValue(k)), phi->getIncomingBlock(k));
    }
    for (llvm::PHINode* phi : replaced_)
      phi->replaceAllUsesWith(llvm::PoisonValue::get(phi->getType()));
  }

  llvm::Function& function_;
  unsigned bits_;
  llvm::IRBuilder<> b_;
  llvm::DenseMap<V, V> wide_;
  std::vector<std::pair<llvm::PHINode*, llvm::PHINode*>> phis_;  // and their twins
  std::vector<llvm::PHINode*> replaced_;
};

}  // namespace

void widen_masks(llvm::Function& function, const Machine& machine) {
  constexpr unsigned with_mask_registers = 512;
  if (machine.bits < with_mask_registers) Widener(function, machine.bits).run();
}

}  // namespace hasten::backends::cpu
