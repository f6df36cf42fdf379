// Patterns are small: each order of commutative operands is tried from the root.
#include "passes/simplify/match.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hasten::passes {

using namespace core;

// -- what is known --------------------------------------------------------------------------------

Operation::Operation(const Prim& prim)
    : op(prim.op),
      arity(static_cast<std::uint8_t>(prim.args.size())) {
  std::copy(prim.args.begin(), prim.args.end(), args.begin());
}

Knowledge::Entry& Knowledge::entry(Value v) {
  if (v >= entries_.size()) entries_.resize(std::max<std::size_t>(types_.size(), v + 1));
  return entries_[v];
}

bool Knowledge::not_negative(Value v) const {
  if (detail::is_unsigned_int(type(v)) || detail::is_bool(type(v))) return true;
  if (!detail::is_signed_int(type(v))) return false;
  if (const Bits* bits = constant(v)) return as_i64(*bits) >= 0;
  const Entry* entry = find(v);
  return entry && entry->not_negative;
}

void Knowledge::note(Value v, const Bits& bits) {
  Entry& known = entry(v);
  known.bits = bits;
  known.is_constant = true;
}

void Knowledge::note(Value v, const Operation& operation) {
  const bool not_negative = detail::is_signed_int(type(v)) && gives_not_negative(v, operation);
  Entry& known = entry(v);
  known.operation = operation;
  known.not_negative |= not_negative;
}

// Sums and products may wrap, and the least number is its own magnitude.
bool Knowledge::gives_not_negative(Value v, const Operation& operation) const {
  const auto arg = [&](std::size_t i) { return not_negative(operation.args[i]); };
  switch (operation.op) {
    case ScalarOp::max:
    case ScalarOp::and_: return arg(0) || arg(1);
    case ScalarOp::min:
    case ScalarOp::or_:
    case ScalarOp::xor_:
    case ScalarOp::quot:
    case ScalarOp::idiv: return arg(0) && arg(1);
    case ScalarOp::rem:
    case ScalarOp::shr:
    case ScalarOp::signum: return arg(0);
    case ScalarOp::mod: return arg(1);
    case ScalarOp::select: return arg(1) && arg(2);
    case ScalarOp::popcount:
    case ScalarOp::clz:
    case ScalarOp::ctz: return true;
    case ScalarOp::cast: {
      const ScalarType from = type(operation.args[0]);
      const std::size_t before = detail::size_in_bytes(from),
                        after = detail::size_in_bytes(type(v));
      return arg(0) && (after > before || detail::is_bool(from) ||
                        (after == before && detail::is_signed_int(from)));
    }
    default: return false;
  }
}

// -- types ----------------------------------------------------------------------------------------

namespace {

int digits(ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return 1;
    case ScalarType::f16: return 11;
    case ScalarType::bf16: return 8;
    case ScalarType::f32: return 24;
    case ScalarType::f64: return 53;
    default:
      return static_cast<int>(8 * detail::size_in_bytes(type)) -
             (detail::is_signed_int(type) ? 1 : 0);
  }
}

int greatest_exponent(ScalarType type) {
  return type == ScalarType::f16 ? 16 : type == ScalarType::f64 ? 1024 : 128;
}

bool is_whole(ScalarType type) { return !detail::is_floating(type); }

}  // namespace

bool loses_nothing(ScalarType from, ScalarType to) {
  if (from == to) return true;
  if (detail::is_complex(from) || detail::is_complex(to) || detail::is_bool(to)) return false;
  if (digits(from) > digits(to)) return false;
  if (is_whole(from))
    return is_whole(to) ? !detail::is_signed_int(from) || detail::is_signed_int(to)
                        : digits(from) < greatest_exponent(to);
  return !is_whole(to) && greatest_exponent(from) <= greatest_exponent(to);
}

namespace {

// Whether from -> through -> to equals from -> to.
bool conversions_compose(ScalarType from, ScalarType through, ScalarType to) {
  if (detail::is_bool(through)) return detail::is_bool(from);
  const bool wraps = detail::is_integral(from) && detail::is_integral(through) &&
                     detail::is_integral(to) &&
                     detail::size_in_bytes(to) <= detail::size_in_bytes(through);
  if (wraps) return true;
  // Integers wrap where floats saturate.
  const bool saturates = is_whole(from) && !is_whole(through) && is_whole(to);
  return loses_nothing(from, through) && (!saturates || from == to || detail::is_bool(to));
}

// Where 1 / c is exact, x / c and x * (1 / c) round the same number.
bool has_exact_reciprocal(ScalarType type, const Bits& c) {
  int exponent = 0;
  const double number = to_double(type, c);
  const int most = greatest_exponent(type) - 2;
  return std::fabs(std::frexp(number, &exponent)) == 0.5 && std::abs(exponent - 1) <= most;
}

}  // namespace

Bits bits_of(const Pattern::Node& number, ScalarType type) {
  if (number.negative_zero) {
    const ScalarType f64 = ScalarType::f64;
    return evaluate(ScalarOp::cast, type, {&f64, 1}, std::array{Bits{std::uint64_t{1} << 63, 0}});
  }
  const ScalarType i64 = ScalarType::i64;
  return evaluate(ScalarOp::cast, type, {&i64, 1}, std::array{core::bits_of(number.number)});
}

ScalarType operand_type(ScalarOp op, std::size_t operand, ScalarType whole,
                        const std::array<std::optional<ScalarType>, 3>& own) {
  if (own[operand]) return *own[operand];
  switch (row(op).signature) {
    case Signature::same: return whole;
    case Signature::choice: return operand == 0 ? ScalarType::boolean : whole;
    case Signature::shift: return operand == 0 ? whole : ScalarType::i32;
    case Signature::pair: return detail::part_of(whole);
    case Signature::predicate:
    case Signature::count:
    case Signature::convert:
    case Signature::part: break;
  }
  for (const auto& type : own)
    if (type) return *type;
  return whole;
}

// -- matching -------------------------------------------------------------------------------------

std::optional<Match> Match::find(const EquationIndex& index, const Knowledge& knowledge,
                                 const Operation& operation, ScalarType result) {
  for (const Equation* equation : index.of(operation.op)) {
    Match match(*equation, knowledge);
    if (match.applies(operation, result)) return match;
  }
  return std::nullopt;
}

bool Match::applies(const Operation& operation, ScalarType result) {
  const Pattern& pattern = equation_->from;
  for (unsigned swaps = 0; swaps < (1U << pattern.swaps); ++swaps) {
    values_.fill(none);
    if (matches(operation, pattern.nodes[0], swaps) && related(result) && known()) return true;
  }
  return false;
}

bool Match::matches(const Operation& operation, const Pattern::Node& node, unsigned swaps) {
  const bool swapped = (node.swap & swaps) != 0;
  for (std::size_t i = 0; i < operation.arity; ++i) {
    const std::size_t operand = swapped ? operation.arity - 1 - i : i;
    if (!matches(operation.args[i], equation_->from.nodes[node.args[operand]], swaps)) return false;
  }
  return true;
}

bool Match::matches(Value value, const Pattern::Node& node, unsigned swaps) {
  if (node.kind == Pattern::Kind::operation) {
    const Operation* operation = knowledge_->operation(value);
    if (!operation || operation->op != node.op) return false;
    inner_ = knowledge_->type(value);
    return matches(*operation, node, swaps);
  }
  const Bits* bits = knowledge_->constant(value);
  if (node.kind == Pattern::Kind::number) {
    const ScalarType type = knowledge_->type(value);
    if (!bits || detail::is_complex(type)) return false;
    if (node.negative_zero && !detail::is_floating(type)) return false;
    return *bits == bits_of(node, type);
  }
  if (equation_->is_constant(node) && !bits) return false;
  Value& letter = values_[node.letter];
  if (letter == none) letter = value;
  return letter == value;
}

bool Match::related(ScalarType result) const {
  const ScalarType x = knowledge_->type(letter('x'));
  if (!types::contains(equation_->types, x)) return false;
  switch (equation_->relation) {
    case Relation::unrelated: return true;
    case Relation::same: return x == result;
    case Relation::composes: return conversions_compose(x, inner_, result);
    case Relation::keeps_bits: return !detail::is_bool(inner_);
    case Relation::loses_nothing:
      return x == knowledge_->type(letter('y')) && loses_nothing(x, inner_);
    case Relation::same_amounts:
      return knowledge_->type(letter('c')) == knowledge_->type(letter('d'));
  }
  return false;
}

bool Match::known() const {
  switch (equation_->fact) {
    case Fact::unknown: break;
    case Fact::none_negative:
      if (!knowledge_->not_negative(letter('y'))) return false;
      [[fallthrough]];
    case Fact::not_negative:
      if (!knowledge_->not_negative(letter('x'))) return false;
      break;
    case Fact::exact_reciprocal:
      if (!has_exact_reciprocal(knowledge_->type(letter('c')), *knowledge_->constant(letter('c'))))
        return false;
  }
  if (equation_->when.count == 0) return true;
  const auto holds = constant(equation_->when, 0, ScalarType::boolean);
  return holds && holds->lo != 0;
}

// -- replacements ---------------------------------------------------------------------------------

std::optional<ScalarType> Match::own_type(const Pattern& pattern, std::size_t index) const {
  const Pattern::Node& node = pattern.nodes[index];
  if (node.kind == Pattern::Kind::number) return std::nullopt;
  if (node.kind == Pattern::Kind::variable) return knowledge_->type(value(node));
  switch (row(node.op).signature) {
    case Signature::predicate: return ScalarType::boolean;
    case Signature::count: return ScalarType::i32;
    case Signature::convert: return std::nullopt;
    default: break;
  }
  const std::size_t first = row(node.op).signature == Signature::choice ? 1 : 0;
  for (std::size_t i = first; i < row(node.op).arity; ++i)
    if (const auto type = own_type(pattern, node.args[i])) {
      const std::array<ScalarType, 3> args{*type, *type, *type};
      return result_type(node.op, {args.data(), row(node.op).arity});
    }
  return std::nullopt;
}

ScalarType Match::operand_type(const Pattern& pattern, std::size_t operation, std::size_t operand,
                               ScalarType whole) const {
  const Pattern::Node& node = pattern.nodes[operation];
  std::array<std::optional<ScalarType>, 3> own{};
  for (std::size_t i = 0; i < row(node.op).arity; ++i) own[i] = own_type(pattern, node.args[i]);
  return passes::operand_type(node.op, operand, whole, own);
}

std::optional<Bits> Match::constant(const Pattern& pattern, std::size_t index,
                                    ScalarType type) const {
  const Pattern::Node& node = pattern.nodes[index];
  if (node.kind == Pattern::Kind::number) return passes::bits_of(node, type);
  if (node.kind == Pattern::Kind::variable) {
    const Bits* bits = knowledge_->constant(value(node));
    return bits ? std::optional(*bits) : std::nullopt;
  }
  std::array<ScalarType, 3> arg_types{};
  std::array<Bits, 3> args;
  const std::size_t arity = row(node.op).arity;
  for (std::size_t i = 0; i < arity; ++i) {
    arg_types[i] = operand_type(pattern, index, i, type);
    const auto bits = constant(pattern, node.args[i], arg_types[i]);
    if (!bits) return std::nullopt;
    args[i] = *bits;
  }
  return evaluate(node.op, type, {arg_types.data(), arity}, {args.data(), arity});
}

}  // namespace hasten::passes
