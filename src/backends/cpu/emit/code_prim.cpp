// Operations of the table on values in their three forms.
#include "backends/cpu/emit/code.hpp"

#include "core/scalar_ops.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

std::int64_t known_step(const Affine& index) {
  const auto* step = llvm::dyn_cast<llvm::ConstantInt>(index.step);
  return step ? step->getSExtValue() : INT64_MIN;
}

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

// Sums, differences and multiples of affine values are affine, as are casts to narrower integers.
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
      if (affine_float(p, x, result)) return true;
      llvm::Type* to = register_type(b.getContext(), type(result));
      if (!detail::is_integral(type(result)) ||
          detail::size_in_bytes(type(result)) > detail::size_in_bytes(type(p.args[0])))
        return false;
      set(result, Affine{b.CreateTrunc(x.base, to), b.CreateTrunc(x.step, to)});
      return true;
    }
    default: return affine_quotient(p, result);
  }
}

// Indices of elements, nearly always, have 32 bits, whose conversion is an instruction of every
// processor. Vectors of 64 bits are converted one by one without AVX-512, and half a vector at a
// time with it.
bool LaneCode::affine_float(const Prim& p, const Affine& x, Value result) {
  constexpr std::int64_t step_max = std::int64_t{1} << 16;
  const std::int64_t step = known_step(x);
  const bool is_float = type(result) == ScalarType::f32 || type(result) == ScalarType::f64;
  if (!is_float || type(p.args[0]) != ScalarType::i64 || step == 0 || std::abs(step) > step_max)
    return false;
  llvm::Type* const narrow = b.getInt32Ty();
  const auto fits = [&](V i) {
    return b.CreateICmpEQ(b.CreateSExt(b.CreateTrunc(i, narrow), b.getInt64Ty()), i);
  };
  V last = b.CreateAdd(x.base, i64(step * (static_cast<std::int64_t>(lanes_) - 1)));
  V converted = mostly(
      b.CreateAnd(fits(x.base), fits(last)),
      [&] {
        V first = b.CreateVectorSplat(lanes_, b.CreateTrunc(x.base, narrow));
        V all = b.CreateAdd(first, offsets(constant_like(b.CreateTrunc(x.base, narrow), step)));
        return b.CreateSIToFP(all, lane_type(type(result)));
      },
      [&] { return applied(p, result, vector(p.args[0])); });
  set(result, Varying{converted});
  return true;
}

namespace {

// The sum of the constants that were added to `from`, one after the other, to give x.
std::optional<std::int64_t> distance(V x, V from) {
  std::int64_t sum = 0;
  while (x != from) {
    V term = nullptr;
    const llvm::APInt* constant = nullptr;
    const bool adds = llvm::PatternMatch::match(
        x, llvm::PatternMatch::m_Add(llvm::PatternMatch::m_Value(term),
                                     llvm::PatternMatch::m_APInt(constant)));
    if (!adds && !llvm::PatternMatch::match(
                     x, llvm::PatternMatch::m_Sub(llvm::PatternMatch::m_Value(term),
                                                  llvm::PatternMatch::m_APInt(constant))))
      return std::nullopt;
    sum += adds ? constant->getSExtValue() : -constant->getSExtValue();
    x = term;
  }
  return sum;
}

// 0 if it is not known: the divisor of quotients and remainders, 2^k of shifts and masks.
std::int64_t known_divisor(ScalarOp op, V y) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(y);
  const std::int64_t by = constant ? constant->getSExtValue() : 0;
  if (by <= 0) return 0;
  switch (op) {
    case ScalarOp::quot:
    case ScalarOp::rem:
    case ScalarOp::idiv:
    case ScalarOp::mod: return by;
    case ScalarOp::and_: return (by & (by + 1)) == 0 ? by + 1 : 0;
    case ScalarOp::shr: return by < 6 ? std::int64_t{1} << by : 0;
    default: return 0;
  }
}

}  // namespace

// With m = apart_lanes->multiple, lane l holds (m + l) * step + k. If y divides the step, the floor
// of the quotient by y is (m + l) * (step / y) + floor(k / y), and the remainder is that of k.
// Quotients towards zero, and those of unsigned numbers, are the same for k >= 0, as m is not
// negative.
bool LaneCode::affine_quotient(const Prim& p, Value result) {
  if (!apart_lanes || p.args.size() != 2) return false;
  const auto* x = std::get_if<Affine>(&values_[p.args[0]]);
  const auto* y = std::get_if<Uniform>(&values_[p.args[1]]);
  const std::int64_t step = apart_lanes->step;
  if (!x || !y || known_step(*x) != step || !x->base->getType()->isIntegerTy(64)) return false;
  const std::int64_t by = known_divisor(p.op, y->value);
  const std::optional<std::int64_t> k = distance(x->base, apart_lanes->first);
  const bool is_floor =
      p.op == ScalarOp::and_ ||
      (p.op != ScalarOp::quot && p.op != ScalarOp::rem && detail::is_signed_int(type(p.args[0])));
  if (by == 0 || step % by != 0 || !k || (*k < 0 && !is_floor)) return false;
  const std::int64_t remainder = (*k % by + by) % by, floor = (*k - remainder) / by;
  if (p.op == ScalarOp::quot || p.op == ScalarOp::idiv || p.op == ScalarOp::shr) {
    V quotient = b.CreateMul(apart_lanes->multiple, i64(step / by));
    set(result, Affine{b.CreateAdd(quotient, i64(floor)), i64(step / by)});
  } else {
    set(result, Uniform{i64(remainder)});
  }
  return true;
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
  bool uniform = true;
  for (Value arg : p.args) uniform &= std::holds_alternative<Uniform>(values_[arg]);
  llvm::SmallVector<V, 3> args;
  for (std::size_t i = 0; i < p.args.size(); ++i) {
    const bool condition = p.op == ScalarOp::select && i == 0;
    const auto* same = std::get_if<Uniform>(&values_[p.args[i]]);
    args.push_back(uniform || (condition && same) ? same->value : nullptr);
  }
  if (uniform) return set(result, Uniform{applied(p, result, args)});
  const Near found = near(p, result);
  const auto in_all_lanes = [&] {
    for (std::size_t i = 0; i < args.size(); ++i)
      if (!args[i]) args[i] = vector(p.args[i]);
    return applied(p, result, args);
  };
  V x = found.first && !mask && row(p.op).partial
            ? mostly(
                  found.fits, [&] { return near_vector(found, lane_type(type(result))); },
                  in_all_lanes)
            : in_all_lanes();
  set(result, Varying{x, found});
}

V LaneCode::applied(const Prim& p, Value result, llvm::ArrayRef<V> args) {
  if (root_powers_ && p.op == ScalarOp::mul)
    if (const auto power = root_powers_->completed_by(result); power && root_argument(power->root))
      return root_power(*power, !args[0]->getType()->isVectorTy());
  llvm::SmallVector<ScalarType, 3> types;
  for (Value arg : p.args) types.push_back(type(arg));
  ops.may_branch = mask == nullptr;
  V x = ops.apply(p.op, type(result), types, args);
  if (root_powers_ && p.op == ScalarOp::rsqrt) roots_[result] = {x, args[0]};
  return x;
}

// Null if the root was not computed here: it may wait in memory, or be a parameter.
V LaneCode::root_argument(Value root) const {
  const auto found = roots_.find(root);
  if (found == roots_.end()) return nullptr;
  const auto* const same = std::get_if<Uniform>(&values_[root]);
  const auto* const varying = std::get_if<Varying>(&values_[root]);
  V now = same ? same->value : varying ? varying->value : nullptr;
  return now == found->second.first ? found->second.second : nullptr;
}

// The root and the factors have been emitted, too; as nothing else needs them, they are dead code.
V LaneCode::root_power(const kernels::RootPower& power, bool uniform) {
  const auto lanes_of = [&](Value v) { return uniform ? scalar(v) : vector(v); };
  V x = root_argument(power.root);
  if (!uniform && !x->getType()->isVectorTy()) x = b.CreateVectorSplat(lanes_, x);
  V estimate = ops.estimated_root(x);
  V product = b.CreateFMul(estimate, estimate), single = power.exponent == 3 ? estimate : nullptr;
  for (const Value v : power.others)
    single = single ? b.CreateFMul(single, lanes_of(v)) : lanes_of(v);
  if (single) product = b.CreateFMul(single, product);
  return b.CreateFMul(product, ops.correction(x, estimate, power.exponent));
}

// -- what indices are in most vectors -------------------------------------------------------------

constexpr std::int64_t steps_most = 8;

// Nothing, if the value is not a 64-bit integer and not the same in all lanes.
Near LaneCode::as_near(Value v) const {
  if (const auto* same = std::get_if<Uniform>(&values_[v]))
    return {same->value, llvm::ConstantInt::getTrue(b.getContext()), 0};
  if (const auto* varying = std::get_if<Varying>(&values_[v])) return varying->near;
  const auto& index = std::get<Affine>(values_[v]);
  const std::int64_t step = known_step(index);
  if (step < -steps_most || step > steps_most || !index.base->getType()->isIntegerTy(64)) return {};
  return {index.base, llvm::ConstantInt::getTrue(b.getContext()), step};
}

V LaneCode::last(const Near& x) {
  if (x.step == 0) return x.first;
  if (!tail_) return b.CreateAdd(x.first, i64(x.step * ((lanes_ - 1) >> x.shift)));
  V lane = b.CreateLShr(b.CreateSub(tail_, i64(1)), i64(x.shift));
  return b.CreateAdd(x.first, b.CreateMul(lane, i64(x.step)));
}

V LaneCode::near_vector(const Near& x, llvm::Type* type) {
  auto* vector = llvm::cast<llvm::FixedVectorType>(type);
  V first = b.CreateVectorSplat(vector->getElementCount(), x.first);
  if (x.step == 0) return first;
  V further = offsets(i64(x.step));
  if (x.shift > 0) further = b.CreateLShr(further, constant_like(further, x.shift));
  return b.CreateAdd(first, further);
}

// Rules for the operations that indices are made of: sums, limits, the row and column of a flat
// index (quotients, remainders, shifts, masks), flipped bits; and for their comparisons.
Near LaneCode::near(const Prim& p, Value result) {
  const auto in_words = [&](Value v) {
    return detail::is_integral(type(v)) && detail::size_in_bytes(type(v)) == 8;
  };
  const bool is_bool = detail::is_bool(type(result));
  if (!is_bool && !in_words(result)) return {};
  if (p.op == ScalarOp::cast) return !is_bool && in_words(p.args[0]) ? as_near(p.args[0]) : Near{};
  if (p.op == ScalarOp::select && !is_bool) return near_chosen(p);
  if (p.args.size() != 2 || (is_bool && !in_words(p.args[0]))) return near_of_same(p, result);
  // The operand that is not the same in all lanes, if there is one.
  const std::size_t moving = std::holds_alternative<Uniform>(values_[p.args[0]]) ? 1 : 0;
  const Near x = as_near(p.args[moving]), y = as_near(p.args[1 - moving]);
  if (!x.first || !y.first) return {};
  const bool is_one = std::holds_alternative<Uniform>(values_[p.args[1 - moving]]);
  switch (p.op) {
    case ScalarOp::add: return near_sum(p.op, x, y);
    case ScalarOp::sub: return moving == 0 ? near_sum(p.op, x, y) : near_sum(p.op, y, x);
    case ScalarOp::mul: return is_one ? near_multiple(x, y.first) : Near{};
    case ScalarOp::min:
      if (is_one && type(result) == ScalarType::u64) return limited(x, y.first);
      [[fallthrough]];
    case ScalarOp::max:
      return is_one && type(result) == ScalarType::i64 ? limited(p.op, x, y.first) : Near{};
    case ScalarOp::xor_: return is_one ? flipped(x, y.first) : Near{};
    case ScalarOp::shr:
    case ScalarOp::quot:
    case ScalarOp::rem:
    case ScalarOp::idiv:
    case ScalarOp::mod:
      return is_one && moving == 0 ? near_between(p, result, x, y.first, moving) : Near{};
    case ScalarOp::and_:
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::gt:
    case ScalarOp::ge: return is_one ? near_between(p, result, x, y.first, moving) : Near{};
    default: return near_of_same(p, result);
  }
}

// A select of neighbours for which all lanes choose alike, as in a rotation everywhere but where it
// wraps around.
Near LaneCode::near_chosen(const Prim& p) {
  const Near chosen = as_near(p.args[0]), x = as_near(p.args[1]), y = as_near(p.args[2]);
  const bool is_known = chosen.first && chosen.step == 0 && x.first && y.first &&
                        x.step == y.step && x.shift == y.shift && !chosen.swaps && !x.swaps &&
                        !y.swaps;
  if (!is_known) return {};
  V fits = b.CreateAnd(chosen.fits, b.CreateAnd(x.fits, y.fits));
  const bool is_limit = chosen.is_limit || x.is_limit || y.is_limit;
  return {b.CreateSelect(chosen.first, x.first, y.first), fits, x.step, nullptr, is_limit, x.shift};
}

// An operation on numbers that are each the same in all lanes.
Near LaneCode::near_of_same(const Prim& p, Value result) {
  V fits = b.getTrue();
  llvm::SmallVector<V, 3> firsts;
  bool is_limit = false;
  for (const Value arg : p.args) {
    const Near x = as_near(arg);
    if (!x.first || x.step != 0 || x.swaps) return {};
    firsts.push_back(x.first);
    fits = b.CreateAnd(fits, x.fits);
    is_limit |= x.is_limit;
  }
  return {applied(p, result, firsts), fits, 0, nullptr, is_limit};
}

Near LaneCode::near_sum(ScalarOp op, const Near& x, const Near& y) {
  const bool adds = op == ScalarOp::add;
  if (y.swaps) return adds && !x.swaps ? near_sum(op, y, x) : Near{};
  if (y.shift > 0) return adds && x.step == 0 ? near_sum(op, y, x) : Near{};
  if (x.shift > 0 && y.step != 0) return {};
  const std::int64_t step = adds ? x.step + y.step : x.step - y.step;
  if ((x.swaps && y.step != 0) || step < -steps_most || step > steps_most) return {};
  V first = adds ? b.CreateAdd(x.first, y.first) : b.CreateSub(x.first, y.first);
  return {first, b.CreateAnd(x.fits, y.fits), step, x.swaps, x.is_limit || y.is_limit, x.shift};
}

Near LaneCode::near_multiple(const Near& x, V y) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(y);
  const std::int64_t by = known ? known->getSExtValue() : 0;
  if (std::abs(by) > steps_most || std::abs(x.step * by) > steps_most || x.swaps || x.shift > 0)
    return {};
  if (by == 0 && x.step != 0) return {};
  return {b.CreateMul(x.first, y), x.fits, x.step * by, nullptr, x.is_limit};
}

namespace {

// Whether rows of y elements are known to be shorter than what the lanes span: then no vector lies
// within one row.
bool are_short(ScalarOp op, V y, std::int64_t span) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(y);
  if (!known || known->getBitWidth() > 64) return false;
  const std::uint64_t number = known->getZExtValue(), lanes = static_cast<std::uint64_t>(span);
  switch (op) {
    case ScalarOp::quot:
    case ScalarOp::rem:
    case ScalarOp::idiv:
    case ScalarOp::mod: return number > 0 && number < lanes;
    case ScalarOp::and_: return number + 1 < lanes;
    case ScalarOp::shr: return number < 6 && (1U << number) < lanes;
    default: return false;
  }
}

}  // namespace

// For operands in order the two ends decide: quotients and comparisons are the same in all lanes if
// they are the same at both ends, and remainders of neighbours are neighbours if the remainders of
// the ends are as far apart as the ends.
Near LaneCode::near_between(const Prim& p, Value result, const Near& x, V y, std::size_t moving) {
  if (x.step == 0 && !x.swaps) return near_of_same(p, result);
  if (x.step < 1 || x.swaps || x.shift > 0) return {};
  if (are_short(p.op, y, x.step * lanes_))
    return p.op == ScalarOp::shr && x.step == 1 ? near_shifted(p, result, x, y) : Near{};
  const bool is_remainder =
      p.op == ScalarOp::rem || p.op == ScalarOp::mod || p.op == ScalarOp::and_;
  const auto at = [&](V moved) {
    return moving == 0 ? applied(p, result, {moved, y}) : applied(p, result, {y, moved});
  };
  V end = last(x), first = at(x.first), second = at(end);
  V in_order = detail::is_signed_int(type(p.args[0])) ? b.CreateICmpSLT(x.first, end)
                                                      : b.CreateICmpULT(x.first, end);
  V fits = b.CreateAnd(x.fits, in_order);
  if (p.op == ScalarOp::and_)  // y is 2^k - 1: the remainder by 2^k
    fits = b.CreateAnd(fits, b.CreateICmpEQ(b.CreateAnd(y, b.CreateAdd(y, i64(1))), i64(0)));
  V as_far = is_remainder ? b.CreateICmpEQ(b.CreateSub(second, first), b.CreateSub(end, x.first))
                          : b.CreateICmpEQ(first, second);
  return {first, b.CreateAnd(fits, as_far), is_remainder ? x.step : 0, nullptr, x.is_limit};
}

// For rows shorter than a vector: from a multiple of 2^k on, (first + l) >> k repeats each value
// 2^k times.
Near LaneCode::near_shifted(const Prim& p, Value result, const Near& x, V y) {
  const auto k = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(y)->getZExtValue());
  V low = b.CreateAnd(x.first, i64((std::int64_t{1} << k) - 1));
  V fits = b.CreateAnd(x.fits, b.CreateICmpEQ(low, i64(0)));
  return {applied(p, result, {x.first, y}), fits, 1, nullptr, x.is_limit, k};
}

// In (first + l) ^ bits, the bits below the number of lanes reorder neighbours, and the higher ones
// select which neighbours they are, if `first` is a multiple of the number of lanes.
Near LaneCode::flipped(const Near& x, V bits) {
  if (x.step != 1 || x.swaps || x.shift > 0) return {};
  V low = i64(lanes_ - 1);
  V is_aligned = b.CreateICmpEQ(b.CreateAnd(x.first, low), i64(0));
  V first = b.CreateXor(x.first, b.CreateAnd(bits, b.CreateNot(low)));
  return {first, b.CreateAnd(x.fits, is_aligned), 1, b.CreateAnd(bits, low), x.is_limit};
}

// Clamped indices (KernelBuilder::clamped_index) equal the unclamped ones except in vectors at a
// border.
Near LaneCode::limited(const Near& x, V bound) {
  V low = x.first, high = last(x);
  if (x.step < 0) std::swap(low, high);
  V is_within = b.CreateAnd(b.CreateICmpSGE(low, i64(0)), b.CreateICmpULE(high, bound));
  const bool is_plain = llvm::isa<llvm::ConstantInt>(x.fits);
  const bool is_limit = x.is_limit || is_plain;
  return {x.first, b.CreateAnd(x.fits, is_within), x.step, x.swaps, is_limit, x.shift};
}

// Limits that a program states, at one end.
Near LaneCode::limited(ScalarOp op, const Near& x, V bound) {
  V low = x.first, high = last(x);
  if (x.step < 0) std::swap(low, high);
  V is_within = op == ScalarOp::min ? b.CreateICmpSLE(high, bound) : b.CreateICmpSGE(low, bound);
  is_within = b.CreateAnd(is_within, b.CreateICmpSLE(low, high));  // they may wrap around
  return {x.first, b.CreateAnd(x.fits, is_within), x.step, x.swaps, true, x.shift};
}

}  // namespace hasten::backends::cpu
