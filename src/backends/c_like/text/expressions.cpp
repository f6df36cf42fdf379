// Expressions of C that mean exactly what the table says: nothing promotes, wraps by accident or
// traps.
#include "backends/c_like/text/expressions.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace hasten::backends::c_like {

using namespace core;
using detail::is_bool;
using detail::is_floating;
using detail::is_integral;
using detail::is_signed_int;
using detail::size_in_bytes;

namespace {

constexpr bool is_small(ScalarType type) {
  return type == ScalarType::f16 || type == ScalarType::bf16;
}

ScalarType unsigned_of(ScalarType type) {
  switch (size_in_bytes(type)) {
    case 1: return ScalarType::u8;
    case 2: return ScalarType::u16;
    case 4: return ScalarType::u32;
    default: return ScalarType::u64;
  }
}

// The type in which arithmetic wraps, at the type's width or more: never a promoted int.
const char* wrapping(ScalarType type) { return size_in_bytes(type) == 8 ? "u64" : "u32"; }

std::string infix(const char* op, const std::string& a, const std::string& b) {
  return fmt::format("({} {} {})", a, op, b);
}

const char* infix_of(ScalarOp op) {
  switch (op) {
    case ScalarOp::add: return "+";
    case ScalarOp::sub: return "-";
    case ScalarOp::mul: return "*";
    case ScalarOp::div: return "/";
    case ScalarOp::eq: return "==";
    case ScalarOp::ne: return "!=";
    case ScalarOp::lt: return "<";
    case ScalarOp::le: return "<=";
    case ScalarOp::gt: return ">";
    case ScalarOp::ge: return ">=";
    case ScalarOp::and_: return "&";
    case ScalarOp::or_: return "|";
    case ScalarOp::xor_: return "^";
    default: return nullptr;
  }
}

bool is_comparison(ScalarOp op) { return op >= ScalarOp::eq && op <= ScalarOp::ge; }

[[noreturn]] void no_operation(ScalarOp op) {
  throw InternalError(std::string("the text of a kernel has no operation ") + row(op).name);
}

}  // namespace

const char* register_type(ScalarType type) {
  return is_small(type) ? "f32" : detail::name_of(type);
}

const char* memory_type(ScalarType type) {
  return is_bool(type) ? "u8" : is_small(type) ? "u16" : detail::name_of(type);
}

// -- literals -------------------------------------------------------------------------------------

namespace {

std::string floating_literal(double x, bool is_double, const Bits& bits) {
  if (std::isfinite(x)) return fmt::format("({:a}{})", x, is_double ? "" : "f");
  return is_double ? fmt::format("bits_f64((u64)0x{:x}UL)", bits.lo)
                   : fmt::format("bits_f32(0x{:x}u)", bits.lo);
}

}  // namespace

std::string ExpressionEmitter::literal(ScalarType type, const Bits& bits) {
  if (is_bool(type)) return bits.lo != 0 ? "true" : "false";
  if (type == ScalarType::f64) return floating_literal(std::bit_cast<double>(bits.lo), true, bits);
  if (type == ScalarType::f32) return floating_literal(to_double(type, bits), false, bits);
  if (is_small(type)) {
    const auto wide = std::bit_cast<std::uint32_t>(static_cast<float>(to_double(type, bits)));
    return floating_literal(to_double(type, bits), false, {wide, 0});
  }
  if (size_in_bytes(type) == 8) return fmt::format("(({})0x{:x}UL)", memory_type(type), bits.lo);
  if (is_signed_int(type)) return fmt::format("(({}){})", memory_type(type), as_i64(bits));
  return fmt::format("(({}){}u)", memory_type(type), bits.lo);
}

// -- memory ---------------------------------------------------------------------------------------

std::string ExpressionEmitter::from_memory(ScalarType type, const std::string& x) {
  if (is_bool(type)) return infix("!=", x, "0");
  const std::string args[] = {x};
  return is_small(type) ? call("from_bits", type, args) : x;
}

std::string ExpressionEmitter::to_memory(ScalarType type, const std::string& x) {
  if (is_bool(type)) return "(u8)" + x;
  const std::string args[] = {x};
  return is_small(type) ? call("to_bits", type, args) : x;
}

// -- operations -----------------------------------------------------------------------------------

std::string ExpressionEmitter::call(const std::string& name, Args args) {
  std::string text = name + "(";
  for (std::size_t i = 0; i < args.size(); ++i) text += (i > 0 ? ", " : "") + args[i];
  return text + ")";
}

std::string ExpressionEmitter::call(const std::string& name, ScalarType type, Args args) {
  used_.insert({name, type});
  if (name == "round") used_.insert({{"from_bits", type}, {"to_bits", type}});
  if (has_narrowed(type, dialect_)) used_.insert({"narrowed", type});
  return call(name + "_" + detail::name_of(type), args);
}

std::string ExpressionEmitter::apply(ScalarOp op, ScalarType result,
                                     std::span<const ScalarType> types, Args args) {
  const ScalarType type = types[0];
  if (op == ScalarOp::select) return fmt::format("({} ? {} : {})", args[0], args[1], args[2]);
  if (op == ScalarOp::cast) return convert(type, result, args[0]);
  if (op == ScalarOp::bit_cast) return reinterpret(type, result, args[0]);
  if (is_comparison(op)) return infix(infix_of(op), args[0], args[1]);
  if (is_bool(type)) return boolean(op, args);
  return is_integral(type) ? integral(op, type, types, args) : floating(op, type, args);
}

std::string ExpressionEmitter::boolean(ScalarOp op, Args args) {
  switch (op) {
    case ScalarOp::min:
    case ScalarOp::and_: return infix("&&", args[0], args[1]);
    case ScalarOp::max:
    case ScalarOp::or_: return infix("||", args[0], args[1]);
    case ScalarOp::xor_: return infix("!=", args[0], args[1]);
    case ScalarOp::not_: return "(!" + args[0] + ")";
    default: no_operation(op);
  }
}

std::string ExpressionEmitter::integral(ScalarOp op, ScalarType type,
                                        std::span<const ScalarType> types, Args args) {
  const char* const t = memory_type(type);
  const char* const w = wrapping(type);
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
      return narrowed(type, fmt::format("({}){} {} ({}){}", w, args[0], infix_of(op), w, args[1]));
    case ScalarOp::neg: return narrowed(type, fmt::format("0u - ({}){}", w, args[0]));
    case ScalarOp::and_:
    case ScalarOp::or_:
    case ScalarOp::xor_: return fmt::format("({})({} {} {})", t, args[0], infix_of(op), args[1]);
    case ScalarOp::not_: return fmt::format("({})(~{})", t, args[0]);
    case ScalarOp::min: return fmt::format("({0} < {1} ? {0} : {1})", args[0], args[1]);
    case ScalarOp::max: return fmt::format("({0} < {1} ? {1} : {0})", args[0], args[1]);
    case ScalarOp::shl:
    case ScalarOp::shr:
    case ScalarOp::rotl:
    case ScalarOp::rotr: {
      // Sign-extended: a negative amount is a huge one.
      (void)types;
      const std::string amount[] = {args[0], "(u64)" + args[1]};
      return call(row(op).name, type, amount);
    }
    case ScalarOp::abs:
      if (!is_signed_int(type)) return args[0];
      return call(row(op).name, type, args);
    case ScalarOp::signum:
    case ScalarOp::quot:
    case ScalarOp::rem:
    case ScalarOp::idiv:
    case ScalarOp::mod:
    case ScalarOp::popcount:
    case ScalarOp::clz:
    case ScalarOp::ctz: return call(row(op).name, type, args);
    default: no_operation(op);
  }
}

std::string ExpressionEmitter::floating(ScalarOp op, ScalarType type, Args args) {
  if (is_small(type)) {
    if (op == ScalarOp::fma) return from_double(type, call("fused_odd", ScalarType::f64, args));
    const std::string wide = floating(op, ScalarType::f32, args);
    const bool is_predicate = row(op).signature == Signature::predicate;
    return is_predicate ? wide : rounded(type, wide);
  }
  const std::string infinity =
      type == ScalarType::f64 ? "bits_f64((u64)0x7ff0000000000000UL)" : "bits_f32(0x7f800000u)";
  const std::string magnitude = type == ScalarType::f64 ? "fabs" : dialect_.f32_magnitude;
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::div: return infix(infix_of(op), args[0], args[1]);
    case ScalarOp::neg: return "(-" + args[0] + ")";
    case ScalarOp::min:
    case ScalarOp::max:
    case ScalarOp::signum:
    case ScalarOp::fmod: return call(row(op).name, type, args);
    case ScalarOp::is_nan: return infix("!=", args[0], args[0]);
    case ScalarOp::is_infinite: return fmt::format("({}({}) == {})", magnitude, args[0], infinity);
    case ScalarOp::is_finite: return fmt::format("({}({}) < {})", magnitude, args[0], infinity);
    default: return math(op, type, args);
  }
}

std::string ExpressionEmitter::math(ScalarOp op, ScalarType type, Args args) {
  const char* const suffix = type == ScalarType::f32 ? dialect_.f32_suffix : "";
  if (op == ScalarOp::rsqrt && !dialect_.has_rsqrt)
    return fmt::format("({}1 / sqrt{}({}))", type == ScalarType::f64 ? "(f64)" : "(f32)", suffix,
                       args[0]);
  std::string name = op == ScalarOp::rsqrt ? "rsqrt" : row(op).c_name;
  if (name.empty()) no_operation(op);
  if (op == ScalarOp::nearbyint) name = "rint";
  const bool rounds = op >= ScalarOp::floor && op <= ScalarOp::nearbyint;
  if (rounds && dialect_.misfolds_rounded_nan)
    return fmt::format("({0} != {0} ? {0} : {1}({0}))", args[0], name);
  return call(name + suffix, args);
}

// -- conversions ----------------------------------------------------------------------------------

std::string ExpressionEmitter::narrowed(ScalarType to, const std::string& x) {
  const std::string args[] = {x};
  if (has_narrowed(to, dialect_)) return call("narrowed", to, args);
  return fmt::format("({})({})", memory_type(to), x);
}

std::string ExpressionEmitter::positive(ScalarType type, const std::string& x) {
  const std::string args[] = {x};
  return call("positive", type, args);
}

std::string ExpressionEmitter::rounded(ScalarType small, const std::string& x) {
  const std::string args[] = {x};
  return call("round", small, args);
}

// Converts through a float that is odd where inexact, so that only the second rounding counts.
std::string ExpressionEmitter::from_double(ScalarType small, const std::string& x) {
  const std::string args[] = {x};
  return rounded(small, call("odd", ScalarType::f64, args));
}

std::string ExpressionEmitter::convert(ScalarType from, ScalarType to, const std::string& x) {
  if (from == to) return x;
  if (is_bool(to)) return infix("!=", x, "0");
  const std::string args[] = {x};
  if (is_integral(to) && is_floating(from)) {
    const std::string wide[] = {from == ScalarType::f64 ? x : "(f64)" + x};
    return call("saturate", to, wide);
  }
  if (has_narrowed(to, dialect_)) return narrowed(to, "(u32)" + x);
  if (!is_small(to)) return fmt::format("({}){}", memory_type(to), x);
  if (is_small(from) || from == ScalarType::f32) return rounded(to, x);
  if (from == ScalarType::f64) return from_double(to, x);
  if (size_in_bytes(from) < 8) return from_double(to, "(f64)" + x);
  return from_double(to, call("sticky", from, args));
}

std::string ExpressionEmitter::reinterpret(ScalarType from, ScalarType to, const std::string& x) {
  if (from == to) return x;
  if (is_bool(to)) return infix("!=", x, "0");
  std::string bits = x;  // as an unsigned integer
  if (from == ScalarType::f32) bits = "f32_bits(" + x + ")";
  if (from == ScalarType::f64) bits = "f64_bits(" + x + ")";
  if (is_small(from)) bits = to_memory(from, x);
  if (to == ScalarType::f32) return fmt::format("bits_f32((u32){})", bits);
  if (to == ScalarType::f64) return fmt::format("bits_f64((u64){})", bits);
  bits = fmt::format("({})({}){}", memory_type(to), memory_type(unsigned_of(to)), bits);
  return is_small(to) ? from_memory(to, bits) : bits;
}

std::string ExpressionEmitter::prelude(IndexWidth width) const {
  std::string declarations, definitions;
  for (const auto& [name, type] : used_) {
    const std::string text = helper_text(name, type, dialect_);
    declarations += text.substr(0, text.find(" {")) + ";\n";
    definitions += text;
  }
  return prelude_types(dialect_, width) + declarations + definitions;
}

}  // namespace hasten::backends::c_like
