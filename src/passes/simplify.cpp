// The simplifier walks forward once; regions restore the table of known expressions on leaving.
#include "passes/simplify.hpp"

#include "core/scalar_ops.hpp"
#include "passes/walk.hpp"

#include <bit>
#include <cmath>

namespace hasten::passes {
namespace {

using namespace core;

constexpr std::size_t constant_tag = 1000, load_tag = 1001, linear_tag = 1002, extent_tag = 1003,
                      foreign_tag = 1004;

bool is_float(ScalarType t) { return t == ScalarType::f32 || t == ScalarType::f64; }

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

const Bits* ScalarSimplifier::constant(Value value) const {
  auto it = constants_.find(value);
  return it == constants_.end() ? nullptr : &it->second;
}

void ScalarSimplifier::replace(Value from, Value to) { replacement_[from] = resolve(to); }

void ScalarSimplifier::resolve_all(std::vector<Value>& values) const {
  for (Value& v : values) v = resolve(v);
}

void ScalarSimplifier::resolve_operands(Stmt& stmt) const {
  edit_operands(stmt, [&](Value& v) { v = resolve(v); }, [](ArrayId&) {});
}

void ScalarSimplifier::run(Region& region) {
  const std::size_t outside = mark();
  run_body(region);
  restore(outside);
}

void ScalarSimplifier::restore(std::size_t mark) {
  for (; undo_.size() > mark; undo_.pop_back()) known_.erase(undo_.back());
}

void ScalarSimplifier::run_body(Region& region) {
  std::vector<Stmt> body = std::move(region.body);
  region.body.clear();
  region.body.reserve(body.size());
  for (Stmt& stmt : body) {
    resolve_operands(stmt);
    auto* branch = std::get_if<If>(&stmt.op);
    if (const Bits* c = branch ? constant(branch->condition) : nullptr) {
      // A decided condition: its branch becomes part of this region.
      Region taken = std::move(c->lo ? branch->then_ : branch->else_);
      run_body(taken);
      for (Stmt& s : taken.body) region.body.push_back(std::move(s));
      for (std::size_t i = 0; i < stmt.results.size(); ++i)
        replace(stmt.results[i], taken.results[i]);
      continue;
    }
    if (run(stmt)) region.body.push_back(std::move(stmt));
  }
  resolve_all(region.results);
}

bool ScalarSimplifier::run(Stmt& stmt) {
  resolve_operands(stmt);
  edit_regions(stmt, [&](Region& inner) { run(inner); });
  if (auto* prim = std::get_if<Prim>(&stmt.op)) {
    put_constants_last(*prim);
    if (auto same = identity(*prim)) {
      replace(stmt.results[0], *same);
      return false;
    }
    fold(stmt);
  }
  if (find_equal(stmt)) return false;
  if (auto* c = std::get_if<Constant>(&stmt.op); c && c->slot == none)
    constants_[stmt.results[0]] = c->bits;
  return true;
}

// prim of constants = constant
bool ScalarSimplifier::fold(Stmt& stmt) {
  const auto& prim = std::get<Prim>(stmt.op);
  std::vector<Bits> args;
  std::vector<ScalarType> arg_types;
  for (Value arg : prim.args) {
    const Bits* bits = constant(arg);
    if (!bits) return false;
    args.push_back(*bits);
    arg_types.push_back(types_[arg]);
  }
  // Checks::arithmetic is to find it when it is run.
  if (row(prim.op).partial && args[1].lo == 0) return false;
  const ScalarType result = types_[stmt.results[0]];
  stmt.op = Constant{evaluate(prim.op, result, arg_types, args), none};
  return true;
}

void ScalarSimplifier::put_constants_last(Prim& prim) const {
  if (prim.args.size() != 2 || !row(prim.op).commutative) return;
  const bool left = constant(prim.args[0]) != nullptr, right = constant(prim.args[1]) != nullptr;
  if ((left && !right) || (left == right && prim.args[0] > prim.args[1]))
    std::swap(prim.args[0], prim.args[1]);
}

// The value is this number (for floats with this sign of zero).
bool ScalarSimplifier::is_number(Value value, double number) const {
  const Bits* bits = constant(value);
  if (!bits) return false;
  const ScalarType type = types_[value];
  if (type == ScalarType::f32)
    return bits->lo == std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (type == ScalarType::f64) return bits->lo == std::bit_cast<std::uint64_t>(number);
  return detail::is_integral(type) &&
         bits->lo == static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
}

// Equations that hold bit for bit, for every argument. NaN payloads do not count as bits.
std::optional<Value> ScalarSimplifier::identity(const Prim& prim) const {
  const auto& a = prim.args;
  const bool integral = detail::is_integral(types_[a[0]]);
  const bool floating = is_float(types_[a[0]]);
  switch (prim.op) {
    case ScalarOp::add:  // x + 0 = x; floats: x + -0 = x
      if (integral && is_number(a[1], 0)) return a[0];
      if (floating && is_number(a[1], -0.0)) return a[0];
      return std::nullopt;
    case ScalarOp::sub:  // x - 0 = x
      if ((integral || floating) && is_number(a[1], 0)) return a[0];
      return std::nullopt;
    case ScalarOp::mul:  // x * 1 = x; integers: x * 0 = 0
      if ((integral || floating) && is_number(a[1], 1)) return a[0];
      if (integral && is_number(a[1], 0)) return a[1];
      return std::nullopt;
    case ScalarOp::div:
    case ScalarOp::quot:
    case ScalarOp::idiv:  // x / 1 = x
      if ((integral || floating) && is_number(a[1], 1)) return a[0];
      return std::nullopt;
    case ScalarOp::min:
    case ScalarOp::max:
    case ScalarOp::and_:
    case ScalarOp::or_:  // min(x, x) = x
      if (a[0] == a[1]) return a[0];
      return std::nullopt;
    case ScalarOp::select:  // select(c, x, x) = x; select(true, x, y) = x
      if (a[1] == a[2]) return a[1];
      if (const Bits* c = constant(a[0])) return c->lo ? a[1] : a[2];
      return std::nullopt;
    default: return std::nullopt;
  }
}

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
  } else {
    return std::nullopt;
  }
  return key;
}

bool ScalarSimplifier::find_equal(Stmt& stmt) {
  auto key = key_of(stmt);
  if (!key) return false;
  auto [it, is_new] = known_.try_emplace(*key, stmt.results[0]);
  if (is_new)
    undo_.push_back(std::move(*key));
  else
    replace(stmt.results[0], it->second);
  return !is_new;
}

namespace {

class ProgramSimplifier {
 public:
  explicit ProgramSimplifier(Program& program) : scalar_(program.value_types) {}

  void run(Block& block) {
    const std::size_t outside = scalar_.mark();
    std::erase_if(block.bindings, [&](Binding& binding) { return !run(binding); });
    if (block.value != none) block.value = scalar_.resolve(block.value);
    scalar_.restore(outside);
  }
  Value resolve(Value v) const { return scalar_.resolve(v); }

 private:
  bool run(Binding& binding) {
    if (auto* scalar = std::get_if<HostScalar>(&binding.op)) {
      return scalar_.run(scalar->stmt);
    }
    edit_operands(binding.op, [&](Value& v) { v = scalar_.resolve(v); }, [](ArrayId&) {});
    if (Region* fn = region_of(binding.op)) scalar_.run(*fn);
    edit_blocks(binding.op, [&](Block& inner) { run(inner); });
    return true;
  }

  ScalarSimplifier scalar_;
};

}  // namespace

Program simplify(Program program) {
  ProgramSimplifier simplifier(program);
  simplifier.run(program.body);
  for (Value& v : program.scalar_results) v = simplifier.resolve(v);
  return program;
}

}  // namespace hasten::passes
