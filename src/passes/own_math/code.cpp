// Each operator appends one statement, and one more for a constant: the simplifier shares them.
#include "passes/own_math/code.hpp"

#include <bit>
#include <utility>

namespace hasten::passes::math {

using core::ScalarOp;
using core::ScalarType;
using core::Value;

Value Code::constant(ScalarType type, std::uint64_t bits) {
  const Value result = program_.new_value(type);
  out_->push_back({{result}, core::Constant{{bits, 0}, core::none}});
  return result;
}

Value Code::apply(ScalarOp op, ScalarType result, std::vector<Value> args) {
  const Value value = program_.new_value(result);
  out_->push_back({{value}, core::Prim{op, std::move(args)}});
  return value;
}

std::vector<Value> Code::unless(Value condition, core::FunctionRef<std::vector<Value>()> rare,
                                const std::vector<Value>& usual) {
  core::If branch{condition, {}, {{}, {}, usual}};
  std::vector<core::Stmt>* const around = std::exchange(out_, &branch.then_.body);
  branch.then_.results = rare();
  out_ = around;
  std::vector<Value> results;
  for (const Value v : usual) results.push_back(program_.new_value(program_.value_types[v]));
  out_->push_back({results, std::move(branch)});
  return results;
}

std::vector<Value> Code::once(const char* name, Value of,
                              core::FunctionRef<std::vector<Value>()> make) {
  const std::pair<std::string_view, Value> key{name, of};
  const auto found = made_.find(key);
  return found != made_.end() ? found->second : made_[key] = make();
}

// -- truths ---------------------------------------------------------------------------------------

namespace {

Truth truth(Code* code, ScalarOp op, std::vector<Value> args) {
  return {code, code->apply(op, ScalarType::boolean, std::move(args))};
}
Whole whole(Code* code, ScalarOp op, std::vector<Value> args) {
  return {code, code->apply(op, ScalarType::u64, std::move(args))};
}
Real number(Code* code, ScalarOp op, std::vector<Value> args) {
  return {code, code->apply(op, ScalarType::f64, std::move(args))};
}

}  // namespace

Truth operator&(Truth a, Truth b) { return truth(a.code, ScalarOp::and_, {a.value, b.value}); }
Truth operator|(Truth a, Truth b) { return truth(a.code, ScalarOp::or_, {a.value, b.value}); }
Truth operator!(Truth a) { return truth(a.code, ScalarOp::not_, {a.value}); }

// -- whole numbers --------------------------------------------------------------------------------

Whole whole_like(Whole a, std::uint64_t x) {
  return {a.code, a.code->constant(ScalarType::u64, x)};
}
Whole operator+(Whole a, Whole b) { return whole(a.code, ScalarOp::add, {a.value, b.value}); }
Whole operator+(Whole a, std::uint64_t b) { return a + whole_like(a, b); }
Whole operator-(Whole a, Whole b) { return whole(a.code, ScalarOp::sub, {a.value, b.value}); }
Whole operator-(Whole a, std::uint64_t b) { return a - whole_like(a, b); }
Whole operator*(Whole a, Whole b) { return whole(a.code, ScalarOp::mul, {a.value, b.value}); }
Whole operator*(Whole a, std::uint64_t b) { return a * whole_like(a, b); }
Whole operator&(Whole a, std::uint64_t b) {
  return whole(a.code, ScalarOp::and_, {a.value, whole_like(a, b).value});
}
Whole operator|(Whole a, Whole b) { return whole(a.code, ScalarOp::or_, {a.value, b.value}); }
Whole operator<<(Whole a, Whole b) { return whole(a.code, ScalarOp::shl, {a.value, b.value}); }
Whole operator<<(Whole a, std::uint64_t b) { return a << whole_like(a, b); }
Whole operator>>(Whole a, Whole b) { return whole(a.code, ScalarOp::shr, {a.value, b.value}); }
Whole operator>>(Whole a, std::uint64_t b) { return a >> whole_like(a, b); }
Whole chosen(Truth condition, Whole a, Whole b) {
  return whole(a.code, ScalarOp::select, {condition.value, a.value, b.value});
}
Truth operator==(Whole a, std::uint64_t b) {
  return truth(a.code, ScalarOp::eq, {a.value, whole_like(a, b).value});
}
Whole signed_shift(Whole a, std::uint64_t b) {
  const Value number = a.code->apply(ScalarOp::bit_cast, ScalarType::i64, {a.value});
  const Value shifted =
      a.code->apply(ScalarOp::shr, ScalarType::i64, {number, a.code->constant(ScalarType::i64, b)});
  return whole(a.code, ScalarOp::bit_cast, {shifted});
}

// -- real numbers ---------------------------------------------------------------------------------

Real real_like(Real a, double x) {
  return {a.code, a.code->constant(ScalarType::f64, std::bit_cast<std::uint64_t>(x))};
}
Real operator+(Real a, Real b) { return number(a.code, ScalarOp::add, {a.value, b.value}); }
Real operator+(Real a, double b) { return a + real_like(a, b); }
Real operator+(double a, Real b) { return real_like(b, a) + b; }
Real operator-(Real a, Real b) { return number(a.code, ScalarOp::sub, {a.value, b.value}); }
Real operator-(Real a, double b) { return a - real_like(a, b); }
Real operator-(double a, Real b) { return real_like(b, a) - b; }
Real operator-(Real a) { return number(a.code, ScalarOp::neg, {a.value}); }
Real operator*(Real a, Real b) { return number(a.code, ScalarOp::mul, {a.value, b.value}); }
Real operator*(Real a, double b) { return a * real_like(a, b); }
Real operator/(Real a, Real b) { return number(a.code, ScalarOp::div, {a.value, b.value}); }
Real operator/(double a, Real b) { return real_like(b, a) / b; }
Truth operator<(Real a, Real b) { return truth(a.code, ScalarOp::lt, {a.value, b.value}); }
Truth operator<(Real a, double b) { return a < real_like(a, b); }
Truth operator>(Real a, Real b) { return truth(a.code, ScalarOp::gt, {a.value, b.value}); }
Truth operator>(Real a, double b) { return a > real_like(a, b); }
Truth operator==(Real a, Real b) { return truth(a.code, ScalarOp::eq, {a.value, b.value}); }
Truth operator==(Real a, double b) { return a == real_like(a, b); }
Real fused(Real a, Real b, Real c) {
  return number(a.code, ScalarOp::fma, {a.value, b.value, c.value});
}
Real fused(Real a, Real b, double c) { return fused(a, b, real_like(a, c)); }
Real fused(Real a, double b, Real c) { return fused(a, real_like(a, b), c); }
Real magnitude(Real a) { return number(a.code, ScalarOp::abs, {a.value}); }
Real root(Real a) { return number(a.code, ScalarOp::sqrt, {a.value}); }
Real truncated(Real a) { return number(a.code, ScalarOp::trunc, {a.value}); }
Real with_sign(Real magnitude, Real sign) {
  return number(sign.code, ScalarOp::copysign, {magnitude.value, sign.value});
}
Real chosen(Truth condition, Real a, Real b) {
  return number(a.code, ScalarOp::select, {condition.value, a.value, b.value});
}
Real chosen(Truth condition, double a, Real b) { return chosen(condition, real_like(b, a), b); }
Real chosen(Truth condition, Real a, double b) { return chosen(condition, a, real_like(a, b)); }
Real chosen(Truth condition, double a, double b) {
  const Real like{condition.code, condition.value};
  return chosen(condition, real_like(like, a), real_like(like, b));
}
Truth is_nan(Real a) { return truth(a.code, ScalarOp::is_nan, {a.value}); }
Whole bits(Real a) { return whole(a.code, ScalarOp::bit_cast, {a.value}); }
Real real(Whole bits) { return number(bits.code, ScalarOp::bit_cast, {bits.value}); }
Real signed_number(Whole a) {
  const Value number_bits = a.code->apply(ScalarOp::bit_cast, ScalarType::i64, {a.value});
  return number(a.code, ScalarOp::cast, {number_bits});
}

}  // namespace hasten::passes::math
