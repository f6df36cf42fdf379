// The quotient is the high half of a product with the divisor's reciprocal, corrected and shifted:
// T. Granlund, P. Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994,
// figures 4.2 and 5.2. The high half is made of four products of halves: H. Warren, "Hacker's
// Delight", section 8-2.
#include "backends/cpu/transforms/wide_divisions.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Support/DivisionByConstantInfo.h>
#include <llvm/Support/KnownBits.h>

#include <cstdint>
#include <vector>

namespace hasten::backends::cpu {
namespace {

using V = llvm::Value*;

constexpr unsigned word_bits = 64, half_word_bits = 32;

/// The divisor of a division to replace, or null.
const llvm::APInt* divisor_of(const llvm::Instruction& i) {
  using llvm::Instruction;
  const unsigned op = i.getOpcode();
  if (op != Instruction::SDiv && op != Instruction::UDiv && op != Instruction::SRem &&
      op != Instruction::URem)
    return nullptr;
  constexpr unsigned lanes_min = 4;
  const auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(i.getType());
  if (!type || type->getNumElements() < lanes_min ||
      !type->getElementType()->isIntegerTy(word_bits))
    return nullptr;
  const auto* const constant = llvm::dyn_cast<llvm::Constant>(i.getOperand(1));
  const auto* const divisor =
      constant ? llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getSplatValue()) : nullptr;
  if (!divisor || divisor->isZero()) return nullptr;
  const llvm::APInt& d = divisor->getValue();
  const bool is_signed = op == Instruction::SDiv || op == Instruction::SRem;
  const bool is_shift = d.isPowerOf2() || (is_signed && d.abs().isPowerOf2());
  return is_shift ? nullptr : &d;
}

class Divider {
 public:
  explicit Divider(llvm::Instruction& division) : b_(&division), x_(division.getOperand(0)) {}

  V quotient(const llvm::APInt& d, bool is_signed, const llvm::KnownBits& known) {
    const bool is_positive = is_signed && known.isNonNegative() && d.isStrictlyPositive();
    return is_signed && !is_positive ? signed_quotient(d)
                                     : unsigned_quotient(d, known.countMinLeadingZeros());
  }
  V rest(V quotient, V divisor) { return b_.CreateSub(x_, b_.CreateMul(quotient, divisor)); }

 private:
  V unsigned_quotient(const llvm::APInt& d, unsigned leading_zeros) {
    const auto info = llvm::UnsignedDivisionByConstantInfo::get(d, leading_zeros);
    V x = info.PreShift == 0 ? x_ : b_.CreateLShr(x_, info.PreShift);
    V q = high(x, info.Magic.getZExtValue());
    if (info.IsAdd) q = b_.CreateAdd(b_.CreateLShr(b_.CreateSub(x_, q), 1), q);
    return info.PostShift == 0 ? q : b_.CreateLShr(q, info.PostShift);
  }

  // high() takes its operands as unsigned: for a number below zero the result is too large by the
  // reciprocal, and for a reciprocal below zero by the number.
  V signed_quotient(const llvm::APInt& d) {
    const auto info = llvm::SignedDivisionByConstantInfo::get(d);
    const bool is_below_zero = info.Magic.isNegative();
    V q = high(x_, info.Magic.getZExtValue());
    V sign = b_.CreateAShr(x_, word_bits - 1);
    q = b_.CreateSub(q, b_.CreateAnd(sign, constant(info.Magic.getZExtValue())));
    const int factor = d.isStrictlyPositive() == is_below_zero ? (is_below_zero ? 1 : -1) : 0;
    const int times = factor - (is_below_zero ? 1 : 0);
    if (times != 0) q = times > 0 ? b_.CreateAdd(q, x_) : b_.CreateSub(q, x_);
    if (info.ShiftAmount > 0) q = b_.CreateAShr(q, info.ShiftAmount);
    return b_.CreateAdd(q, b_.CreateLShr(q, word_bits - 1));
  }

  // The upper 64 bits of x * factor. No sum wraps.
  V high(V x, std::uint64_t factor) {
    V ones = constant(UINT32_MAX);
    V low = b_.CreateAnd(x, ones), top = b_.CreateLShr(x, half_word_bits);
    V f_low = constant(factor & UINT32_MAX), f_top = constant(factor >> half_word_bits);
    V carry = b_.CreateLShr(b_.CreateMul(low, f_low), half_word_bits);
    V middle = b_.CreateAdd(b_.CreateMul(top, f_low), carry);
    V other = b_.CreateAdd(b_.CreateMul(low, f_top), b_.CreateAnd(middle, ones));
    V sum = b_.CreateAdd(b_.CreateMul(top, f_top), b_.CreateLShr(middle, half_word_bits));
    return b_.CreateAdd(sum, b_.CreateLShr(other, half_word_bits));
  }

  V constant(std::uint64_t number) { return llvm::ConstantInt::get(x_->getType(), number); }

  llvm::IRBuilder<> b_;
  V x_;
};

void replace(llvm::Instruction& division, const llvm::APInt& divisor) {
  const unsigned op = division.getOpcode();
  const bool is_signed = op == llvm::Instruction::SDiv || op == llvm::Instruction::SRem;
  const auto known =
      llvm::computeKnownBits(division.getOperand(0), division.getModule()->getDataLayout());
  Divider divider(division);
  V result = divider.quotient(divisor, is_signed, known);
  if (op == llvm::Instruction::SRem || op == llvm::Instruction::URem)
    result = divider.rest(result, division.getOperand(1));
  division.replaceAllUsesWith(result);
  division.eraseFromParent();
}

}  // namespace

void multiply_by_reciprocals(llvm::Function& function) {
  std::vector<llvm::Instruction*> divisions;
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& i : block)
      if (divisor_of(i)) divisions.push_back(&i);
  for (llvm::Instruction* division : divisions) replace(*division, *divisor_of(*division));
}

}  // namespace hasten::backends::cpu
