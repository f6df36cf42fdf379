// Integer division: never traps, division by zero yields 0, the least integer / -1 is itself.
#include "backends/cpu/ops/ops.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

namespace hasten::backends::cpu {

using core::ScalarOp;
using core::ScalarType;
using V = llvm::Value*;

namespace {

// The constant that a divisor is known to be in every lane, or null.
const llvm::ConstantInt* known_divisor(V y) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(y);
  if (constant && y->getType()->isVectorTy()) constant = constant->getSplatValue();
  return llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
}

}  // namespace

V Ops::division(ScalarOp op, ScalarType type, V x, V y) {
  V q = quotient(type, x, y);
  if (op == ScalarOp::quot) return q;
  V zero = constant_like(x, 0);
  V by_zero = b.CreateICmpEQ(y, zero);
  V r = b.CreateSelect(by_zero, zero, b.CreateSub(x, b.CreateMul(q, y)));
  if (op == ScalarOp::rem) return r;
  if (!detail::is_signed_int(type)) return op == ScalarOp::idiv ? q : r;
  V signs_differ = b.CreateICmpSLT(b.CreateXor(r, y), zero);
  V below = b.CreateAnd(b.CreateICmpNE(r, zero), signs_differ);
  if (op == ScalarOp::idiv) return b.CreateSub(q, b.CreateZExt(below, q->getType()));
  return b.CreateAdd(r, b.CreateSelect(below, y, zero));
}

V Ops::quotient(ScalarType type, V x, V y) {
  const bool is_signed = detail::is_signed_int(type);
  if (const auto* c = known_divisor(y); c && !c->isZero() && !(is_signed && c->isMinusOne()))
    return is_signed ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y);
  V zero = constant_like(x, 0);
  V by_zero = b.CreateICmpEQ(y, zero);
  V by_minus_one = is_signed ? b.CreateICmpEQ(y, constant_like(y, -1)) : nullptr;
  V unsafe = is_signed ? b.CreateOr(by_zero, by_minus_one) : by_zero;
  V q = raw_quotient(type, x, b.CreateSelect(unsafe, constant_like(y, 1), y));
  if (is_signed) q = b.CreateSelect(by_minus_one, b.CreateNeg(x), q);
  return b.CreateSelect(by_zero, zero, q);
}

// Precondition: the divisor is neither 0 nor -1.
V Ops::raw_quotient(ScalarType type, V x, V y) {
  const bool is_signed = detail::is_signed_int(type);
  if (!x->getType()->isVectorTy()) return is_signed ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y);
  return detail::size_in_bytes(type) < 8 ? quotient_by_floats(type, x, y)
                                         : wide_quotient(type, x, y);
}

// No vector unit divides integers. A float division with more bits than the integers' quotient is
// exact after truncation: a quotient that is no integer is further from one than half a unit in the
// last place. Used under every setting: a quotient computed with a reciprocal may be one less.
V Ops::quotient_by_floats(ScalarType type, V x, V y) {
  const bool is_signed = detail::is_signed_int(type);
  const bool wide = detail::size_in_bytes(type) == 4;
  llvm::Type* integer = like(x, b.getInt32Ty());
  llvm::Type* floating = like(x, wide ? b.getDoubleTy() : b.getFloatTy());
  const auto widened = [&](V v) {
    V i = is_signed ? b.CreateSExt(v, integer) : b.CreateZExt(v, integer);
    return is_signed || !wide ? b.CreateSIToFP(i, floating) : b.CreateUIToFP(i, floating);
  };
  const llvm::IRBuilderBase::FastMathFlagGuard exact(b);
  b.clearFastMathFlags();
  V q = b.CreateFDiv(widened(x), widened(y));
  V whole = is_signed || !wide ? b.CreateFPToSI(q, integer) : b.CreateFPToUI(q, integer);
  return b.CreateTrunc(whole, x->getType());
}

// For 64 bits. Numbers below 2^51 and their quotients are doubles, which are exact after truncation
// as above; if any lane has others, all lanes are divided one by one. That is a branch even under a
// mask: it costs less than divisions one by one do.
V Ops::wide_quotient(ScalarType type, V x, V y) {
  const auto one_by_one = [&] {
    return detail::is_signed_int(type) ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y);
  };
  if (machine_.bits < 256) return one_by_one();
  constexpr std::int64_t half = std::int64_t{1} << 51;
  const auto is_large = [&](V v) {
    if (!detail::is_signed_int(type)) return b.CreateICmpUGE(v, constant_like(v, half));
    return b.CreateICmpUGE(b.CreateAdd(v, constant_like(v, half)), constant_like(v, 2 * half));
  };
  V rare = any_of(b.CreateOr(is_large(x), is_large(y)));
  const llvm::IRBuilderBase::FastMathFlagGuard exact(b);
  b.clearFastMathFlags();
  V q = b.CreateFDiv(small_to_double(x), small_to_double(y));
  V usual = small_from_double(b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, q), x->getType());
  return unless(rare, usual, one_by_one);
}

namespace {

// Added to a number below 2^51, of either sign, it leaves that number in the last bits of a double.
constexpr std::int64_t above_all_bits = 0x4338000000000000;
constexpr double above_all = 0x1.8p52;

}  // namespace

V Ops::small_to_double(V x) {
  llvm::Type* doubles = like(x, b.getDoubleTy());
  if (machine_.bits == 512) return b.CreateSIToFP(x, doubles);
  V bits = b.CreateAdd(x, constant_like(x, above_all_bits));
  V sum = b.CreateBitCast(bits, doubles);
  return b.CreateFSub(sum, float_like(sum, above_all));
}

V Ops::small_from_double(V x, llvm::Type* integers) {
  if (machine_.bits == 512) return b.CreateFPToSI(x, integers);
  V bits = b.CreateBitCast(b.CreateFAdd(x, float_like(x, above_all)), integers);
  return b.CreateSub(bits, constant_like(bits, above_all_bits));
}

}  // namespace hasten::backends::cpu
