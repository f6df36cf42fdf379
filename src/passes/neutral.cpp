// A sum of -0 and x is x, whatever the sign of a zero; one of 0 and -0 is not.
#include "passes/neutral.hpp"

#include "core/scalar_ops.hpp"

#include <optional>

namespace hasten::passes {
namespace {

using namespace core;

struct FloatBits {
  std::uint64_t one, infinity, sign;
};

FloatBits float_bits(ScalarType type) {
  switch (type) {
    case ScalarType::f16: return {0x3c00, 0x7c00, 0x8000};
    case ScalarType::bf16: return {0x3f80, 0x7f80, 0x8000};
    case ScalarType::f32:
    case ScalarType::c64: return {0x3f800000, 0x7f800000, 0x80000000};
    default: return {0x3ffULL << 52, 0x7ffULL << 52, 1ULL << 63};
  }
}

std::optional<Bits> of_float(ScalarOp op, ScalarType type) {
  const auto [one, infinity, sign] = float_bits(type);
  switch (op) {
    case ScalarOp::add: return Bits{sign, 0};
    case ScalarOp::mul: return Bits{one, 0};
    case ScalarOp::min: return Bits{infinity, 0};
    case ScalarOp::max: return Bits{infinity | sign, 0};
    default: return std::nullopt;
  }
}

std::optional<Bits> of_integer(ScalarOp op, ScalarType type) {
  const auto bits = static_cast<unsigned>(8 * detail::size_in_bytes(type));
  const bool is_signed = detail::is_signed_int(type);
  const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0));
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::or_:
    case ScalarOp::xor_: return Bits{0, 0};
    case ScalarOp::mul: return Bits{1, 0};
    case ScalarOp::min: return Bits{greatest, 0};
    case ScalarOp::max: return Bits{is_signed ? ~greatest : 0, 0};
    case ScalarOp::and_: return Bits{is_signed ? ~std::uint64_t{0} : greatest, 0};
    default: return std::nullopt;
  }
}

std::optional<Bits> neutral(ScalarOp op, ScalarType type) {
  if (detail::is_bool(type)) {
    if (op == ScalarOp::and_ || op == ScalarOp::min) return Bits{1, 0};
    if (op == ScalarOp::or_ || op == ScalarOp::max || op == ScalarOp::xor_) return Bits{0, 0};
    return std::nullopt;
  }
  if (detail::is_complex(type)) {
    const std::uint64_t sign = float_bits(type).sign;
    return op == ScalarOp::add ? std::optional(Bits{sign, sign}) : std::nullopt;
  }
  return detail::is_floating(type) ? of_float(op, type) : of_integer(op, type);
}

}  // namespace

std::vector<Bits> neutral_elements(const Region& fn, const std::vector<ScalarType>& leaves) {
  std::vector<Bits> result;
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const Value left = fn.params[leaf], right = fn.params[leaves.size() + leaf];
    for (const Stmt& stmt : fn.body) {
      if (stmt.results.size() != 1 || stmt.results[0] != fn.results[leaf]) continue;
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (!prim || prim->args.size() != 2) return {};
      const bool of_both = (prim->args[0] == left && prim->args[1] == right) ||
                           (prim->args[0] == right && prim->args[1] == left);
      const auto bits = of_both ? neutral(prim->op, leaves[leaf]) : std::nullopt;
      if (!bits) return {};
      result.push_back(*bits);
    }
    if (result.size() != leaf + 1) return {};
  }
  return result;
}

}  // namespace hasten::passes
