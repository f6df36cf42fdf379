// Arithmetic on terms of indices and extents.
#pragma once

#include <hasten/detail/terms/scalar.hpp>

namespace hasten::detail::i64 {

inline Term literal(std::int64_t value) { return i64_term(value, LiteralMode::baked); }

inline Term add(const Term& a, const Term& b) {
  return prim_of(ScalarOp::add, ScalarType::i64, {a, b});
}
inline Term sub(const Term& a, const Term& b) {
  return prim_of(ScalarOp::sub, ScalarType::i64, {a, b});
}
inline Term mul(const Term& a, const Term& b) {
  return prim_of(ScalarOp::mul, ScalarType::i64, {a, b});
}
inline Term mod(const Term& a, const Term& b) {
  return prim_of(ScalarOp::mod, ScalarType::i64, {a, b});
}
inline Term min(const Term& a, const Term& b) {
  return prim_of(ScalarOp::min, ScalarType::i64, {a, b});
}
inline Term max(const Term& a, const Term& b) {
  return prim_of(ScalarOp::max, ScalarType::i64, {a, b});
}
inline Term not_negative(const Term& a) { return max(a, literal(0)); }

/// A comparison.
inline Term compare(ScalarOp op, const Term& a, const Term& b) {
  return prim_of(op, ScalarType::boolean, {a, b});
}
inline Term equal(const Term& a, const Term& b) { return compare(ScalarOp::eq, a, b); }

}  // namespace hasten::detail::i64

namespace hasten::detail {

inline Term both(const Term& a, const Term& b) {
  return prim_of(ScalarOp::and_, ScalarType::boolean, {a, b});
}

}  // namespace hasten::detail
