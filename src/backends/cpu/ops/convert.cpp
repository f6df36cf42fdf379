// Conversions between scalar types.
#include "backends/cpu/ops/ops.hpp"

#include <cmath>

namespace hasten::backends::cpu {

using core::ScalarType;
using V = llvm::Value*;

V Ops::convert(ScalarType from, ScalarType to, V x) {
  if (from == to) return x;
  llvm::Type* target = like(x, register_type(b.getContext(), to));
  if (detail::is_bool(to))
    return detail::is_floating(from) ? b.CreateFCmpUNE(x, float_like(x, 0))
                                     : b.CreateICmpNE(x, constant_like(x, 0));
  if (detail::is_floating(to)) return to_float(from, to, x);
  if (detail::is_floating(from)) return float_to_int(from, to, x);
  return detail::is_signed_int(from) ? b.CreateSExtOrTrunc(x, target)
                                     : b.CreateZExtOrTrunc(x, target);
}

V Ops::to_float(ScalarType from, ScalarType to, V x) {
  llvm::Type* target = like(x, register_type(b.getContext(), to));
  if (detail::is_floating(from)) return b.CreateFPCast(x, target);
  return detail::is_signed_int(from) ? b.CreateSIToFP(x, target) : b.CreateUIToFP(x, target);
}

// Saturates; NaN becomes 0.
V Ops::float_to_int(ScalarType from, ScalarType to, V x) {
  const bool is_signed = detail::is_signed_int(to);
  const int bits = static_cast<int>(detail::size_in_bytes(to)) * 8;
  const int digits = from == ScalarType::f64 ? 53 : 24;
  llvm::Type* target = like(x, register_type(b.getContext(), to));
  if (bits - (is_signed ? 1 : 0) > digits) {
    const auto any = [&] { return float_to_wide_int(is_signed, bits, digits, target, x); };
    const bool is_one_by_one = machine_.bits == 256 && bits == 64 && x->getType()->isVectorTy();
    return is_one_by_one ? small_float_to_wide_int(is_signed, target, x, any) : any();
  }
  // Both limits are numbers of the floating type: clamp there.
  V low = float_like(x, is_signed ? -std::ldexp(1.0, bits - 1) : 0.0);
  V high = float_like(x, std::ldexp(1.0, bits - (is_signed ? 1 : 0)) - 1);
  V number = b.CreateSelect(b.CreateFCmpUNO(x, x), float_like(x, 0), x);
  number = b.CreateSelect(b.CreateFCmpOLT(number, low), low, number);
  number = b.CreateSelect(b.CreateFCmpOGT(number, high), high, number);
  if (bits == 32)
    return is_signed ? b.CreateFPToSI(number, target) : b.CreateFPToUI(number, target);
  return b.CreateTrunc(b.CreateFPToSI(number, like(x, b.getInt32Ty())), target);
}

// AVX2 converts no vectors to 64 bits. Numbers below 2^51 are found in the bits of doubles; if any
// lane has others, all lanes are converted one by one.
V Ops::small_float_to_wide_int(bool is_signed, llvm::Type* target, V x,
                               llvm::function_ref<V()> others) {
  const llvm::IRBuilderBase::FastMathFlagGuard exact(b);
  b.clearFastMathFlags();
  V wide = b.CreateFPCast(x, like(x, b.getDoubleTy()));
  V whole = b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, wide);
  constexpr double end = 0x1p51;
  V is_small = b.CreateAnd(b.CreateFCmpOGE(whole, float_like(whole, is_signed ? -end : 0)),
                           b.CreateFCmpOLT(whole, float_like(whole, end)));
  return unless(any_of(b.CreateNot(is_small)), small_from_double(whole, target), others);
}

// The largest integer is not representable in the floating type. Lanes that saturate are converted
// as 0 and selected afterwards: LLVM scalarises vectors of its own saturating conversions.
V Ops::float_to_wide_int(bool is_signed, int bits, int digits, llvm::Type* target, V x) {
  const int exponent = bits - (is_signed ? 1 : 0);
  const double end = std::ldexp(1.0, exponent), begin = is_signed ? -end : 0.0;
  V low = float_like(x, begin), high = float_like(x, end - std::ldexp(1.0, exponent - digits));
  V is_large = b.CreateFCmpOGT(x, high);
  V is_within = b.CreateAnd(b.CreateFCmpOGE(x, low), b.CreateFCmpOLE(x, high));
  V number = b.CreateSelect(is_within, x, float_like(x, 0));
  number = is_signed ? b.CreateFPToSI(number, target) : b.CreateFPToUI(number, target);
  const auto limit = [&](const llvm::APInt& value) {
    return llvm::ConstantInt::get(target, value);
  };
  const auto size = static_cast<unsigned>(bits);
  if (is_signed)
    number = b.CreateSelect(b.CreateFCmpOLT(x, low), limit(llvm::APInt::getSignedMinValue(size)),
                            number);
  return b.CreateSelect(
      is_large,
      limit(is_signed ? llvm::APInt::getSignedMaxValue(size) : llvm::APInt::getMaxValue(size)),
      number);
}

V Ops::reinterpret(ScalarType from, ScalarType to, V x) {
  llvm::Type* target = like(x, register_type(b.getContext(), to));
  if (detail::is_bool(to)) return convert(from, to, x);
  if (detail::is_bool(from)) return b.CreateZExt(x, target);
  return b.CreateBitCast(x, target);
}

}  // namespace hasten::backends::cpu
