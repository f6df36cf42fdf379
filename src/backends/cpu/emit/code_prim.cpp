// Operations of the table on values in their three forms.
#include "backends/cpu/emit/code.hpp"

#include "core/scalar_ops.hpp"

#include <llvm/IR/Constants.h>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

// 0, step, 2 step, ... as a vector.
V LaneCode::offsets(V step) {
  llvm::SmallVector<llvm::Constant*, 64> numbers;
  for (unsigned i = 0; i < lanes_; ++i)
    numbers.push_back(llvm::ConstantInt::get(step->getType(), i));
  return b.CreateMul(llvm::ConstantVector::get(numbers), b.CreateVectorSplat(lanes_, step));
}

Affine LaneCode::as_affine(const Lanes& form) {
  if (const auto* linear = std::get_if<Affine>(&form)) return *linear;
  V value = std::get<Uniform>(form).value;
  return {value, constant_like(value, 0)};
}

// Sums, differences and multiples of steps are steps, and so is what fits into fewer bits.
bool LaneCode::affine_prim(const Prim& p, Value result) {
  bool some = false;
  for (Value arg : p.args) {
    if (std::holds_alternative<Varying>(values_[arg])) return false;
    some |= std::holds_alternative<Affine>(values_[arg]);
  }
  if (!some) return false;
  const Affine x = as_affine(values_[p.args[0]]);
  switch (p.op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul: return affine_sum(p, result);
    case ScalarOp::neg: set(result, Affine{b.CreateNeg(x.base), b.CreateNeg(x.step)}); return true;
    case ScalarOp::cast: {
      llvm::Type* to = register_type(b.getContext(), type(result));
      if (!detail::is_integral(type(result)) ||
          detail::size_in_bytes(type(result)) > detail::size_in_bytes(type(p.args[0])))
        return false;
      set(result, Affine{b.CreateTrunc(x.base, to), b.CreateTrunc(x.step, to)});
      return true;
    }
    default: return false;
  }
}

bool LaneCode::affine_sum(const Prim& p, Value result) {
  const Affine x = as_affine(values_[p.args[0]]), y = as_affine(values_[p.args[1]]);
  if (p.op == ScalarOp::add) {
    set(result, Affine{b.CreateAdd(x.base, y.base), b.CreateAdd(x.step, y.step)});
  } else if (p.op == ScalarOp::sub) {
    set(result, Affine{b.CreateSub(x.base, y.base), b.CreateSub(x.step, y.step)});
  } else {
    const bool left = std::holds_alternative<Affine>(values_[p.args[0]]);
    if (left && std::holds_alternative<Affine>(values_[p.args[1]])) return false;
    const Affine& linear = left ? x : y;
    V factor = left ? y.base : x.base;
    set(result, Affine{b.CreateMul(linear.base, factor), b.CreateMul(linear.step, factor)});
  }
  return true;
}

void LaneCode::prim(const Prim& p, Value result) {
  if (affine_prim(p, result)) return;
  llvm::SmallVector<ScalarType, 3> types;
  for (Value arg : p.args) types.push_back(type(arg));
  bool uniform = true;
  for (Value arg : p.args) uniform &= std::holds_alternative<Uniform>(values_[arg]);
  llvm::SmallVector<V, 3> args;
  for (std::size_t i = 0; i < p.args.size(); ++i) {
    const bool condition = p.op == ScalarOp::select && i == 0;
    const auto* same = std::get_if<Uniform>(&values_[p.args[i]]);
    args.push_back(uniform || (condition && same) ? same->value : vector(p.args[i]));
  }
  ops.may_branch = mask == nullptr;
  V x = ops.apply(p.op, type(result), types, args);
  set(result, uniform ? Lanes(Uniform{x}) : limited(p, x));
}

// Clamped indices (KernelBuilder::clamped_index) are neighbours but in the vectors at a border.
Lanes LaneCode::limited(const Prim& p, V value) {
  const auto in_words = [&](Value v) { return detail::size_in_bytes(type(v)) == 8; };
  if (p.op == ScalarOp::cast && in_words(p.args[0]) && value->getType()->isIntOrIntVectorTy(64)) {
    const auto* from = std::get_if<Varying>(&values_[p.args[0]]);
    return from ? Varying{value, from->first, from->fits} : Varying{value};
  }
  if (p.args.size() != 2) return Varying{value};
  for (const std::size_t i : {0, 1}) {
    const auto* bound = std::get_if<Uniform>(&values_[p.args[1 - i]]);
    if (!bound) continue;
    const auto* index = std::get_if<Affine>(&values_[p.args[i]]);
    if (p.op == ScalarOp::min && index && type(p.args[i]) == ScalarType::u64) {
      const auto* step = llvm::dyn_cast<llvm::ConstantInt>(index->step);
      if (!step || !step->isOne()) continue;
      V last = b.CreateAdd(index->base, i64(lanes_ - 1));
      V fits =
          b.CreateAnd(b.CreateICmpSGE(index->base, i64(0)), b.CreateICmpULE(last, bound->value));
      return Varying{value, index->base, fits};
    }
    const auto* sum = std::get_if<Varying>(&values_[p.args[i]]);
    if (p.op == ScalarOp::add && sum && sum->first)
      return Varying{value, b.CreateAdd(sum->first, bound->value), sum->fits};
  }
  return Varying{value};
}

}  // namespace hasten::backends::cpu
