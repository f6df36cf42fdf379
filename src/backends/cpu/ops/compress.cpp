// Moves the chosen lanes together. Instructions that compress directly to memory are slow on some
// processors, so registers are compressed.
#include "backends/cpu/ops/ops.hpp"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Triple.h>

namespace hasten::backends::cpu {

using V = llvm::Value*;

namespace {

constexpr unsigned compressed_bits = 512;

unsigned lanes_in(V x) { return llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements(); }

}  // namespace

bool compresses(const Machine& machine) {
  return machine.bits == compressed_bits && llvm::Triple(machine.triple).isX86();
}

V compressed(llvm::IRBuilder<>& b, V x, V chosen) {
  llvm::Type* const type = x->getType();
  const unsigned lanes = lanes_in(x);
  const auto with_lanes = [&](unsigned bits) {
    return llvm::FixedVectorType::get(b.getIntNTy(bits), lanes);
  };
  auto* const own = with_lanes(type->getScalarSizeInBits());
  auto* const wide = with_lanes(compressed_bits / lanes);
  V all = b.CreateZExt(b.CreateBitCast(x, own), wide);
  V dense = b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_compress, {wide},
                              {all, llvm::Constant::getNullValue(wide), chosen});
  return b.CreateBitCast(b.CreateTrunc(dense, own), type);
}

V count_of(llvm::IRBuilder<>& b, V chosen) {
  V bits = b.CreateZExt(b.CreateBitCast(chosen, b.getIntNTy(lanes_in(chosen))), b.getInt64Ty());
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits);
}

}  // namespace hasten::backends::cpu
