// half and bfloat16: floats in registers that hold only numbers of the small type. Every operation
// is that of float, rounded; float has more than twice the digits, so that double rounding equals
// single rounding for + - * / and sqrt.
#include "backends/cpu/ops/ops.hpp"

#include "core/scalar_ops.hpp"

#include <llvm/IR/IntrinsicsX86.h>

namespace hasten::backends::cpu {

using core::ScalarOp;
using core::ScalarType;
using V = llvm::Value*;

namespace {

// Operations that map small numbers to small numbers.
bool is_exact(ScalarOp op) {
  switch (op) {
    case ScalarOp::neg:
    case ScalarOp::abs:
    case ScalarOp::signum:
    case ScalarOp::min:
    case ScalarOp::max:
    case ScalarOp::select:
    case ScalarOp::floor:
    case ScalarOp::ceil:
    case ScalarOp::round:
    case ScalarOp::trunc:
    case ScalarOp::nearbyint:
    case ScalarOp::fmod:
    case ScalarOp::copysign: return true;
    default: return false;
  }
}

ScalarType as_float(ScalarType type) { return is_small_float(type) ? ScalarType::f32 : type; }

}  // namespace

V Ops::apply_small(ScalarOp op, ScalarType result, Types types, Args args) {
  if (op == ScalarOp::cast) return convert_small(types[0], result, args[0]);
  if (op == ScalarOp::bit_cast) return reinterpret_small(types[0], result, args[0]);
  if (op == ScalarOp::fma) return fma_small(result, args);
  llvm::SmallVector<ScalarType, 3> wide;
  for (ScalarType type : types) wide.push_back(as_float(type));
  V x = apply(op, as_float(result), wide, args);
  return is_small_float(result) && !is_exact(op) ? rounded(result, x) : x;
}

V Ops::convert_small(ScalarType from, ScalarType to, V x) {
  if (from == to) return x;
  if (!is_small_float(to)) return convert(ScalarType::f32, to, x);
  if (is_small_float(from) || from == ScalarType::f32) return rounded(to, x);
  const bool fits = detail::is_bool(from) || detail::size_in_bytes(from) <= 2;
  if (fits) return rounded(to, convert(from, ScalarType::f32, x));
  if (detail::is_integral(from) && detail::size_in_bytes(from) == 8) {
    // No double holds the number: bits that are lost set the last bit that is kept.
    V lost = b.CreateICmpNE(b.CreateAnd(x, constant_like(x, 0x7ff)), constant_like(x, 0));
    V odd = b.CreateOr(x, b.CreateSelect(lost, constant_like(x, 0x800), constant_like(x, 0)));
    const std::int64_t least = detail::is_signed_int(from) ? std::int64_t{1} << 53 : 0;
    V large = b.CreateICmpUGT(b.CreateAdd(x, constant_like(x, least)),
                              constant_like(x, (std::int64_t{1} << 53) + least));
    x = b.CreateSelect(large, b.CreateAnd(odd, constant_like(x, ~std::int64_t{0x7ff})), x);
  }
  return rounded(to, odd_float(convert(from, ScalarType::f64, x)));
}

// A double as a float that rounds to fewer bits as the double itself would: an inexact result
// becomes the neighbour with an odd last bit.
V Ops::odd_float(V x) {
  llvm::Type* integer = like(x, b.getInt32Ty());
  V nearest = b.CreateFPTrunc(x, like(x, b.getFloatTy()));
  V back = b.CreateFPExt(nearest, x->getType());
  V bits = b.CreateBitCast(nearest, integer);
  V is_even = b.CreateICmpEQ(b.CreateAnd(bits, constant_like(bits, 1)), constant_like(bits, 0));
  V adjust = b.CreateAnd(is_even, b.CreateFCmpONE(back, x));
  V too_large = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
  V step = b.CreateSelect(too_large, constant_like(bits, -1), constant_like(bits, 1));
  V odd = b.CreateBitCast(b.CreateAdd(bits, step), nearest->getType());
  return b.CreateSelect(adjust, odd, nearest);
}

// The product is exact in double. Where the sum is not, it becomes the neighbour with an odd last
// bit: the small addend decides the rounding of a product halfway between two small numbers.
V Ops::fma_small(ScalarType type, Args args) {
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  V wide[3];
  for (std::size_t i = 0; i < 3; ++i)
    wide[i] = b.CreateFPExt(args[i], like(args[i], b.getDoubleTy()));
  V product = b.CreateFMul(wide[0], wide[1]), sum = b.CreateFAdd(product, wide[2]);
  V added = b.CreateFSub(sum, product);
  V lost =
      b.CreateFAdd(b.CreateFSub(product, b.CreateFSub(sum, added)), b.CreateFSub(wide[2], added));
  V zero = float_like(sum, 0);
  V bits = b.CreateBitCast(sum, like(sum, b.getInt64Ty()));
  V is_even = b.CreateICmpEQ(b.CreateAnd(bits, constant_like(bits, 1)), constant_like(bits, 0));
  V grows = b.CreateICmpEQ(b.CreateFCmpOGT(lost, zero), b.CreateFCmpOGT(sum, zero));
  V step = b.CreateSelect(grows, constant_like(bits, 1), constant_like(bits, -1));
  V odd = b.CreateBitCast(b.CreateAdd(bits, step), sum->getType());
  V is_inexact = b.CreateAnd(is_even, b.CreateFCmpONE(lost, zero));
  return rounded(type, odd_float(b.CreateSelect(is_inexact, odd, sum)));
}

V Ops::reinterpret_small(ScalarType from, ScalarType to, V x) {
  if (is_small_float(from)) x = to_16_bits(from, x);
  return is_small_float(to) ? from_16_bits(to, x) : x;
}

// -- rounding -------------------------------------------------------------------------------------

V Ops::rounded(ScalarType type, V x) {
  return type == ScalarType::f16 ? round_to_half(x) : round_to_bfloat16(x);
}

// Uses the instruction directly: LLVM would compute the operands of its own conversion in half too,
// for which few machines have instructions.
V Ops::half_words(V x) {
  const bool widest = machine_.bits == 512;
  const unsigned lanes = widest ? 16 : 8;
  const auto convert = [&](V floats) -> V {
    auto* words = llvm::FixedVectorType::get(b.getInt16Ty(), lanes);
    V nearest = b.getInt32(0);
    if (widest)
      return b.CreateIntrinsic(
          llvm::Intrinsic::x86_avx512_mask_vcvtps2ph_512, {},
          {floats, nearest, llvm::Constant::getNullValue(words), b.getInt16(0xffff)});
    return b.CreateIntrinsic(llvm::Intrinsic::x86_vcvtps2ph_256, {}, {floats, nearest});
  };
  if (!x->getType()->isVectorTy())
    return b.CreateExtractElement(convert(b.CreateVectorSplat(lanes, x)), std::uint64_t{0});
  const unsigned all = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  llvm::SmallVector<V, 8> parts;
  for (unsigned first = 0; first < all; first += lanes)
    parts.push_back(convert(piece(b, x, first, lanes)));
  return joined(b, std::move(parts), all);
}

V Ops::round_to_half(V x) {
  if (machine_.bits > 128)  // these machines convert in one instruction
    return from_16_bits(ScalarType::f16, half_words(x));
  // Must not be reassociated, whatever the program allows.
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  V magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  V bits = b.CreateBitCast(magnitude, like(x, b.getInt32Ty()));
  V last = b.CreateAnd(b.CreateLShr(bits, constant_like(bits, 13)), constant_like(bits, 1));
  V carried = b.CreateAdd(bits, b.CreateAdd(last, constant_like(bits, 0xfff)));
  V normal = b.CreateBitCast(b.CreateAnd(carried, constant_like(bits, ~std::int64_t{0x1fff})),
                             x->getType());
  // Next to 1/2, floats are as far apart as halves are near 0.
  V half = float_like(x, 0.5);
  V denormal = b.CreateFSub(b.CreateFAdd(magnitude, half), half);
  V result = b.CreateSelect(b.CreateFCmpOLT(magnitude, float_like(x, 0x1p-14)), denormal, normal);
  V infinity = llvm::ConstantFP::getInfinity(x->getType());
  result = b.CreateSelect(b.CreateFCmpOGT(result, float_like(x, 65504)), infinity, result);
  result = b.CreateSelect(b.CreateFCmpUNO(x, x), llvm::ConstantFP::getNaN(x->getType()), result);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
}

V Ops::round_to_bfloat16(V x) {
  V bits = b.CreateBitCast(x, like(x, b.getInt32Ty()));
  V last = b.CreateAnd(b.CreateLShr(bits, constant_like(bits, 16)), constant_like(bits, 1));
  V carried = b.CreateAdd(bits, b.CreateAdd(last, constant_like(bits, 0x7fff)));
  V kept = b.CreateAnd(carried, constant_like(bits, ~std::int64_t{0xffff}));
  V nan = llvm::ConstantFP::getNaN(x->getType());
  return b.CreateSelect(b.CreateFCmpUNO(x, x), nan, b.CreateBitCast(kept, x->getType()));
}

// -- memory ---------------------------------------------------------------------------------------

V Ops::to_16_bits(ScalarType type, V x) {
  llvm::Type* word = like(x, b.getInt16Ty());
  V bits = b.CreateBitCast(x, like(x, b.getInt32Ty()));
  if (type == ScalarType::bf16)
    return b.CreateTrunc(b.CreateLShr(bits, constant_like(bits, 16)), word);
  if (machine_.bits > 128) return half_words(x);
  // The opposite of from_16_bits; the product is exact.
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  V magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  V scaled = b.CreateFMul(magnitude, float_like(x, 0x1p-112));
  V small = b.CreateLShr(b.CreateBitCast(scaled, bits->getType()), constant_like(bits, 13));
  V finite = b.CreateFCmpOLT(magnitude, llvm::ConstantFP::getInfinity(x->getType()));
  V special = b.CreateSelect(b.CreateFCmpUNO(x, x), constant_like(bits, 0x7e00),
                             constant_like(bits, 0x7c00));
  V sign = b.CreateAnd(b.CreateLShr(bits, constant_like(bits, 16)), constant_like(bits, 0x8000));
  return b.CreateTrunc(b.CreateOr(sign, b.CreateSelect(finite, small, special)), word);
}

V Ops::from_16_bits(ScalarType type, V x) {
  llvm::Type* floating = like(x, b.getFloatTy());
  V bits = b.CreateZExt(x, like(x, b.getInt32Ty()));
  if (type == ScalarType::bf16)
    return b.CreateBitCast(b.CreateShl(bits, constant_like(bits, 16)), floating);
  if (machine_.bits > 128)
    return b.CreateFPExt(b.CreateBitCast(x, like(x, b.getHalfTy())), floating);
  // Converts as a float's fraction with the least exponent, then corrects the exponent.
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  V magnitude = b.CreateAnd(bits, constant_like(bits, 0x7fff));
  V fraction = b.CreateBitCast(b.CreateShl(magnitude, constant_like(bits, 13)), floating);
  V scaled = b.CreateFMul(fraction, float_like(fraction, 0x1p112));
  V special = b.CreateICmpUGE(magnitude, constant_like(bits, 0x7c00));
  V word = b.CreateBitCast(scaled, bits->getType());
  word = b.CreateSelect(special, b.CreateOr(word, constant_like(bits, 0x7f800000)), word);
  V sign = b.CreateShl(b.CreateAnd(bits, constant_like(bits, 0x8000)), constant_like(bits, 16));
  return b.CreateBitCast(b.CreateOr(word, sign), floating);
}

}  // namespace hasten::backends::cpu
