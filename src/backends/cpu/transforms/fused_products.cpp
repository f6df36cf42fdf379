// Sums are taken one product each, in the program's order.
#include "backends/cpu/transforms/fused_products.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace hasten::backends::cpu {
namespace {

using V = llvm::Value*;

bool may_contract(const llvm::Instruction& i) {
  const llvm::Type* element = i.getType()->getScalarType();
  return (element->isFloatTy() || element->isDoubleTy()) && i.hasAllowContract();
}

// A sum or difference of the product and something else.
bool takes(const llvm::User* user, const llvm::Instruction& product) {
  const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(user);
  if (!sum || !may_contract(*sum)) return false;
  if (sum->getOpcode() != llvm::Instruction::FAdd && sum->getOpcode() != llvm::Instruction::FSub)
    return false;
  return (sum->getOperand(0) == &product) != (sum->getOperand(1) == &product);
}

bool is_shared_by_sums(const llvm::Instruction& i) {
  return i.getOpcode() == llvm::Instruction::FMul && may_contract(i) && i.hasNUsesOrMore(2) &&
         llvm::all_of(i.users(), [&](const llvm::User* user) { return takes(user, i); });
}

void fuse(llvm::Instruction& product) {
  llvm::SmallVector<llvm::User*, 4> users(product.users());
  for (llvm::User* user : users) {
    auto* sum = llvm::cast<llvm::Instruction>(user);
    llvm::IRBuilder<> b(sum);
    b.setFastMathFlags(sum->getFastMathFlags());
    const bool is_first = sum->getOperand(0) == &product;
    V left = product.getOperand(0), other = sum->getOperand(is_first ? 1 : 0);
    if (sum->getOpcode() == llvm::Instruction::FSub) {
      if (is_first)
        other = b.CreateFNeg(other);
      else
        left = b.CreateFNeg(left);
    }
    V fused = b.CreateIntrinsic(llvm::Intrinsic::fma, {product.getType()},
                                {left, product.getOperand(1), other});
    sum->replaceAllUsesWith(fused);
    sum->eraseFromParent();
  }
  product.eraseFromParent();
}

}  // namespace

void fuse_shared_products(llvm::Function& function) {
  std::vector<llvm::Instruction*> products;
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& i : block)
      if (i.getOpcode() == llvm::Instruction::FMul) products.push_back(&i);
  for (llvm::Instruction* product : products)
    if (is_shared_by_sums(*product)) fuse(*product);
}

}  // namespace hasten::backends::cpu
