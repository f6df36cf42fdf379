// Loads and stores of some lanes of neighbours. Where no instruction makes them, LLVM would test
// each lane in code of its own, a thousand instructions for bytes, which take long to compile.
#include "backends/cpu/emit/code.hpp"
#include "support/sanitizers.hpp"

#include <llvm/IR/MDBuilder.h>

namespace hasten::backends::cpu {

using V = llvm::Value*;

namespace {

llvm::Align alignment_of(llvm::Type* element) {
  return llvm::Align(element->getScalarSizeInBits() / 8);
}

}  // namespace

// Calls `body` with the number of each lane that is on.
void LaneCode::for_lanes_on(V lanes_on, llvm::function_ref<void(V)> body) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(lanes_on->getType())->getNumElements();
  V all = b.CreateZExt(b.CreateBitCast(lanes_on, b.getIntNTy(lanes)), b.getInt64Ty());
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = block("lanes"), *lane = block("lane"),
                   *after = block("lanes_end");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* left = b.CreatePHI(b.getInt64Ty(), 2);
  left->addIncoming(all, before);
  b.CreateCondBr(b.CreateICmpNE(left, i64(0)), lane, after);
  b.SetInsertPoint(lane);
  body(b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b.getTrue()));
  left->addIncoming(b.CreateAnd(left, b.CreateSub(left, i64(1))), b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(after);
}

V LaneCode::load_one_by_one(llvm::FixedVectorType* type, V address, V lanes_on) {
  llvm::AllocaInst* const slot = stack_slot(type);
  llvm::Type* const element = type->getElementType();
  b.CreateStore(llvm::Constant::getNullValue(type), slot);
  for_lanes_on(lanes_on, [&](V lane) {
    V x = reads(
        b.CreateAlignedLoad(element, b.CreateGEP(element, address, lane), alignment_of(element)));
    b.CreateAlignedStore(x, b.CreateGEP(element, slot, lane), alignment_of(element));
  });
  return b.CreateLoad(type, slot);
}

// Without an instruction for masked loads each lane would be tested, and loaded by itself. A load
// that stays within the page of a lane that is on is safe, though, whatever is in the other lanes.
V LaneCode::load_masked(llvm::FixedVectorType* type, V address, V lanes_on) {
  const llvm::Align aligned = alignment_of(type->getElementType());
  llvm::Constant* const nothing = llvm::Constant::getNullValue(type);
  if (machine_.masks_reads_of(type->getScalarSizeInBits() / 8) || support::watches_addresses())
    return reads(b.CreateMaskedLoad(type, address, aligned, lanes_on, nothing));
  constexpr std::int64_t page_bytes = 4096;  // the smallest there is
  const auto bytes = static_cast<std::int64_t>(type->getPrimitiveSizeInBits().getFixedValue() / 8);
  V place = b.CreateAnd(b.CreatePtrToInt(address, b.getInt64Ty()), i64(page_bytes - 1));
  llvm::BasicBlock *within = block("in_page"), *across = block("across"), *join = block("join");
  llvm::MDBuilder metadata(b.getContext());
  b.CreateCondBr(b.CreateICmpULE(place, i64(page_bytes - bytes)), within, across,
                 metadata.createLikelyBranchWeights());
  b.SetInsertPoint(within);
  V whole = reads(b.CreateAlignedLoad(type, address, aligned));
  b.CreateBr(join);
  b.SetInsertPoint(across);
  V parts = load_one_by_one(type, address, lanes_on);
  across = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(join);
  llvm::PHINode* x = b.CreatePHI(type, 2);
  x->addIncoming(whole, within);
  x->addIncoming(parts, across);
  return x;
}

void LaneCode::store_masked(V x, V address) {
  llvm::Type* const element = x->getType()->getScalarType();
  if (machine_.masks_reads_of(element->getScalarSizeInBits() / 8)) {
    writes(b.CreateMaskedStore(x, address, alignment_of(element), mask));
    return;
  }
  llvm::AllocaInst* const slot = stack_slot(x->getType());
  b.CreateStore(x, slot);
  for_lanes_on(mask, [&](V lane) {
    V one = b.CreateAlignedLoad(element, b.CreateGEP(element, slot, lane), alignment_of(element));
    writes(b.CreateAlignedStore(one, b.CreateGEP(element, address, lane), alignment_of(element)));
  });
}

}  // namespace hasten::backends::cpu
