// Calls of the user's own scalar functions: one for each lane that is on, never for another.
#include "backends/cpu/emit/code.hpp"
#include "backends/cpu/jit.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

namespace {

// As in C, the caller extends bool and narrow integers.
llvm::Attribute::AttrKind extension(ScalarType type) {
  if (detail::size_in_bytes(type) >= 4) return llvm::Attribute::None;
  return detail::is_signed_int(type) ? llvm::Attribute::SExt : llvm::Attribute::ZExt;
}

}  // namespace

void LaneCode::foreign(const ForeignCall& op, Value result) {
  const bool uniform = std::all_of(op.args.begin(), op.args.end(), [&](Value v) {
    return std::holds_alternative<Uniform>(values_[v]);
  });
  if (lanes_ > 1 && !uniform) {
    set(result, Varying{foreign_lanes(op, memory_type(b.getContext(), type(result)))});
    return;
  }
  llvm::SmallVector<V, 4> args;
  for (Value v : op.args) args.push_back(to_memory(type(v), scalar(v)));
  set(result, Uniform{from_memory(type(result), foreign_scalar(op, args))});
}

// Arguments and result in memory form.
V LaneCode::foreign_scalar(const ForeignCall& op, llvm::ArrayRef<V> args) {
  const detail::ForeignFunction& function = *op.functions[0];
  llvm::LLVMContext& context = b.getContext();
  llvm::SmallVector<llvm::Type*, 4> params;
  for (V arg : args) params.push_back(arg->getType());
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      symbol_of(function),
      llvm::FunctionType::get(memory_type(context, function.result), params, false));
  auto* declared = llvm::cast<llvm::Function>(callee.getCallee());
  declared->setDoesNotThrow();
  declared->setDoesNotAccessMemory();
  declared->setWillReturn();
  llvm::CallInst* call = b.CreateCall(callee, args);
  for (unsigned i = 0; i < args.size(); ++i) {
    const llvm::Attribute::AttrKind kind = extension(function.params[i]);
    if (kind == llvm::Attribute::None) continue;
    declared->addParamAttr(i, kind);
    call->addParamAttr(i, kind);
  }
  return call;
}

// Arguments go to the stack, and a loop over the lanes that are on stores the results there. Lanes
// that are off get zeros.
V LaneCode::foreign_lanes(const ForeignCall& op, llvm::Type* result) {
  llvm::SmallVector<V, 4> slots;
  llvm::SmallVector<llvm::Type*, 4> types;
  for (Value v : op.args) {
    V x = to_memory(type(v), vector(v));
    types.push_back(x->getType()->getScalarType());
    slots.push_back(stack_slot(x->getType()));
    b.CreateStore(x, slots.back());
  }
  auto* results = llvm::FixedVectorType::get(result, lanes_);
  V out = stack_slot(results);
  b.CreateStore(llvm::Constant::getNullValue(results), out);
  llvm::Type* bits_type = b.getIntNTy(lanes_);
  V on = b.CreateBitCast(mask ? mask : all_lanes(), bits_type);
  llvm::BasicBlock *before = b.GetInsertBlock(), *each = block("lane"), *after = block("called");
  // Whenever code runs, some lane is on.
  b.CreateBr(each);
  b.SetInsertPoint(each);
  llvm::PHINode* left = b.CreatePHI(bits_type, 2);
  left->addIncoming(on, before);
  V lane = b.CreateZExtOrTrunc(b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b.getTrue()),
                               b.getInt64Ty());
  llvm::SmallVector<V, 4> args;
  for (std::size_t i = 0; i < slots.size(); ++i)
    args.push_back(b.CreateLoad(types[i], b.CreateInBoundsGEP(types[i], slots[i], {lane})));
  b.CreateStore(foreign_scalar(op, args), b.CreateInBoundsGEP(result, out, {lane}));
  V rest = b.CreateAnd(left, b.CreateSub(left, llvm::ConstantInt::get(bits_type, 1)));
  left->addIncoming(rest, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpNE(rest, llvm::ConstantInt::get(bits_type, 0)), each, after);
  b.SetInsertPoint(after);
  return from_memory(op.functions[0]->result, b.CreateLoad(results, out));
}

llvm::AllocaInst* LaneCode::stack_slot(llvm::Type* type) {
  llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  return at.CreateAlloca(type);
}

}  // namespace hasten::backends::cpu
