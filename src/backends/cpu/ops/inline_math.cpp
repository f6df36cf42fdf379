// exp and log of floats as inline instructions: without calls a loop keeps its registers and
// computes several vectors at once.
//
// The fused products are part of these functions' definition, whatever the program's own flags.
#include "backends/cpu/ops/ops.hpp"

#include <llvm/IR/IntrinsicsX86.h>

#include <utility>

namespace hasten::backends::cpu {

using core::ScalarOp;
using core::ScalarType;
using V = llvm::Value*;

namespace {

// ln(2) in two floats. Products of the first with exponents are exact; both are positive, so that
// an infinite exponent gives one infinity.
constexpr double ln2 = 0x1.62e4p-1, ln2_rest = 0x1.7f7d1cp-20;

// Both polynomials are minimax in the error of the function's result.
// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, to 2^-28.
constexpr double exp_terms[] = {
    1, 1, 0x1.fffffcp-2, 0x1.55548cp-3, 0x1.555858p-5, 0x1.123de4p-7, 0x1.6ac7a6p-10,
};
// (log(1 + f) - f + f^2 / 2) / f^3 for -1/4 <= f <= 1/2, to 2^-27.
constexpr double log_terms[] = {
    0x1.5555a4p-2, -0x1.000046p-2, 0x1.99695ep-3, -0x1.54ed86p-3,
    0x1.288486p-3, -0x1.0da4dcp-3, 0x1.ad0a78p-4, -0x1.71e928p-5,
};

constexpr unsigned registers_lanes = 16;  // of 512 bits

}  // namespace

bool is_inline_math(ScalarOp op, ScalarType type, const Machine& machine) {
  return machine.fma && type == ScalarType::f32 && (op == ScalarOp::exp || op == ScalarOp::log);
}

V Ops::inline_math(ScalarOp op, V x) {
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  return op == ScalarOp::exp ? inline_exp(x) : inline_log(x);
}

V Ops::polynomial(V x, std::span<const double> coefficients) {
  V sum = float_like(x, coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;)
    sum = fused(sum, x, float_like(x, coefficients[i]));
  return sum;
}

// e^x = 2^n e^r with n the integer nearest to x / ln(2).
V Ops::inline_exp(V x) {
  // Infinite above and zero below; a NaN is neither.
  V high = float_like(x, 89), low = float_like(x, -104);
  x = b.CreateSelect(b.CreateFCmpOGT(x, high), high, x);
  x = b.CreateSelect(b.CreateFCmpOLT(x, low), low, x);
  // So large that the sum has no fraction; its last bits are those of n + 254.
  V shift = float_like(x, 0x1.8p23 + 254);
  V shifted = fused(x, float_like(x, 0x1.715476p0), shift);
  V n = b.CreateFSub(shifted, shift);
  V minus_n = b.CreateFNeg(n);
  V r = fused(minus_n, float_like(x, ln2), x);
  r = fused(minus_n, float_like(x, ln2_rest), r);
  V e_r = polynomial(r, exp_terms);
  return machine_.bits == 512 ? scaled(e_r, n) : scaled_by_bits(e_r, shifted);
}

// x 2^n. Rounds once, also where the result is subnormal.
V Ops::scaled(V x, V n) {
  V args[] = {x, n};
  return in_registers(registers_lanes, args, [&](Args part) -> V {
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                             {part[0], part[1], llvm::PoisonValue::get(part[0]->getType()),
                              b.getInt16(0xffff), b.getInt32(4)});
  });
}

// The same for |n| <= 252, given a number whose last bits are those of n + 254; the bits above them
// are shifted out. Half of n + 254 is a biased exponent, and so is the remainder: they make two
// factors, both normal, the first product of which is exact. For a NaN n is arbitrary.
V Ops::scaled_by_bits(V x, V shifted) {
  V exponents = b.CreateBitCast(shifted, like(x, b.getInt32Ty()));
  V first = b.CreateAShr(exponents, 1), second = b.CreateSub(exponents, first);
  const auto power = [&](V k) { return b.CreateBitCast(b.CreateShl(k, 23), x->getType()); };
  return b.CreateFMul(b.CreateFMul(x, power(first)), power(second));
}

// On machines without instructions that split a number, lanes that are not normal numbers take
// another path, which is right for all lanes.
V Ops::inline_log(V x) {
  if (machine_.bits == 512 || !may_branch) return log_of_parts(split_exponent(x));
  V bits = b.CreateBitCast(x, like(x, b.getInt32Ty()));
  V usual = log_of_parts(split_normal(bits, x->getType()));
  // Positive normal numbers are the least of integers that wrap so.
  constexpr std::int32_t least_normal = 0x00800000, infinity = 0x7f800000;
  V place = b.CreateSub(bits, constant_like(bits, least_normal));
  V rare = b.CreateICmpUGE(place, constant_like(bits, infinity - least_normal));
  return unless(any_of(rare), usual, [&] { return log_of_parts(split_exponent(x)); });
}

// log x = e ln(2) + log(1 + f) with x = 2^e (1 + f). Near 1 no precision is lost: e is 0 there.
V Ops::log_of_parts(std::pair<V, V> parts) {
  const auto [e, m] = parts;
  V f = b.CreateFSub(m, float_like(m, 1));
  V q = fused(polynomial(f, log_terms), f, float_like(m, -0.5));
  V sum = fused(e, float_like(m, ln2), f);
  // What the sum lost of f; exact, as e ln(2) is 0 or more than f. An infinite e loses nothing.
  V lost = b.CreateFSub(f, fused(b.CreateFNeg(e), float_like(m, ln2), sum));
  V one = float_like(m, 1);
  lost = b.CreateSelect(b.CreateFCmpOLT(lost, one), lost, one);
  V small = fused(e, float_like(m, ln2_rest), lost);
  return b.CreateFAdd(sum, fused(b.CreateFMul(f, f), q, small));
}

// {e, m} with x = 2^e m and 3/4 <= m < 3/2. For 0 and infinity e is infinite; m is NaN if x is NaN
// or negative.
std::pair<V, V> Ops::split_exponent(V x) {
  if (machine_.bits != 512) return split_exponent_by_bits(x);
  constexpr std::uint32_t from_three_quarters = 3, negative_is_nan = 2 << 2;
  V args[] = {x};
  const auto instruction = [&](llvm::Intrinsic::ID id, bool mantissa) {
    return in_registers(registers_lanes, args, [&](Args part) -> V {
      V nothing = llvm::PoisonValue::get(part[0]->getType());
      llvm::SmallVector<V, 5> operands{part[0]};
      if (mantissa) operands.push_back(b.getInt32(from_three_quarters | negative_is_nan));
      operands.append({nothing, b.getInt16(0xffff), b.getInt32(4)});
      return b.CreateIntrinsic(id, {}, operands);
    });
  };
  V m = instruction(llvm::Intrinsic::x86_avx512_mask_getmant_ps_512, true);
  V e = instruction(llvm::Intrinsic::x86_avx512_mask_getexp_ps_512, false);
  // The exponent is that of a mantissa in [1, 2).
  V halved = b.CreateFCmpOLT(m, float_like(x, 1));
  return {b.CreateSelect(halved, b.CreateFAdd(e, float_like(x, 1)), e), m};
}

// For a normal number; otherwise arbitrary.
std::pair<V, V> Ops::split_normal(V bits, llvm::Type* type) {
  V exponent = b.CreateAShr(b.CreateSub(bits, constant_like(bits, 0x3f400000)), 23);
  V m = b.CreateBitCast(b.CreateSub(bits, b.CreateShl(exponent, 23)), type);
  return {b.CreateSIToFP(exponent, type), m};
}

std::pair<V, V> Ops::split_exponent_by_bits(V x) {
  V zero = float_like(x, 0);
  V subnormal = b.CreateFCmpOLT(x, float_like(x, 0x1p-126));
  V normal = b.CreateSelect(subnormal, b.CreateFMul(x, float_like(x, 0x1p23)), x);
  auto [e, m] = split_normal(b.CreateBitCast(normal, like(x, b.getInt32Ty())), x->getType());
  e = b.CreateSelect(subnormal, b.CreateFSub(e, float_like(x, 23)), e);
  V infinity = llvm::ConstantFP::getInfinity(x->getType());
  V nan = llvm::ConstantFP::getNaN(x->getType());
  e = b.CreateSelect(b.CreateFCmpOEQ(x, infinity), infinity, e);
  e = b.CreateSelect(b.CreateFCmpOEQ(x, zero), b.CreateFNeg(infinity), e);
  m = b.CreateSelect(b.CreateFCmpULT(x, zero), nan, m);
  return {e, m};
}

}  // namespace hasten::backends::cpu
