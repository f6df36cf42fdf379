// Replaces only the indices in addresses: other uses of an index keep it.
#include "backends/cpu/transforms/narrow_indices.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

namespace hasten::backends::cpu {

namespace {

using V = llvm::Value*;

// The number of at most 32 bits that, sign-extended, is the index; else null.
V narrow_number(V index) {
  const auto* extension = llvm::dyn_cast<llvm::CastInst>(index);
  if (!extension || extension->getSrcTy()->getScalarSizeInBits() > 32) return nullptr;
  const bool keeps_sign = llvm::isa<llvm::SExtInst>(extension) ||
                          (llvm::isa<llvm::ZExtInst>(extension) && extension->hasNonNeg());
  return keeps_sign ? extension->getOperand(0) : nullptr;
}

// lanes + same
struct Sum {
  V lanes, same;
};

std::optional<Sum> sum_with_same(V index) {
  auto* const sum = llvm::dyn_cast<llvm::BinaryOperator>(index);
  if (!sum || sum->getOpcode() != llvm::Instruction::Add) return std::nullopt;
  V left = sum->getOperand(0), right = sum->getOperand(1);
  if (V same = llvm::getSplatValue(right)) return Sum{left, same};
  if (V same = llvm::getSplatValue(left)) return Sum{right, same};
  return std::nullopt;
}

void narrow_addresses(llvm::IntrinsicInst& access, unsigned argument) {
  auto* const address = llvm::dyn_cast<llvm::GetElementPtrInst>(access.getArgOperand(argument));
  if (!address || address->getNumIndices() != 1 || address->getPointerOperandType()->isVectorTy())
    return;
  V array = address->getPointerOperand(), index = address->getOperand(1);
  if (!index->getType()->isVectorTy()) return;
  llvm::SmallVector<V, 2> same_in_all;
  while (const std::optional<Sum> sum = sum_with_same(index)) {
    same_in_all.push_back(sum->same);
    index = sum->lanes;
  }
  V number = narrow_number(index);
  if (!number) return;
  llvm::IRBuilder<> b(&access);
  llvm::Type* const element = address->getSourceElementType();
  for (V same : same_in_all) array = b.CreateGEP(element, array, same);
  V extended = b.CreateSExt(number, index->getType());
  access.setArgOperand(argument, b.CreateGEP(element, array, extended));
  if (address->use_empty()) address->eraseFromParent();
}

}  // namespace

void narrow_indices(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& i : block) {
      auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
      if (!call) continue;
      if (call->getIntrinsicID() == llvm::Intrinsic::masked_gather) narrow_addresses(*call, 0);
      if (call->getIntrinsicID() == llvm::Intrinsic::masked_scatter) narrow_addresses(*call, 1);
    }
  }
}

}  // namespace hasten::backends::cpu
