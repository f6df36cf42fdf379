// One addition per mask and block.
#include "backends/cpu/transforms/exact_masks.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <optional>

namespace hasten::backends::cpu {
namespace {

bool is_eight_bytes(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector && vector->getNumElements() == 8 && vector->getScalarSizeInBits() == 8;
}

// The number of the mask argument of an access to eight bytes.
std::optional<unsigned> mask_argument(const llvm::IntrinsicInst& call) {
  if (call.getIntrinsicID() == llvm::Intrinsic::masked_load && is_eight_bytes(call.getType()))
    return 2;
  if (call.getIntrinsicID() == llvm::Intrinsic::masked_store &&
      is_eight_bytes(call.getArgOperand(0)->getType()))
    return 3;
  return std::nullopt;
}

}  // namespace

void clear_masks(llvm::Function& function, const Machine& machine) {
  constexpr unsigned with_mask_registers = 512;
  if (machine.bits < with_mask_registers) return;
  for (llvm::BasicBlock& block : function) {
    llvm::DenseMap<llvm::Value*, llvm::Value*> cleared;
    for (llvm::Instruction& i : block) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
      const std::optional<unsigned> argument = call ? mask_argument(*call) : std::nullopt;
      if (!argument) continue;
      llvm::Value* const mask = call->getArgOperand(*argument);
      if (llvm::isa<llvm::Constant>(mask)) continue;
      llvm::Value*& exact = cleared[mask];
      llvm::IRBuilder<> b(call);
      if (!exact)
        exact = b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_kadd_b, {},
                                  {mask, llvm::Constant::getNullValue(mask->getType())});
      call->setArgOperand(*argument, exact);
    }
  }
}

}  // namespace hasten::backends::cpu
