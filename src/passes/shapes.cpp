// One walk in program order; a loop is walked again when a round changes an extent of its state.
#include "passes/shapes.hpp"

#include "core/traverse.hpp"
#include "support/overloaded.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace hasten::passes {

using namespace core;

Shapes::Shapes(const Program& program)
    : program_(program),
      extents_(program.array_types.size()),
      values_(program.value_types.size(), unknown),
      places_(program.array_types.size()) {
  block(program.body);
}

// -- symbols --------------------------------------------------------------------------------------

Symbol Shapes::opaque(bool not_negative) {
  not_negative_.push_back(not_negative);
  return static_cast<Symbol>(not_negative_.size() - 1);
}

Symbol Shapes::constant(std::int64_t value) {
  auto [it, is_new] = constants_.try_emplace(value, unknown);
  if (is_new) {
    it->second = opaque(value >= 0);
    numbers_[it->second] = value;
  }
  return it->second;
}

// Folds symbols that need no expression of their own; otherwise returns `unknown`.
Symbol Shapes::folded(ScalarOp op, Symbol a, Symbol b) {
  const auto x = numbers_.find(a), y = numbers_.find(b);
  const bool both = x != numbers_.end() && y != numbers_.end();
  const auto is = [&](const auto& it, std::int64_t n) {
    return it != numbers_.end() && it->second == n;
  };
  switch (op) {
    case ScalarOp::min:
      if (a == b) return a;
      if (both) return constant(std::min(x->second, y->second));
      return unknown;
    case ScalarOp::max:
      if (a == b) return a;
      if (both) return constant(std::max(x->second, y->second));
      if (is(y, 0) && not_negative_[a]) return a;
      if (is(x, 0) && not_negative_[b]) return b;
      return unknown;
    case ScalarOp::add: return is(x, 0) ? b : is(y, 0) ? a : unknown;
    case ScalarOp::sub: return is(y, 0) ? a : a == b ? constant(0) : unknown;
    case ScalarOp::mul: return is(x, 1) ? b : is(y, 1) ? a : unknown;
    default: return unknown;
  }
}

Symbol Shapes::prim(ScalarOp op, Symbol a, Symbol b) {
  a = find(a, here_);
  b = find(b, here_);
  const bool swaps =
      op == ScalarOp::min || op == ScalarOp::max || op == ScalarOp::add || op == ScalarOp::mul;
  if (swaps && b < a) std::swap(a, b);
  if (const Symbol known = folded(op, a, b); known != unknown) return known;
  auto [it, is_new] = expressions_.try_emplace(Key{op, a, b}, unknown);
  if (is_new) {
    // Sums and products of extents that wrap are errors before anything is launched.
    const bool both = not_negative_[a] && not_negative_[b];
    const bool keeps = op == ScalarOp::add || op == ScalarOp::mul || op == ScalarOp::min ||
                       op == ScalarOp::quot || op == ScalarOp::idiv;
    const bool one =
        (op == ScalarOp::max || op == ScalarOp::and_) && (not_negative_[a] || not_negative_[b]);
    const bool shifted = op == ScalarOp::shr && not_negative_[a];  // a quotient once
    it->second = opaque((both && keeps) || one || shifted);
    expression_of_[it->second] = {op, a, b};
  }
  return it->second;
}

Symbol Shapes::clamped(Symbol extent) { return prim(ScalarOp::max, extent, constant(0)); }

std::vector<Symbol> Shapes::clamped(std::span<const Value> extents) {
  std::vector<Symbol> result;
  for (const Value v : extents) result.push_back(clamped(of_value(v)));
  return result;
}

Symbol Shapes::of_value(Value value) {
  if (values_[value] == unknown) values_[value] = opaque(false);
  return values_[value];
}

// -- facts ----------------------------------------------------------------------------------------

Symbol Shapes::find(Symbol symbol, Place at) const {
  for (std::uint32_t scope = at.scope; scope != none;) {
    const auto fact = scopes_[scope].facts.find(symbol);
    if (fact == scopes_[scope].facts.end() || fact->second.since > at.number) {
      scope = scopes_[scope].outer;
      continue;
    }
    symbol = fact->second.equal;
    scope = at.scope;
  }
  return symbol;
}

void Shapes::equate(Symbol a, Symbol b) {
  a = find(a, here_);
  b = find(b, here_);
  if (a != b) scopes_[here_.scope].facts[std::max(a, b)] = {std::min(a, b), here_.number};
}

bool Shapes::same(std::span<const Symbol> a, std::span<const Symbol> b, ArrayId at) const {
  return std::ranges::equal(a, b, [&](Symbol x, Symbol y) {
    return x == y || find(x, places_[at]) == find(y, places_[at]);
  });
}

bool Shapes::is_product(Symbol symbol, std::span<const Symbol> factors, ArrayId at) const {
  Symbol product = find(factors[0], places_[at]);
  for (Symbol factor : factors.subspan(1)) {
    factor = find(factor, places_[at]);
    if (number(product) == 1) std::swap(product, factor);
    if (number(factor) == 1) continue;
    const auto x = number(product), y = number(factor);
    std::int64_t both = 0;
    if (x && y && !__builtin_mul_overflow(*x, *y, &both)) {
      const auto known = constants_.find(both);
      if (known == constants_.end()) return false;
      product = known->second;
      continue;
    }
    const Key key{ScalarOp::mul, std::min(product, factor), std::max(product, factor)};
    const auto known = expressions_.find(key);
    if (known == expressions_.end()) return false;
    product = find(known->second, places_[at]);
  }
  return product == find(symbol, places_[at]);
}

bool Shapes::same_space(ArrayId a, ArrayId b, ArrayId at) const { return same(of(a), of(b), at); }

std::optional<Symbol> Shapes::of_host(Value value) const {
  return values_[value] == unknown ? std::nullopt : std::optional(values_[value]);
}

std::optional<std::int64_t> Shapes::number(Symbol symbol) const {
  const auto known = numbers_.find(symbol);
  return known == numbers_.end() ? std::nullopt : std::optional(known->second);
}

std::int64_t Shapes::greatest(Symbol symbol) const {
  if (const auto known = number(symbol)) return *known;
  return of_vectors_.contains(symbol) ? std::int64_t{1} << 48
                                      : std::numeric_limits<std::int64_t>::max();
}

const Shapes::Expression* Shapes::expression(Symbol symbol) const {
  const auto found = expression_of_.find(symbol);
  return found == expression_of_.end() ? nullptr : &found->second;
}

// -- programs -------------------------------------------------------------------------------------

void Shapes::block(const Block& block) {
  auto [it, is_new] = scope_of_.try_emplace(&block, static_cast<std::uint32_t>(scopes_.size()));
  if (is_new) scopes_.push_back({here_.scope, {}});
  const std::uint32_t outer = here_.scope;
  here_.scope = it->second;
  scopes_[here_.scope].facts.clear();
  for (const Binding& binding : block.bindings) {
    ++here_.number;
    for (const ArrayId a : binding.results) places_[a] = here_;
    if (const auto* x = std::get_if<HostScalar>(&binding.op)) {
      scalar(x->stmt);
    } else if (const auto* b = std::get_if<ArrayIf>(&binding.op)) {
      branch(binding, *b);
    } else if (const auto* w = std::get_if<ArrayWhile>(&binding.op)) {
      loop(binding, *w);
    } else {
      // Foreign code may return arrays of any size.
      visit_blocks(binding.op, [&](const Block& inner) { this->block(inner); });
      for (const ArrayId a : binding.results) extents_[a] = extents_of(binding, a);
    }
  }
  here_.scope = outer;
}

void Shapes::scalar(const Stmt& stmt) {
  const Value result = stmt.results.front();
  const auto& types = program_.value_types;
  // Other integers than i64 are known, too, for the amounts of shifts.
  if (const auto* x = std::get_if<Constant>(&stmt.op);
      x && x->slot == none && detail::is_integral(types[result]))
    values_[result] = constant(static_cast<std::int64_t>(x->bits.lo));
  if (types[result] != ScalarType::i64) return;
  if (const auto* x = std::get_if<Extent>(&stmt.op)) values_[result] = extents_[x->array][x->axis];
  const auto* x = std::get_if<Prim>(&stmt.op);
  if (!x || x->args.size() != 2 || types[x->args[0]] != ScalarType::i64) return;
  const bool shifts = x->op == ScalarOp::shl || x->op == ScalarOp::shr;
  if (!shifts && types[x->args[1]] != ScalarType::i64) return;
  values_[result] = prim(x->op, of_value(x->args[0]), of_value(x->args[1]));
}

// Symbols on which both branches agree.
void Shapes::branch(const Binding& binding, const ArrayIf& op) {
  block(op.then_);
  block(op.else_);
  for (std::size_t i = 0; i < binding.results.size(); ++i) {
    const auto &then_ = extents_[op.then_.results[i]], &else_ = extents_[op.else_.results[i]];
    std::vector<Symbol>& result = extents_[binding.results[i]];
    result.clear();
    for (std::size_t axis = 0; axis < then_.size(); ++axis)
      result.push_back(then_[axis] == else_[axis] ? then_[axis] : opaque(true));
  }
}

// An axis keeps its initial extent until a round is seen to change it.
void Shapes::loop(const Binding& binding, const ArrayWhile& op) {
  const Place start = here_;
  const auto state = [&](std::size_t i) {
    std::vector<Symbol> result = extents_[op.init[i]];
    for (std::size_t axis = 0; axis < result.size(); ++axis)
      if (varies_[{&op.body, 64 * i + axis}]) result[axis] = opaque(true);
    return result;
  };
  for (bool changed = true; changed;) {
    changed = false;
    here_ = start;
    for (std::size_t i = 0; i < op.init.size(); ++i) {
      extents_[op.condition.params[i]] = extents_[op.body.params[i]] = state(i);
      places_[op.condition.params[i]] = places_[op.body.params[i]] = here_;
    }
    block(op.condition);
    block(op.body);
    for (std::size_t i = 0; i < op.init.size(); ++i) {
      const auto &before = extents_[op.body.params[i]], &after = extents_[op.body.results[i]];
      for (std::size_t axis = 0; axis < before.size(); ++axis) {
        bool& varies = varies_[{&op.body, 64 * i + axis}];
        if (varies || before[axis] == after[axis]) continue;
        varies = changed = true;
      }
    }
  }
  for (std::size_t i = 0; i < op.init.size(); ++i) extents_[binding.results[i]] = state(i);
}

std::vector<Symbol> Shapes::intersection(std::span<const ArrayId> sources) {
  std::vector<Symbol> result = extents_[sources[0]];
  for (const ArrayId source : sources.subspan(1))
    for (std::size_t axis = 0; axis < result.size(); ++axis)
      result[axis] = prim(ScalarOp::min, result[axis], extents_[source][axis]);
  return result;
}

std::vector<Symbol> Shapes::extents_of(const Binding& binding, ArrayId result_array) {
  using Extents = std::vector<Symbol>;
  return match(
      binding.op,
      [&](const OneOf<Generate, Backpermute, Reshape> auto& op) { return clamped(op.extent); },
      [&](const GenerateSegments& op) { return Extents{clamped(of_value(op.extent))}; },
      [&](const OneOf<Map, Demand, Compute, SortPositions> auto& op) {
        return extents_[op.source];  // also of what a sort carries
      },
      [&](const Permute& op) { return extents_[op.defaults]; },
      [&](const Rows& op) {
        Extents result = extents_[op.source];
        result[0] = clamped(prim(ScalarOp::sub, of_value(op.end), of_value(op.begin)));
        return result;
      },
      [&](const Slice& op) {
        Extents result;
        for (std::size_t axis = 0; axis < op.axes.size(); ++axis)
          if (op.axes[axis] == none) result.push_back(extents_[op.source][axis]);
        return result;
      },
      [&](const Replicate& op) {
        Extents result;
        std::size_t next = 0;
        for (const Value axis : op.axes)
          result.push_back(axis == none ? extents_[op.source][next++] : clamped(of_value(axis)));
        return result;
      },
      [&](const ZipWith& op) {
        if (op.equal) equate_all(op.sources);
        return intersection(op.sources);
      },
      [&](const Fold& op) {
        Extents result = extents_[op.source];
        result.resize(result.size() - op.axes);
        return result;
      },
      [&](const FoldSegments& op) {
        Extents result = extents_[op.source];
        result.back() = clamped(prim(ScalarOp::sub, extents_[op.offsets][0], constant(1)));
        return result;
      },
      [&](const Scan& op) {
        Extents result = extents_[op.source];
        Symbol& scanned = result[scanned_axis(op, result.size())];
        if (!op.seed.empty()) scanned = prim(ScalarOp::add, scanned, constant(1));
        return result;
      },
      [&](const Concat& op) {
        Extents result = intersection(op.sources);
        result[op.axis] = constant(0);
        for (const ArrayId source : op.sources)
          result[op.axis] = prim(ScalarOp::add, result[op.axis], extents_[source][op.axis]);
        return result;
      },
      // Arguments, and operations whose sizes are known only after they have run.
      [&](const OneOf<HostScalar, Use, Input, Unit, Compact, ArrayIf, ArrayWhile,
                      ForeignArrays> auto&) {
        Extents result(program_.array_types[result_array].rank);
        for (Symbol& symbol : result) symbol = opaque(true);
        if (result.size() == 1 && is_one_of<Use, Input>(binding.op)) of_vectors_.insert(result[0]);
        return result;
      });
}

void Shapes::equate_all(std::span<const ArrayId> arrays) {
  const std::vector<Symbol> first = extents_[arrays[0]];
  for (const ArrayId array : arrays)
    for (std::size_t axis = 0; axis < first.size(); ++axis)
      equate(first[axis], extents_[array][axis]);
}

}  // namespace hasten::passes
