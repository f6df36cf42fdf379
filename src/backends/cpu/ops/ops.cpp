// Types, literals, and the operations that are one or a few instructions.
#include "backends/cpu/ops/ops.hpp"

#include <hasten/run/error.hpp>

#include "core/scalar_ops.hpp"

#include <llvm/IR/IntrinsicsX86.h>

namespace hasten::backends::cpu {

using core::ScalarOp;
using core::ScalarType;
using llvm::Intrinsic::ID;
using V = llvm::Value*;

llvm::Type* register_type(llvm::LLVMContext& context, ScalarType type) {
  if (detail::is_bool(type)) return llvm::Type::getInt1Ty(context);
  if (detail::is_integral(type))
    return llvm::IntegerType::get(context, static_cast<unsigned>(detail::size_in_bytes(type)) * 8);
  if (type == ScalarType::f32 || is_small_float(type)) return llvm::Type::getFloatTy(context);
  if (type == ScalarType::f64) return llvm::Type::getDoubleTy(context);
  throw TargetError(std::string("the cpu target has no elements of type ") + detail::name_of(type) +
                    " yet: use f32 or f64, or the interpreter target");
}

llvm::Type* memory_type(llvm::LLVMContext& context, ScalarType type) {
  if (detail::is_bool(type)) return llvm::Type::getInt8Ty(context);
  if (is_small_float(type)) return llvm::Type::getInt16Ty(context);
  return register_type(context, type);
}

V constant_like(V shape, std::int64_t x) {
  return llvm::ConstantInt::get(shape->getType(), static_cast<std::uint64_t>(x), true);
}

V float_like(V shape, double x) { return llvm::ConstantFP::get(shape->getType(), x); }

llvm::Constant* literal(llvm::LLVMContext& context, ScalarType type, const core::Bits& bits) {
  llvm::Type* t = register_type(context, type);
  if (!detail::is_floating(type)) return llvm::ConstantInt::get(t, bits.lo);
  if (is_small_float(type)) return llvm::ConstantFP::get(t, core::to_double(type, bits));
  const unsigned width = t->getPrimitiveSizeInBits();
  return llvm::ConstantFP::get(t, llvm::APFloat(t->getFltSemantics(), llvm::APInt(width, bits.lo)));
}

V Ops::apply(ScalarOp op, ScalarType result, Types types, Args args) {
  const ScalarType type = types[0];
  if (is_small_float(result) || is_small_float(types.back()))
    return apply_small(op, result, types, args);
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::neg:
    case ScalarOp::abs: return arithmetic(op, type, args);
    case ScalarOp::signum: return sign_of(type, args[0]);
    case ScalarOp::min:
    case ScalarOp::max: return min_max(op, type, args[0], args[1]);
    case ScalarOp::quot:
    case ScalarOp::rem:
    case ScalarOp::idiv:
    case ScalarOp::mod: return division(op, type, args[0], args[1]);
    case ScalarOp::eq:
    case ScalarOp::ne:
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::gt:
    case ScalarOp::ge: return compare(op, type, args[0], args[1]);
    case ScalarOp::and_:
    case ScalarOp::or_:
    case ScalarOp::xor_:
    case ScalarOp::not_: return bitwise(op, args);
    case ScalarOp::shl:
    case ScalarOp::shr: return shift(op, types, args[0], args[1]);
    case ScalarOp::rotl:
    case ScalarOp::rotr: return rotate(op, types, args[0], args[1]);
    case ScalarOp::popcount:
    case ScalarOp::clz:
    case ScalarOp::ctz: return count_bits(op, args[0]);
    case ScalarOp::select: return b.CreateSelect(args[0], args[1], args[2]);
    case ScalarOp::is_nan:
    case ScalarOp::is_infinite:
    case ScalarOp::is_finite: return classify(op, args[0]);
    case ScalarOp::cast: return convert(type, result, args[0]);
    case ScalarOp::bit_cast: return reinterpret(type, result, args[0]);
    default: return math(op, type, args);
  }
}

V Ops::arithmetic(ScalarOp op, ScalarType type, Args args) {
  const bool floats = detail::is_floating(type);
  V x = args[0];
  switch (op) {
    case ScalarOp::add: return floats ? b.CreateFAdd(x, args[1]) : b.CreateAdd(x, args[1]);
    case ScalarOp::sub: return floats ? b.CreateFSub(x, args[1]) : b.CreateSub(x, args[1]);
    case ScalarOp::mul: return floats ? b.CreateFMul(x, args[1]) : b.CreateMul(x, args[1]);
    case ScalarOp::neg: return floats ? b.CreateFNeg(x) : b.CreateNeg(x);
    default: break;
  }
  if (floats) return intrinsic(llvm::Intrinsic::fabs, args);
  if (!detail::is_signed_int(type)) return x;
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b.getFalse());
}

V Ops::min_max(ScalarOp op, ScalarType type, V x, V y) {
  const bool least = op == ScalarOp::min;
  if (detail::is_bool(type)) return least ? b.CreateAnd(x, y) : b.CreateOr(x, y);
  if (detail::is_floating(type)) return float_min_max(least, x, y);
  ID id = least ? llvm::Intrinsic::umin : llvm::Intrinsic::umax;
  if (detail::is_signed_int(type)) id = least ? llvm::Intrinsic::smin : llvm::Intrinsic::smax;
  return b.CreateBinaryIntrinsic(id, x, y);
}

// NaN wins, -0 < +0. Each of the two selects is one instruction, which yields its second operand
// for NaN and for two zeros. Bits that either of the two has are those of the lesser zero, and of a
// NaN: its exponent's are all ones. Bits that both have are those of the greater zero only. Not
// llvm.minimum and llvm.maximum: LLVM 19 reads past a table when it simplifies one whose operands
// are other calls (fma, copysign) with two operands in common.
V Ops::float_min_max(bool least, V x, V y) {
  llvm::Type* bits = like(x, b.getIntNTy(x->getType()->getScalarSizeInBits()));
  const auto predicate = least ? llvm::CmpInst::FCMP_OLT : llvm::CmpInst::FCMP_OGT;
  const auto nearer = [&](V p, V q) {
    return b.CreateBitCast(b.CreateSelect(b.CreateFCmp(predicate, p, q), p, q), bits);
  };
  if (least) return b.CreateBitCast(b.CreateOr(nearer(x, y), nearer(y, x)), x->getType());
  V greater = fills_registers(x) ? b.CreateBitCast(greater_number(x, y), bits)
                                 : b.CreateAnd(nearer(x, y), nearer(y, x));
  V any = b.CreateSelect(b.CreateFCmpUNO(x, y), llvm::Constant::getAllOnesValue(bits), greater);
  return b.CreateBitCast(any, x->getType());
}

// Whether x is of whole registers of floats or doubles, for which there are more instructions.
bool Ops::fills_registers(V x) const {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (!vector || !machine_.has_mask_registers()) return false;
  const unsigned bits = vector->getScalarSizeInBits();
  return bits >= 32 && vector->getNumElements() * bits % machine_.bits == 0;
}

// With +0 above -0; the other operand of a NaN.
V Ops::greater_number(V x, V y) {
  constexpr std::uint32_t greater = 1, sign_of_result = 1 << 2;
  const bool is_double = x->getType()->getScalarSizeInBits() == 64;
  V args[] = {x, y};
  return in_registers(is_double ? 8 : 16, args, [&](Args part) -> V {
    V nothing = llvm::PoisonValue::get(part[0]->getType());
    V all = is_double ? static_cast<V>(b.getInt8(0xff)) : b.getInt16(0xffff);
    return b.CreateIntrinsic(
        is_double ? llvm::Intrinsic::x86_avx512_mask_range_pd_512
                  : llvm::Intrinsic::x86_avx512_mask_range_ps_512,
        {}, {part[0], part[1], b.getInt32(greater | sign_of_result), nothing, all, b.getInt32(4)});
  });
}

// Zeros and NaN are unchanged.
V Ops::sign_of(ScalarType type, V x) {
  if (detail::is_unsigned_int(type))
    return b.CreateZExt(b.CreateICmpNE(x, constant_like(x, 0)), x->getType());
  if (detail::is_signed_int(type)) {
    V least = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, constant_like(x, -1));
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, least, constant_like(x, 1));
  }
  V zero = float_like(x, 0);
  V negative = b.CreateSelect(b.CreateFCmpOLT(x, zero), float_like(x, -1), x);
  return b.CreateSelect(b.CreateFCmpOGT(x, zero), float_like(x, 1), negative);
}

V Ops::compare(ScalarOp op, ScalarType type, V x, V y) {
  using P = llvm::CmpInst::Predicate;
  struct Row {
    P floats, signed_ints, others;
  };
  static constexpr Row rows[] = {
      {P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ},   {P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE},
      {P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT}, {P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE},
      {P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT}, {P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE}};
  const Row& row = rows[static_cast<int>(op) - static_cast<int>(ScalarOp::eq)];
  if (detail::is_floating(type)) return b.CreateFCmp(row.floats, x, y);
  return b.CreateICmp(detail::is_signed_int(type) ? row.signed_ints : row.others, x, y);
}

V Ops::bitwise(ScalarOp op, Args args) {
  switch (op) {
    case ScalarOp::and_: return b.CreateAnd(args[0], args[1]);
    case ScalarOp::or_: return b.CreateOr(args[0], args[1]);
    case ScalarOp::xor_: return b.CreateXor(args[0], args[1]);
    default: return b.CreateNot(args[0]);
  }
}

// A negative amount is a huge unsigned one.
V Ops::shift(ScalarOp op, Types types, V x, V amount) {
  const auto width = static_cast<std::int64_t>(detail::size_in_bytes(types[0])) * 8;
  V outside = b.CreateICmpUGE(amount, constant_like(amount, width));
  V inside = b.CreateZExtOrTrunc(amount, x->getType());
  V zero = constant_like(x, 0);
  if (op == ScalarOp::shl) return b.CreateSelect(outside, zero, b.CreateShl(x, inside));
  if (!detail::is_signed_int(types[0]))
    return b.CreateSelect(outside, zero, b.CreateLShr(x, inside));
  return b.CreateAShr(x, b.CreateSelect(outside, constant_like(x, width - 1), inside));
}

V Ops::rotate(ScalarOp op, Types types, V x, V amount) {
  V turn = detail::is_signed_int(types[1]) ? b.CreateSExtOrTrunc(amount, x->getType())
                                           : b.CreateZExtOrTrunc(amount, x->getType());
  V args[] = {x, x, turn};
  return intrinsic(op == ScalarOp::rotl ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr, args);
}

V Ops::count_bits(ScalarOp op, V x) {
  V count = nullptr;
  if (op == ScalarOp::popcount)
    count = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x);
  else
    count = b.CreateBinaryIntrinsic(
        op == ScalarOp::clz ? llvm::Intrinsic::ctlz : llvm::Intrinsic::cttz, x, b.getFalse());
  return b.CreateZExtOrTrunc(count, like(x, b.getInt32Ty()));
}

V Ops::classify(ScalarOp op, V x) {
  if (op == ScalarOp::is_nan) return b.CreateFCmpUNO(x, x);
  V magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  V infinity = llvm::ConstantFP::getInfinity(x->getType());
  return op == ScalarOp::is_infinite ? b.CreateFCmpOEQ(magnitude, infinity)
                                     : b.CreateFCmpOLT(magnitude, infinity);
}

}  // namespace hasten::backends::cpu
