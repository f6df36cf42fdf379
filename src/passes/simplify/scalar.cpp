// The simplifier walks forward once; leaving a region restores the table of known expressions.
#include "passes/simplify/simplify.hpp"

#include "passes/walk.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace hasten::passes {

using namespace core;

namespace {

constexpr std::size_t constant_tag = 1000, load_tag = 1001, linear_tag = 1002, extent_tag = 1003,
                      foreign_tag = 1004, extract_tag = 1005;
// The limit of equations applied to one statement and to its replacements.
constexpr unsigned fuel_at_first = 8;

}  // namespace

std::size_t ScalarSimplifier::KeyHash::operator()(const Key& key) const {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (std::uint32_t word : key) h = (h ^ word) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  return h;
}

Value ScalarSimplifier::resolve(Value value) const {
  auto it = replacement_.find(value);
  return it == replacement_.end() ? value : it->second;
}

void ScalarSimplifier::replace(Value from, Value to) { replacement_[from] = resolve(to); }

void ScalarSimplifier::resolve_all(std::vector<Value>& values) const {
  for (Value& v : values) v = resolve(v);
}

Value ScalarSimplifier::new_value(ScalarType type) {
  types_.push_back(type);
  return static_cast<Value>(types_.size() - 1);
}

void ScalarSimplifier::run(Region& region, Sibling* first) {
  Sibling* const of_outside = std::exchange(sibling_, first);
  const std::size_t outside = mark();
  Code body;
  run_body(region, body);
  region.body = std::move(body);
  restore(outside);
  sibling_ = of_outside;
}

void ScalarSimplifier::restore(std::size_t mark) {
  for (; undo_.size() > mark; undo_.pop_back()) known_.erase(undo_.back());
}

void ScalarSimplifier::run_body(Region& region, Code& out) {
  out.reserve(out.size() + region.body.size());
  for (Stmt& stmt : region.body) run(std::move(stmt), out);
  resolve_all(region.results);
}

void ScalarSimplifier::run(Stmt stmt, Code& out) {
  edit_operands(stmt, [&](Value& v) { v = resolve(v); }, [](ArrayId&) {});
  if (auto* prim = std::get_if<Prim>(&stmt.op))
    return define(stmt.results[0], std::move(*prim), fuel_at_first, out);
  if (std::holds_alternative<If>(stmt.op)) return run_branch(std::move(stmt), out);
  if (std::holds_alternative<While>(stmt.op)) return run_loop(std::move(stmt), out);
  edit_regions(stmt, [&](Region& inner) { run(inner); });
  if (is_element_known(stmt)) return;
  if (const Value same = known_as(stmt); same != none) return replace(stmt.results[0], same);
  if (auto* c = std::get_if<Constant>(&stmt.op); c && c->slot == none)
    knowledge_.note(stmt.results[0], c->bits);
  if (std::holds_alternative<Extent>(stmt.op)) knowledge_.note_not_negative(stmt.results[0]);
  out.push_back(std::move(stmt));
}

// -- operations -----------------------------------------------------------------------------------

void ScalarSimplifier::define(Value result, Prim prim, unsigned fuel, Code& out) {
  for (;; --fuel) {
    put_constants_last(prim);
    if (const auto bits = fold(result, prim)) return define(result, *bits, out);
    if (fuel == 0) break;
    const Operation operation(prim);
    const auto match = Match::find(equations_, knowledge_, operation, types_[result]);
    if (!match) break;
    ++applied_;
    const Pattern& to = match->equation().to;
    if (const auto bits = match->constant(to, 0, types_[result])) return define(result, *bits, out);
    if (to.nodes[0].kind == Pattern::Kind::variable)
      return replace(result, match->value(to.nodes[0]));
    prim = replaced(*match, types_[result], fuel - 1, out);
  }
  Stmt stmt{{result}, std::move(prim)};
  if (const Value same = known_as(stmt); same != none) return replace(result, same);
  knowledge_.note(result, Operation(std::get<Prim>(stmt.op)));
  out.push_back(std::move(stmt));
}

void ScalarSimplifier::define(Value result, const Bits& bits, Code& out) {
  Stmt stmt{{result}, Constant{bits, none}};
  if (const Value same = known_as(stmt); same != none) return replace(result, same);
  knowledge_.note(result, bits);
  out.push_back(std::move(stmt));
}

Prim ScalarSimplifier::replaced(const Match& match, ScalarType type, unsigned fuel, Code& out) {
  const Pattern& to = match.equation().to;
  Prim prim{to.nodes[0].op, {}};
  for (std::size_t i = 0; i < row(prim.op).arity; ++i)
    prim.args.push_back(
        build(match, to.nodes[0].args[i], match.operand_type(to, 0, i, type), fuel, out));
  return prim;
}

Value ScalarSimplifier::build(const Match& match, std::size_t index, ScalarType type, unsigned fuel,
                              Code& out) {
  const Pattern& to = match.equation().to;
  const Pattern::Node& node = to.nodes[index];
  if (node.kind == Pattern::Kind::variable) return match.value(node);
  const Value result = new_value(type);
  if (const auto bits = match.constant(to, index, type)) {
    define(result, *bits, out);
    return resolve(result);
  }
  Prim prim{node.op, {}};
  for (std::size_t i = 0; i < row(node.op).arity; ++i)
    prim.args.push_back(
        build(match, node.args[i], match.operand_type(to, index, i, type), fuel, out));
  define(result, std::move(prim), fuel, out);
  return resolve(result);
}

// prim of constants = constant
std::optional<Bits> ScalarSimplifier::fold(Value result, const Prim& prim) const {
  std::array<Bits, 3> args;
  std::array<ScalarType, 3> arg_types{};
  const std::size_t arity = prim.args.size();
  for (std::size_t i = 0; i < arity; ++i) {
    const Bits* bits = constant(prim.args[i]);
    if (!bits) return std::nullopt;
    args[i] = *bits;
    arg_types[i] = types_[prim.args[i]];
  }
  // Kept, so that Checks::arithmetic finds it at run time.
  if (row(prim.op).partial && args[1].lo == 0) return std::nullopt;
  return evaluate(prim.op, types_[result], {arg_types.data(), arity}, {args.data(), arity});
}

void ScalarSimplifier::put_constants_last(Prim& prim) const {
  if (prim.args.size() != 2 || !row(prim.op).commutative) return;
  const bool left = constant(prim.args[0]) != nullptr, right = constant(prim.args[1]) != nullptr;
  if ((left && !right) || (left == right && prim.args[0] > prim.args[1]))
    std::swap(prim.args[0], prim.args[1]);
}

// -- branches -------------------------------------------------------------------------------------

void ScalarSimplifier::run_branch(Stmt stmt, Code& out) {
  auto& branch = std::get<If>(stmt.op);
  if (const Bits* c = constant(branch.condition)) {
    // A decided condition: its branch becomes part of this region.
    Region taken = std::move(c->lo ? branch.then_ : branch.else_);
    run_body(taken, out);
    for (std::size_t i = 0; i < stmt.results.size(); ++i)
      replace(stmt.results[i], taken.results[i]);
    return;
  }
  run_side(branch.then_, branch.condition, true);
  run_other_side(branch, out);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < stmt.results.size(); ++i) {
    if (is_one_value(branch, i, stmt.results[i], out)) continue;
    const Value then_value = branch.then_.results[i], else_value = branch.else_.results[i];
    if (knowledge_.not_negative(then_value) && knowledge_.not_negative(else_value))
      knowledge_.note_not_negative(stmt.results[i]);
    stmt.results[kept] = stmt.results[i];
    branch.then_.results[kept] = then_value;
    branch.else_.results[kept++] = else_value;
  }
  stmt.results.resize(kept);
  branch.then_.results.resize(kept);
  branch.else_.results.resize(kept);
  if (kept > 0) out.push_back(std::move(stmt));
}

// Inside a branch the value of its condition is known.
void ScalarSimplifier::run_side(Region& side, Value condition, bool holds, Sibling* first) {
  std::vector<Value> assumed;
  assume(condition, holds, assumed);
  run(side, first);
  for (const Value v : assumed) knowledge_.forget_constant(v);
}

// if c { x = e; ... } else { y = e; ... } = x = e; if c { ... } else { ... }
// One of both runs in any case, so that even what is partial may leave.
void ScalarSimplifier::run_other_side(If& branch, Code& out) {
  Code& code = branch.then_.body;
  Sibling both{code, {}, std::vector<bool>(code.size())};
  for (std::size_t place = 0; place < code.size(); ++place)
    if (auto key = key_of(code[place])) both.places.emplace(std::move(*key), place);
  run_side(branch.else_, branch.condition, false, &both);
  if (std::ranges::none_of(both.in_both, std::identity{})) return;
  Code kept;
  for (std::size_t place = 0; place < code.size(); ++place) {
    if (both.in_both[place]) known_as(code[place]);
    (both.in_both[place] ? out : kept).push_back(std::move(code[place]));
  }
  code = std::move(kept);
}

void ScalarSimplifier::assume(Value condition, bool holds, std::vector<Value>& assumed) {
  constexpr std::size_t assumed_max = 8;
  std::vector<std::pair<Value, bool>> open{{condition, holds}};
  while (!open.empty() && assumed.size() < assumed_max) {
    const auto [v, is_true] = open.back();
    open.pop_back();
    if (constant(v)) continue;
    knowledge_.note(v, Bits{is_true, 0});
    assumed.push_back(v);
    const Operation* operation = knowledge_.operation(v);
    if (!operation) continue;
    if (operation->op == ScalarOp::not_) open.emplace_back(operation->args[0], !is_true);
    if (operation->op == (is_true ? ScalarOp::and_ : ScalarOp::or_))
      for (const Value arg : {operation->args[0], operation->args[1]})
        open.emplace_back(arg, is_true);
  }
}

// if c { -> x } else { -> x } = x; if c { -> true } else { -> false } = c
bool ScalarSimplifier::is_one_value(const If& branch, std::size_t i, Value result, Code& out) {
  const Value a = branch.then_.results[i], b = branch.else_.results[i];
  if (a == b) {
    replace(result, a);
    return true;
  }
  const Bits *yes = constant(a), *no = constant(b);
  if (!yes || !no) return false;
  if (*yes == *no) {
    define(result, Bits(*yes), out);
    return true;
  }
  if (!detail::is_bool(types_[result])) return false;
  if (yes->lo != 0)
    replace(result, branch.condition);
  else
    define(result, Prim{ScalarOp::not_, {branch.condition}}, fuel_at_first, out);
  return true;
}

// -- loops ----------------------------------------------------------------------------------------

void ScalarSimplifier::run_loop(Stmt stmt, Code& out) {
  auto& loop = std::get<While>(stmt.op);
  drop_fixed_state(stmt, loop);
  if (stmt.results.empty()) return;
  note_counters(loop, stmt);
  run(loop.condition);
  if (const Bits* c = constant(loop.condition.results[0]); c && c->lo == 0) {
    for (std::size_t i = 0; i < stmt.results.size(); ++i) replace(stmt.results[i], loop.init[i]);
    return;
  }
  run(loop.body);
  out.push_back(std::move(stmt));
}

// Drops components that each round passes on unchanged.
void ScalarSimplifier::drop_fixed_state(Stmt& stmt, While& loop) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < stmt.results.size(); ++i) {
    if (loop.body.results[i] == loop.body.params[i]) {
      for (const Value v : {stmt.results[i], loop.condition.params[i], loop.body.params[i]})
        replace(v, loop.init[i]);
      continue;
    }
    for (std::vector<Value>* list :
         {&stmt.results, &loop.init, &loop.condition.params, &loop.body.params, &loop.body.results})
      (*list)[kept] = (*list)[i];
    ++kept;
  }
  for (std::vector<Value>* list :
       {&stmt.results, &loop.init, &loop.condition.params, &loop.body.params, &loop.body.results})
    list->resize(kept);
}

// With i = 0, or more, while (i < n) i = i + 1 never wraps.
void ScalarSimplifier::note_counters(const While& loop, const Stmt& stmt) {
  const auto definition = [](const Region& region, Value v) -> const Prim* {
    for (const Stmt& s : region.body)
      if (s.results.size() == 1 && s.results[0] == v) return std::get_if<Prim>(&s.op);
    return nullptr;
  };
  const auto is_one = [&](Value v) {
    if (const Bits* bits = constant(resolve(v))) return bits->lo == 1;
    for (const Stmt& s : loop.body.body)
      if (const auto* c = std::get_if<Constant>(&s.op); c && s.results[0] == v)
        return c->slot == none && c->bits.lo == 1;
    return false;
  };
  const Prim* test = definition(loop.condition, loop.condition.results[0]);
  if (!test || test->op != ScalarOp::lt) return;
  for (std::size_t i = 0; i < loop.init.size(); ++i) {
    if (test->args[0] != loop.condition.params[i] || !knowledge_.not_negative(loop.init[i]))
      continue;
    const Prim* next = definition(loop.body, loop.body.results[i]);
    const Value state = loop.body.params[i];
    const bool counts = next && next->op == ScalarOp::add &&
                        ((next->args[0] == state && is_one(next->args[1])) ||
                         (next->args[1] == state && is_one(next->args[0])));
    if (!counts) continue;
    for (const Value v : {state, loop.condition.params[i], stmt.results[i]})
      knowledge_.note_not_negative(v);
  }
}

// -- elements of arrays ---------------------------------------------------------------------------

// extract k x0 x1 ... = xk; insert k y x0 x1 ... = x0 ... y ...
bool ScalarSimplifier::is_element_known(const Stmt& stmt) {
  const auto* extract = std::get_if<Extract>(&stmt.op);
  const auto* insert = std::get_if<Insert>(&stmt.op);
  if (!extract && !insert) return false;
  const Bits* index = constant(extract ? extract->index : insert->index);
  if (!index) return false;
  const std::vector<Value>& elements = extract ? extract->elements : insert->elements;
  const std::size_t place =
      std::min<std::size_t>(static_cast<std::uint32_t>(index->lo), elements.size() - 1);
  if (extract) replace(stmt.results[0], elements[place]);
  if (insert)
    for (std::size_t i = 0; i < elements.size(); ++i)
      replace(stmt.results[i], i == place ? insert->element : elements[i]);
  return true;
}

// -- common subexpressions ------------------------------------------------------------------------

std::optional<ScalarSimplifier::Key> ScalarSimplifier::key_of(const Stmt& stmt) const {
  const auto word = [](auto x) { return static_cast<std::uint32_t>(x); };
  const std::uint32_t type = stmt.results.size() == 1 ? word(types_[stmt.results[0]]) : 0;
  Key key;
  if (auto* x = std::get_if<Prim>(&stmt.op)) {
    key = {word(x->op), type};
    key.insert(key.end(), x->args.begin(), x->args.end());
  } else if (auto* c = std::get_if<Constant>(&stmt.op); c && c->slot == none) {
    key = {constant_tag,          type, word(c->bits.lo), word(c->bits.lo >> 32), word(c->bits.hi),
           word(c->bits.hi >> 32)};
  } else if (auto* l = std::get_if<Load>(&stmt.op)) {
    key = {load_tag, l->array, l->leaf};
    key.insert(key.end(), l->index.begin(), l->index.end());
  } else if (auto* n = std::get_if<LoadLinear>(&stmt.op)) {
    key = {linear_tag, n->array, n->leaf, n->index};
  } else if (auto* e = std::get_if<Extent>(&stmt.op)) {
    key = {extent_tag, e->array, e->axis};
  } else if (auto* f = std::get_if<ForeignCall>(&stmt.op); f && f->fallback.results.empty()) {
    const auto function = reinterpret_cast<std::uintptr_t>(f->functions[0]);
    key = {foreign_tag, type, word(function), word(std::uint64_t{function} >> 32)};
    key.insert(key.end(), f->args.begin(), f->args.end());
  } else if (auto* element = std::get_if<Extract>(&stmt.op)) {
    key = {extract_tag, element->index};
    key.insert(key.end(), element->elements.begin(), element->elements.end());
  } else {
    return std::nullopt;
  }
  return key;
}

Value ScalarSimplifier::known_as(const Stmt& stmt) {
  auto key = key_of(stmt);
  if (!key) return none;
  auto [it, is_new] = known_.try_emplace(*key, stmt.results[0]);
  if (!is_new) return it->second;
  const Value same = sibling_ ? computed_in_both(*key, stmt) : none;
  if (same != none) it->second = same;
  undo_.push_back(std::move(*key));
  return same;
}

Value ScalarSimplifier::computed_in_both(const Key& key, const Stmt& stmt) {
  const auto found = sibling_->places.find(key);
  if (found == sibling_->places.end()) return none;
  Stmt& first = sibling_->code[found->second];
  // What is known of an index may follow from the condition.
  if (auto* load = std::get_if<Load>(&first.op)) {
    load->inside &= std::get<Load>(stmt.op).inside;
    load->some = load->some && std::get<Load>(stmt.op).some;
  }
  if (auto* load = std::get_if<LoadLinear>(&first.op))
    load->inside = load->inside && std::get<LoadLinear>(stmt.op).inside;
  sibling_->in_both[found->second] = true;
  return first.results[0];
}

}  // namespace hasten::passes
