// Floating functions: instructions where there are some, else SLEEF's vector functions.
#include "backends/cpu/ops.hpp"

#include <hasten/error.hpp>

#include "core/scalar_ops.hpp"

#include <cmath>
#include <numeric>

namespace hasten::backends::cpu {

using core::ScalarOp;
using core::ScalarType;
using V = llvm::Value*;

V Ops::math(ScalarOp op, ScalarType type, Args args) {
  switch (op) {
    case ScalarOp::div: return b.CreateFDiv(args[0], args[1]);
    case ScalarOp::sqrt: return intrinsic(llvm::Intrinsic::sqrt, args);
    case ScalarOp::rsqrt:
      return b.CreateFDiv(float_like(args[0], 1), intrinsic(llvm::Intrinsic::sqrt, args));
    case ScalarOp::floor: return intrinsic(llvm::Intrinsic::floor, args);
    case ScalarOp::ceil: return intrinsic(llvm::Intrinsic::ceil, args);
    case ScalarOp::trunc: return intrinsic(llvm::Intrinsic::trunc, args);
    case ScalarOp::nearbyint: return intrinsic(llvm::Intrinsic::nearbyint, args);
    case ScalarOp::round: return round_away(args[0]);
    case ScalarOp::copysign: return intrinsic(llvm::Intrinsic::copysign, args);
    case ScalarOp::fma: return intrinsic(llvm::Intrinsic::fma, args);
    default: return call_library(op, type, args);
  }
}

// Halves go away from zero: adding the number before 0.5 cannot carry one less than a half over.
V Ops::round_away(V x) {
  const bool wide = x->getType()->getScalarType()->isDoubleTy();
  const double below_half =
      wide ? std::nextafter(0.5, 0.0) : static_cast<double>(std::nextafter(0.5F, 0.0F));
  V half = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, float_like(x, below_half), x);
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, b.CreateFAdd(x, half));
}

namespace {

// What SLEEF calls its most accurate version, in units of the last place.
const char* accuracy(ScalarOp op) {
  if (op == ScalarOp::erfc) return "_u15";
  if (op == ScalarOp::hypot) return "_u05";
  return op == ScalarOp::fmod ? "_" : "_u10";
}

// A vector of `lanes` lanes starting at `first`; lanes beyond the end repeat the last one.
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

}  // namespace

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

// Always in whole registers, so that a value does not depend on the form it is computed in.
V Ops::call_library(ScalarOp op, ScalarType type, Args args) {
  if (*core::row(op).c_name == '\0')
    throw InternalError(std::string("the cpu target has no operation ") + core::row(op).name);
  const unsigned lanes = machine_.lanes(detail::size_in_bytes(type));
  const llvm::FunctionCallee callee = library_function(op, type, lanes);
  if (args[0]->getType()->isVectorTy()) return call_registers(callee, lanes, args);
  llvm::SmallVector<V, 2> splats;
  for (V arg : args) splats.push_back(b.CreateVectorSplat(lanes, arg));
  return b.CreateExtractElement(b.CreateCall(callee, splats), std::uint64_t{0});
}

V Ops::call_registers(llvm::FunctionCallee callee, unsigned lanes, Args args) {
  const unsigned all = llvm::cast<llvm::FixedVectorType>(args[0]->getType())->getNumElements();
  llvm::SmallVector<V, 8> parts;
  for (unsigned first = 0; first < all; first += lanes) {
    llvm::SmallVector<V, 2> pieces;
    for (V arg : args) pieces.push_back(piece(b, arg, first, lanes));
    parts.push_back(b.CreateCall(callee, pieces));
  }
  return joined(b, std::move(parts), all);
}

}  // namespace hasten::backends::cpu
