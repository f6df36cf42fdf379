// Floating functions: instructions where available, else own polynomials (ops_inline_math.cpp) or
// SLEEF's vector functions.
#include "backends/cpu/ops/ops.hpp"

#include <hasten/run/error.hpp>

#include "core/scalar_ops.hpp"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <cmath>

#include <numeric>

namespace hasten::backends::cpu {

using core::ScalarOp;
using core::ScalarType;
using V = llvm::Value*;

V Ops::math(ScalarOp op, ScalarType type, Args args) {
  if (is_inline_math(op, type, machine_)) return inline_math(op, args[0]);
  switch (op) {
    case ScalarOp::div: return b.CreateFDiv(args[0], args[1]);
    case ScalarOp::sqrt: return intrinsic(llvm::Intrinsic::sqrt, args);
    case ScalarOp::rsqrt: return reciprocal_root(type, args[0]);
    case ScalarOp::floor: return intrinsic(llvm::Intrinsic::floor, args);
    case ScalarOp::ceil: return intrinsic(llvm::Intrinsic::ceil, args);
    case ScalarOp::trunc: return intrinsic(llvm::Intrinsic::trunc, args);
    case ScalarOp::nearbyint: return intrinsic(llvm::Intrinsic::nearbyint, args);
    case ScalarOp::round: return round_away(args[0]);
    case ScalarOp::copysign: return intrinsic(llvm::Intrinsic::copysign, args);
    case ScalarOp::fma: return intrinsic(llvm::Intrinsic::fma, args);
    case ScalarOp::fmod: return b.CreateFRem(args[0], args[1]);  // the C library's, lane by lane
    case ScalarOp::log1p:
    case ScalarOp::asinh:
    case ScalarOp::acosh: return logarithm_like(op, type, args[0]);
    case ScalarOp::sinh:
    case ScalarOp::cosh: return exponential_like(op, type, args[0]);
    case ScalarOp::sin:
    case ScalarOp::cos:
    case ScalarOp::tan: return trigonometric(op, type, args[0]);
    default: return call_library(op, type, args);
  }
}

// Halves are rounded away from zero: adding the number just below 0.5 cannot carry a smaller
// fraction over.
V Ops::round_away(V x) {
  const bool wide = x->getType()->getScalarType()->isDoubleTy();
  const double below_half =
      wide ? std::nextafter(0.5, 0.0) : static_cast<double>(std::nextafter(0.5F, 0.0F));
  V half = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, float_like(x, below_half), x);
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, b.CreateFAdd(x, half));
}

// The result of `then` if the condition (a scalar) holds, else that of `other`.
V Ops::branch(V condition, llvm::MDNode* weights, llvm::function_ref<V()> then,
              llvm::function_ref<V()> other) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  const auto block = [&] { return llvm::BasicBlock::Create(b.getContext(), "", function); };
  llvm::BasicBlock *inside = block(), *beside = block(), *after = block();
  b.CreateCondBr(condition, inside, beside, weights);
  std::pair<V, llvm::BasicBlock*> results[2];
  for (const bool first : {true, false}) {
    b.SetInsertPoint(first ? inside : beside);
    V result = first ? then() : other();
    results[first ? 0 : 1] = {result, b.GetInsertBlock()};
    b.CreateBr(after);
  }
  b.SetInsertPoint(after);
  llvm::PHINode* result = b.CreatePHI(results[0].first->getType(), 2);
  for (const auto& [value, from] : results) result->addIncoming(value, from);
  return result;
}

// `usual`, or, if the condition (a scalar) holds, the result of `emit`. A branch, which hardly any
// program takes.
V Ops::unless(V condition, V usual, llvm::function_ref<V()> emit) {
  return branch(condition, llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights(), emit,
                [&] { return usual; });
}

// `usual` where `rare` holds in no lane; else the result of `emit` in the lanes where it holds.
V Ops::unless_rare(V rare, V usual, llvm::function_ref<V()> emit) {
  return unless(any_of(rare), usual, [&] { return b.CreateSelect(rare, emit(), usual); });
}

// Register by register, so that masks need not be packed for a single test.
V Ops::any_of(V lanes) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(lanes->getType());
  if (!vector) return lanes;
  const unsigned all = vector->getNumElements(), part = std::min(all, machine_.lanes(4));
  V some = piece(b, lanes, 0, part);
  for (unsigned first = part; first < all; first += part)
    some = b.CreateOr(some, piece(b, lanes, first, part));
  V number = b.CreateBitCast(some, b.getIntNTy(part));
  return b.CreateICmpNE(number, constant_like(number, 0));
}

// SLEEF's functions overflow on the largest numbers, where the logarithm is accurate enough.
V Ops::logarithm_like(ScalarOp op, ScalarType type, V x) {
  V args[] = {x};
  V usual = call_library(op, type, args);
  V magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  V large = b.CreateFCmpOGT(magnitude, float_like(x, type == ScalarType::f32 ? 0x1p30 : 0x1p60));
  // Large negative numbers have no logarithm: the library returns NaN.
  if (op != ScalarOp::asinh) large = b.CreateAnd(large, b.CreateFCmpOGT(x, float_like(x, 0)));
  return unless_rare(large, usual, [&]() -> V {
    V parts[] = {magnitude};
    V y = call_library(ScalarOp::log, type, parts);
    if (op != ScalarOp::log1p) y = b.CreateFAdd(y, float_like(x, 0.693147180559945309417));
    return op == ScalarOp::asinh ? b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, y, x) : y;
  });
}

// SLEEF's sinh and cosh are infinite where e^x is, which is too early by a factor of two.
V Ops::exponential_like(ScalarOp op, ScalarType type, V x) {
  V args[] = {x};
  V usual = call_library(op, type, args);
  V magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  const bool narrow = type == ScalarType::f32;
  V large = b.CreateFCmpOGT(magnitude, float_like(x, narrow ? 88 : 709));
  return unless_rare(large, usual, [&]() -> V {
    if (narrow) {
      V wide[] = {b.CreateFPExt(x, like(x, b.getDoubleTy()))};
      return b.CreateFPTrunc(call_library(op, ScalarType::f64, wide), x->getType());
    }
    V half[] = {b.CreateFMul(magnitude, float_like(x, 0.5))};
    V root = call_library(ScalarOp::exp, type, half);
    V y = b.CreateFMul(b.CreateFMul(root, float_like(x, 0.5)), root);
    return op == ScalarOp::sinh ? b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, y, x) : y;
  });
}

namespace {

// SLEEF's suffix of its most accurate version, in units in the last place.
const char* accuracy(ScalarOp op) {
  if (op == ScalarOp::erfc) return "_u15";
  if (op == ScalarOp::hypot) return "_u05";
  return "_u10";
}

}  // namespace

V piece(llvm::IRBuilder<>& b, V x, unsigned first, unsigned lanes) {
  const unsigned all = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  if (first == 0 && lanes == all) return x;
  llvm::SmallVector<int, 64> mask;
  for (unsigned i = first; i < first + lanes; ++i)
    mask.push_back(static_cast<int>(std::min(i, all - 1)));
  return b.CreateShuffleVector(x, mask);
}

V joined(llvm::IRBuilder<>& b, llvm::SmallVector<V, 8> parts, unsigned lanes) {
  while (parts.size() > 1) {
    llvm::SmallVector<V, 8> pairs;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      const unsigned n = llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements();
      llvm::SmallVector<int, 64> mask(std::size_t{2} * n);
      std::iota(mask.begin(), mask.end(), 0);
      pairs.push_back(b.CreateShuffleVector(parts[i], parts[i + 1], mask));
    }
    parts = std::move(pairs);
  }
  return piece(b, parts[0], 0, lanes);
}

llvm::FunctionCallee Ops::library_function(ScalarOp op, ScalarType type, unsigned lanes) {
  const std::string name = std::string("Sleef_") + core::row(op).c_name +
                           (type == ScalarType::f32 ? "f" : "d") + std::to_string(lanes) +
                           accuracy(op) + machine_.math;
  llvm::Type* vector = llvm::FixedVectorType::get(register_type(b.getContext(), type), lanes);
  const llvm::SmallVector<llvm::Type*, 2> params(core::row(op).arity, vector);
  llvm::FunctionCallee callee =
      module_.getOrInsertFunction(name, llvm::FunctionType::get(vector, params, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  return callee;
}

// Always in whole registers, so that a value does not depend on the form that computes it.
V Ops::in_registers(unsigned lanes, Args args, llvm::function_ref<V(Args)> emit) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType());
  llvm::SmallVector<V, 2> pieces(args.size());
  if (!vector) {
    for (std::size_t i = 0; i < args.size(); ++i) pieces[i] = b.CreateVectorSplat(lanes, args[i]);
    return b.CreateExtractElement(emit(pieces), std::uint64_t{0});
  }
  llvm::SmallVector<V, 8> parts;
  for (unsigned first = 0; first < vector->getNumElements(); first += lanes) {
    for (std::size_t i = 0; i < args.size(); ++i) pieces[i] = piece(b, args[i], first, lanes);
    parts.push_back(emit(pieces));
  }
  return joined(b, std::move(parts), vector->getNumElements());
}

V Ops::call_library(ScalarOp op, ScalarType type, Args args) {
  if (*core::row(op).c_name == '\0')
    throw InternalError(std::string("the cpu target has no operation ") + core::row(op).name);
  const unsigned lanes = machine_.lanes(detail::size_in_bytes(type));
  const llvm::FunctionCallee callee = library_function(op, type, lanes);
  return in_registers(lanes, args, [&](Args parts) -> V {
    return b.CreateCall(callee, llvm::ArrayRef(parts.data(), parts.size()));
  });
}

// SLEEF handles a whole vector as its largest number requires, and then rounds the others
// differently. Here each range of numbers has its own call, which sees no numbers of other ranges
// in its lanes: a value does not depend on its neighbours.
V Ops::trigonometric(ScalarOp op, ScalarType type, V x) {
  // Where SLEEF's functions begin to reduce their arguments in another way.
  static constexpr double narrow_starts[] = {0, 125}, wide_starts[] = {0, 15, 1e14};
  const auto starts = type == ScalarType::f32 ? std::span<const double>(narrow_starts)
                                              : std::span<const double>(wide_starts);
  const unsigned lanes = machine_.lanes(detail::size_in_bytes(type));
  const llvm::FunctionCallee callee = library_function(op, type, lanes);
  V args[] = {x};
  return in_registers(lanes, args, [&](Args part) {
    V magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, part[0]);
    // NaN takes this branch, too.
    V large = b.CreateFCmpUGE(magnitude, float_like(part[0], starts[1]));
    return branch(
        any_of(large), llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights(),
        [&] { return range_by_range(callee, part[0], magnitude, starts); },
        [&]() -> V { return b.CreateCall(callee, {part[0]}); });
  });
}

V Ops::range_by_range(llvm::FunctionCallee callee, V x, V magnitude,
                      std::span<const double> starts) {
  V result = float_like(x, 0);
  V from_here = b.CreateFCmpUGE(magnitude, result);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    V here = from_here;
    if (i + 1 < starts.size()) {
      from_here = b.CreateFCmpUGE(magnitude, float_like(x, starts[i + 1]));
      here = b.CreateAnd(here, b.CreateNot(from_here));
    }
    const auto call = [&]() -> V {
      V own = b.CreateSelect(here, x, float_like(x, starts[i]));
      return b.CreateSelect(here, b.CreateCall(callee, {own}), result);
    };
    result = branch(any_of(here), nullptr, call, [&] { return result; });
  }
  return result;
}

// A 14-bit estimate and one Newton step with fused products: within 1 ulp, at a third of the cost
// of a root and a division.
V Ops::reciprocal_root(ScalarType type, V x) {
  if (type != ScalarType::f32 || !estimates_roots())
    return b.CreateFDiv(float_like(x, 1), b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  V y = estimated_root(x);
  V rest = fused(b.CreateFNeg(b.CreateFMul(x, y)), y, float_like(x, 1));
  return with_exact_limits(fused(b.CreateFMul(y, float_like(x, 0.5)), rest, y), x);
}

V Ops::estimated_root(V x) {
  V args[] = {x};
  return in_registers(16, args, [&](Args part) -> V {
    V nothing = llvm::Constant::getNullValue(part[0]->getType());
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_rsqrt14_ps_512, {},
                             {part[0], nothing, b.getInt16(0xffff)});
  });
}

// With e = 1 - x y^2, the n-th power of the root is y^n (1 + n/2 e + ...), whose next term is
// beyond single precision for n = 3. At zeros and infinity, and where y^2 overflows, e is no number
// or infinite, but the power of the estimate is exact: any factor near 1 will do. A maximum inserts
// one, since it is its second operand where the first is no number.
V Ops::correction(V x, V estimate, unsigned exponent) {
  V rest = fused(b.CreateFNeg(b.CreateFMul(estimate, estimate)), x, float_like(x, 1));
  V factor = fused(rest, float_like(x, exponent / 2.0), float_like(x, 1));
  V least = float_like(x, 1 - 0x1p-12);  // e is above -2^-13
  return b.CreateSelect(b.CreateFCmpOGT(factor, least), factor, least);
}

// At zeros and infinity a Newton step yields NaN. One instruction inserts the limits there; a
// comparison and a blend would add two instructions to a chain of six.
V Ops::with_exact_limits(V root, V x) {
  constexpr std::uint32_t zero = 2, positive_infinity = 5;  // classes of x, four bits of table each
  constexpr std::uint32_t to_infinity_signed = 0x6, to_zero = 0x8;
  constexpr std::uint32_t limits =
      to_infinity_signed << (4 * zero) | to_zero << (4 * positive_infinity);
  constexpr std::uint32_t all_lanes = 0xffff, current_rounding = 4;
  V args[] = {root, x};
  return in_registers(16, args, [&](Args part) -> V {
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_fixupimm_ps_512, {},
                             {part[0], part[1], b.CreateVectorSplat(16, b.getInt32(limits)),
                              b.getInt32(0), b.getInt16(all_lanes), b.getInt32(current_rounding)});
  });
}

}  // namespace hasten::backends::cpu
