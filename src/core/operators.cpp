// Recognises an operator by its code: one operation of the table per leaf.
#include "core/operators.hpp"

#include <hasten/run/error.hpp>

namespace hasten::core {
namespace {

bool is_lane_operation(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::mul:
    case ScalarOp::min:
    case ScalarOp::max:
    case ScalarOp::and_:
    case ScalarOp::or_:
    case ScalarOp::xor_: return true;
    default: return false;
  }
}

// -0, 1 and infinity of a floating format.
struct FloatFormat {
  std::uint64_t minus_zero, one, infinity;
};
FloatFormat format_of(ScalarType type) {
  switch (type) {
    case ScalarType::f16: return {0x8000, 0x3c00, 0x7c00};
    case ScalarType::bf16: return {0x8000, 0x3f80, 0x7f80};
    case ScalarType::f32:
    case ScalarType::c64: return {0x80000000, 0x3f800000, 0x7f800000};
    default: return {0x8000000000000000, 0x3ff0000000000000, 0x7ff0000000000000};
  }
}

Bits of_floats(ScalarOp op, ScalarType type) {
  const FloatFormat format = format_of(type);
  switch (op) {
    case ScalarOp::add:
      return {format.minus_zero, detail::is_complex(type) ? format.minus_zero : 0};
    case ScalarOp::mul: return {format.one, 0};
    case ScalarOp::min: return {format.infinity, 0};
    case ScalarOp::max: return {format.infinity | format.minus_zero, 0};
    default: throw InternalError("core: an operation on floats without an identity");
  }
}

Bits of_integers(ScalarOp op, ScalarType type) {
  const unsigned width = 8 * static_cast<unsigned>(detail::size_in_bytes(type));
  const std::uint64_t all = ~std::uint64_t{0};
  const bool is_signed = detail::is_signed_int(type);
  // Bits are sign- or zero-extended.
  const std::uint64_t largest = is_signed ? all >> (65 - width) : all >> (64 - width);
  switch (op) {
    case ScalarOp::mul: return {1, 0};
    case ScalarOp::and_: return {is_signed ? all : all >> (64 - width), 0};
    case ScalarOp::min: return {largest, 0};
    case ScalarOp::max: return {is_signed ? ~largest : 0, 0};
    default: return {0, 0};
  }
}

}  // namespace

LaneOperator lane_operator(const Region& fn) {
  const std::size_t leaves = fn.results.size();
  LaneOperator result;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    const Value left = fn.params[leaf], right = fn.params[leaves + leaf];
    for (const Stmt& stmt : fn.body) {
      if (stmt.results.size() != 1 || stmt.results[0] != fn.results[leaf]) continue;
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (!prim || !is_lane_operation(prim->op)) return {};
      const bool both = (prim->args[0] == left && prim->args[1] == right) ||
                        (prim->args[0] == right && prim->args[1] == left);
      if (!both) return {};
      result.leaves.push_back(prim->op);
    }
    if (result.leaves.size() != leaf + 1) return {};
  }
  result.commutative = true;
  return result;
}

LaneOperator segment_operator(const Region& fn) {
  const std::size_t leaves = fn.results.size();
  if (leaves < 2) return {};
  const auto made_by = [&](Value v) -> const Prim* {
    for (const Stmt& stmt : fn.body)
      if (stmt.results.size() == 1 && stmt.results[0] == v) return std::get_if<Prim>(&stmt.op);
    return nullptr;
  };
  const auto combines = [&](const Prim* prim, std::size_t leaf) {
    const Value left = fn.params[leaf], right = fn.params[leaves + leaf];
    return prim && is_lane_operation(prim->op) &&
           ((prim->args[0] == left && prim->args[1] == right) ||
            (prim->args[0] == right && prim->args[1] == left));
  };
  const Prim* begins = made_by(fn.results[0]);
  if (!combines(begins, 0) || begins->op != ScalarOp::or_) return {};
  LaneOperator result{false, {ScalarOp::or_}, true};
  for (std::size_t leaf = 1; leaf < leaves; ++leaf) {
    const Prim* choice = made_by(fn.results[leaf]);
    if (!choice || choice->op != ScalarOp::select || choice->args[0] != fn.params[leaves] ||
        choice->args[1] != fn.params[leaves + leaf])
      return {};
    const Prim* both = made_by(choice->args[2]);
    if (!combines(both, leaf)) return {};
    result.leaves.push_back(both->op);
  }
  return result;
}

bool is_exact(const Region& fn, const std::vector<ScalarType>& leaves) {
  const LaneOperator op = lane_operator(fn);
  for (std::size_t leaf = 0; leaf < op.leaves.size(); ++leaf) {
    const bool rounds = detail::is_floating(leaves[leaf]) || detail::is_complex(leaves[leaf]);
    if (rounds && (op.leaves[leaf] == ScalarOp::add || op.leaves[leaf] == ScalarOp::mul))
      return false;
  }
  return op.commutative;
}

// -0 + x is x, whatever the sign of a zero; 0 + -0 is not -0.
Bits identity_of(ScalarOp op, ScalarType type) {
  if (detail::is_bool(type)) return {op == ScalarOp::and_ || op == ScalarOp::min ? 1U : 0U, 0};
  if (detail::is_integral(type)) return of_integers(op, type);
  return of_floats(op, type);
}

std::vector<Bits> identity_of(const Region& fn, const std::vector<ScalarType>& leaves) {
  const LaneOperator op = lane_operator(fn);
  std::vector<Bits> result;
  for (std::size_t leaf = 0; leaf < op.leaves.size(); ++leaf) {
    if (detail::is_complex(leaves[leaf]) && op.leaves[leaf] != ScalarOp::add) return {};
    result.push_back(identity_of(op.leaves[leaf], leaves[leaf]));
  }
  return result;
}

}  // namespace hasten::core
