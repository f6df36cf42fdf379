// Generates, shrinks, prints and builds random scalar expressions.
#include "tests/conformance/tool/expression.hpp"

#include "core/print.hpp"
#include "tests/support/math_bounds.hpp"

#include <algorithm>
#include <array>
#include <ostream>

namespace hasten::conformance {
namespace {

using core::Domain, core::ScalarOpRow, core::Signature;
using detail::LiteralMode, detail::ScalarOp, detail::ScalarType, detail::Term;

/// Draws the parts of one tree.
class Grower {
 public:
  Grower(const Grammar& grammar, const rc::Random& random) : grammar_(grammar), random_(random) {}

  Tree grow(ScalarType type, int depth) {
    if (depth <= 0) return leaf(type);
    switch (below(12)) {
      case 0:
      case 1: return leaf(type);
      case 2: return node(Tree::Kind::conditional, type, {ScalarType::boolean, type, type}, depth);
      case 3: return loop(type, depth);
      default: return operation(type, depth);
    }
  }

  Tree inexact_call() {
    std::vector<const ScalarOpRow*> rows;
    for (const ScalarOpRow& row : core::scalar_ops())
      if (!is_exact(row)) rows.push_back(&row);
    const ScalarOpRow& row = *rows[below(rows.size())];
    const ScalarType type = below(2) == 0 ? ScalarType::f32 : ScalarType::f64;
    return call(row, type, std::vector<ScalarType>(row.arity, type), 1 + below(3));
  }

  ScalarType any_type() { return grammar_.types[below(grammar_.types.size())]; }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.next() % n; }

  Tree leaf(ScalarType type) {
    switch (below(6)) {
      case 0: return literal(type);
      case 1: return {Tree::Kind::state, type};
      default: return variable(type);
    }
  }

  Tree variable(ScalarType type) {
    Tree tree{Tree::Kind::variable, type};
    tree.number = static_cast<std::uint32_t>(below(2));
    return tree;
  }

  Tree literal(ScalarType type) {
    Tree tree{Tree::Kind::literal, type};
    const Host host = random_array({type}, {1}, random_.next());
    const core::Bits bits = core::load_bits(type, host->data(0));
    tree.bits = {bits.lo, bits.hi};
    tree.mode = static_cast<LiteralMode>(below(3));
    return tree;
  }

  Tree node(Tree::Kind kind, ScalarType type, const std::vector<ScalarType>& children, int depth) {
    Tree tree{kind, type};
    for (const ScalarType child : children) tree.children.push_back(grow(child, depth - 1));
    return tree;
  }

  Tree loop(ScalarType type, int depth) {
    const ScalarType count = has_type(ScalarType::u8) ? ScalarType::u8 : ScalarType::i32;
    return node(Tree::Kind::loop, type, {type, type, count}, depth - 1);
  }

  Tree call(const ScalarOpRow& row, ScalarType type, const std::vector<ScalarType>& args,
            std::uint64_t depth) {
    Tree tree = node(Tree::Kind::operation, type, args, static_cast<int>(depth));
    tree.op = row.op;
    if (row.op == ScalarOp::bit_cast) tree.children[0] = variable(args[0]);
    if (row.op == ScalarOp::copysign) tree.children[1] = variable(args[1]);
    return tree;
  }

  bool has_type(ScalarType type) const {
    return std::count(grammar_.types.begin(), grammar_.types.end(), type) != 0;
  }

  /// A type of the grammar in a domain; empty if there is none.
  std::optional<ScalarType> type_in(Domain domain) {
    std::vector<ScalarType> types;
    for (const ScalarType type : grammar_.types)
      if (core::contains(domain, type)) types.push_back(type);
    if (types.empty()) return std::nullopt;
    return types[below(types.size())];
  }

  /// Argument types with which an operation has a result of this type.
  std::optional<std::vector<ScalarType>> arguments(const ScalarOpRow& row, ScalarType type) {
    const auto in_domain = core::contains(row.domain, type);
    switch (row.signature) {
      case Signature::same:
        if (!in_domain) return std::nullopt;
        return std::vector<ScalarType>(row.arity, type);
      case Signature::predicate: {
        const auto argument = type_in(row.domain);
        if (type != ScalarType::boolean || !argument) return std::nullopt;
        return std::vector<ScalarType>(row.arity, *argument);
      }
      case Signature::shift: {
        const auto amount = type_in(Domain::integral);
        if (!in_domain || !amount) return std::nullopt;
        return std::vector{type, *amount};
      }
      case Signature::count: {
        const auto argument = type_in(row.domain);
        if (type != ScalarType::i32 || !argument) return std::nullopt;
        return std::vector{*argument};
      }
      case Signature::choice: return std::vector{ScalarType::boolean, type, type};
      case Signature::convert: return std::vector{any_type()};
      default: return std::nullopt;  // complex numbers
    }
  }

  bool allowed(const ScalarOpRow& row, ScalarType type, const std::vector<ScalarType>& args) const {
    if (!is_exact(row)) return false;
    const bool sees_bits = row.op == ScalarOp::bit_cast || row.op == ScalarOp::copysign;
    if (sees_bits && !grammar_.bits_of_floats) return false;
    return row.op != ScalarOp::bit_cast ||
           (size_in_bytes(type) == size_in_bytes(args[0]) && type != ScalarType::boolean);
  }

  Tree operation(ScalarType type, int depth) {
    const auto rows = core::scalar_ops();
    while (true) {
      const ScalarOpRow& row = rows[below(rows.size())];
      const auto args = arguments(row, type);
      if (args && allowed(row, type, *args))
        return call(row, type, *args, static_cast<std::uint64_t>(depth));
    }
  }

  const Grammar& grammar_;
  rc::Random random_;
};

bool is_zero(const Tree& tree) { return tree.kind == Tree::Kind::literal && tree.bits.lo == 0; }

/// Smaller trees of the same type: zero, subtrees of the same type, and the tree with one part
/// smaller.
std::vector<Tree> smaller(const Tree& tree) {
  std::vector<Tree> result;
  if (is_zero(tree)) return result;
  result.push_back({Tree::Kind::literal, tree.type});
  if (tree.kind != Tree::Kind::variable && tree.kind != Tree::Kind::literal)
    result.push_back({Tree::Kind::variable, tree.type});
  for (const Tree& child : tree.children)
    if (child.type == tree.type) result.push_back(child);
  for (std::size_t i = 0; i < tree.children.size(); ++i)
    for (Tree& child : smaller(tree.children[i])) {
      if (tree.op == ScalarOp::bit_cast || tree.op == ScalarOp::copysign) continue;
      result.push_back(tree);
      result.back().children[i] = std::move(child);
    }
  return result;
}

template <class Grow>
rc::Gen<Tree> generator(Grammar grammar, Grow grow) {
  return [grammar = std::move(grammar), grow](const rc::Random& random, int size) {
    Grower grower(grammar, random);
    const int depth = std::min(grammar.depth, 1 + size / 8);
    return rc::shrinkable::shrinkRecur(
        grow(grower, depth), [](const Tree& t) { return rc::seq::fromContainer(smaller(t)); });
  };
}

/// Builds the term of a tree; `states` are those of the enclosing loops.
Term build_in(const Tree& tree, const Variables& variable, std::vector<Term>& states);

Term zero(ScalarType type) { return detail::constant(type, {}); }

Term build_loop(const Tree& tree, const Variables& variable, std::vector<Term>& states) {
  const Term init = build_in(tree.children[0], variable, states);
  const Term many = build_in(tree.children[2], variable, states);
  const ScalarType counter = tree.children[2].type;
  const Term mask = detail::constant(counter, {3, 0});
  const Term times = detail::prim(ScalarOp::and_, counter, std::array{many, mask});
  const std::array members{detail::leaf_type(counter), detail::leaf_type(tree.type)};
  const detail::Type pair = detail::tuple_type(members);
  const auto where = detail::Where::current();
  const std::array params{pair};

  detail::Scope condition(params);
  const Term left = detail::project(condition.param(0), 0);
  const Term more = detail::prim(ScalarOp::ne, ScalarType::boolean,
                                 std::array{left, detail::constant(counter, {0, 0})});
  detail::Function test = condition.close({more}, "while_loop", where);

  detail::Scope body(params);
  const Term one = detail::constant(counter, {1, 0});
  const Term rest =
      detail::prim(ScalarOp::sub, counter, std::array{detail::project(body.param(0), 0), one});
  states.push_back(detail::project(body.param(0), 1));
  const Term next = build_in(tree.children[1], variable, states);
  states.pop_back();
  detail::Function step =
      body.close({detail::make_tuple(pair, std::array{rest, next})}, "while_loop", where);

  const Term start = detail::make_tuple(pair, std::array{times, init});
  return detail::project(detail::while_loop(std::move(test), std::move(step), start), 1);
}

Term build_in(const Tree& tree, const Variables& variable, std::vector<Term>& states) {
  const auto child = [&](std::size_t i) { return build_in(tree.children[i], variable, states); };
  switch (tree.kind) {
    case Tree::Kind::variable: return variable(tree.type, tree.number);
    case Tree::Kind::literal: return detail::constant(tree.type, tree.bits, tree.mode);
    case Tree::Kind::operation: {
      std::vector<Term> args;
      for (std::size_t i = 0; i < tree.children.size(); ++i) args.push_back(child(i));
      return detail::prim(tree.op, tree.type, args);
    }
    case Tree::Kind::conditional: {
      const Term condition = child(0), then_ = child(1);
      return detail::conditional(condition, then_, child(2));
    }
    case Tree::Kind::loop: return build_loop(tree, variable, states);
    case Tree::Kind::state:
      for (std::size_t i = states.size(); i-- > 0;)
        if (detail::type_of(states[i])->leaf == tree.type) return states[i];
      return zero(tree.type);
  }
  throw InternalError("conformance suite: no such tree");
}

}  // namespace

const std::vector<ScalarType>& expression_types() {
  static const std::vector<ScalarType> types = {
      ScalarType::boolean, ScalarType::i8,  ScalarType::i16, ScalarType::i32, ScalarType::i64,
      ScalarType::u8,      ScalarType::u16, ScalarType::u32, ScalarType::u64, ScalarType::f16,
      ScalarType::bf16,    ScalarType::f32, ScalarType::f64};
  return types;
}

bool is_exact(const ScalarOpRow& row) {
  if (row.op == ScalarOp::rsqrt) return false;
  return !row.expensive || row.op == ScalarOp::fmod;
}

// Both results are within bounds of the real one, each in its own units: below a power of two, two
// units equal one unit above it.
Tolerance tolerance_of(const ScalarOpRow& row, ScalarType type, const Options& target) {
  if (is_exact(row)) return {};
  constexpr double of_small = 0.51;  // computed in float, and rounded
  const test::MathBounds bounds = test::bounds_of(row.name);
  const test::MathBound ours = bound_on(bounds, target.target.name());
  const test::MathBound theirs = bounds.interpreter;
  double units = ours.single + theirs.single;
  if (type == ScalarType::f64) units = ours.twice + theirs.twice;
  if (detail::size_in_bytes(type) == 2) units = 2 * of_small;
  return {.ulps = static_cast<std::int64_t>(units) + 1};
}

rc::Gen<Tree> expressions(ScalarType type, Grammar grammar) {
  return generator(std::move(grammar),
                   [type](Grower& grower, int depth) { return grower.grow(type, depth); });
}
rc::Gen<Tree> expressions(Grammar grammar) {
  return generator(std::move(grammar),
                   [](Grower& grower, int depth) { return grower.grow(grower.any_type(), depth); });
}
rc::Gen<Tree> inexact_calls(Grammar grammar) {
  return generator(std::move(grammar), [](Grower& grower, int) { return grower.inexact_call(); });
}

Term build(const Tree& tree, const Variables& variable) {
  std::vector<Term> states;
  return build_in(tree, variable, states);
}

std::ostream& operator<<(std::ostream& out, const Tree& tree) {
  const char* type = detail::name_of(tree.type);
  switch (tree.kind) {
    case Tree::Kind::variable: return out << type << "_" << tree.number;
    case Tree::Kind::literal:
      return out << core::print(tree.type, {tree.bits.lo, tree.bits.hi}) << ":" << type;
    case Tree::Kind::state: return out << "state:" << type;
    case Tree::Kind::conditional: out << "if"; break;
    case Tree::Kind::loop: out << "loop"; break;
    case Tree::Kind::operation: out << core::row(tree.op).name; break;
  }
  out << "[" << type << "](";
  for (std::size_t i = 0; i < tree.children.size(); ++i)
    out << (i == 0 ? "" : ", ") << tree.children[i];
  return out << ")";
}

}  // namespace hasten::conformance
