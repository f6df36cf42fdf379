// Operations are hashed with their own definitions numbered from 0, and all other names by number.
#include "passes/simplify/sharing.hpp"

#include "core/fields.hpp"
#include "core/traverse.hpp"
#include "passes/shapes.hpp"
#include "support/hash.hpp"
#include "support/overloaded.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hasten::passes {
namespace {

using namespace core;
using support::Digest;

class OperationHasher {
 public:
  explicit OperationHasher(const Program& program) : program_(program) {}

  Digest hash(const Binding& binding) {
    word(1, binding.op.index(), binding.results.size());
    for (const ArrayId a : binding.results) type(program_.array_types[a]);
    match(binding.op, [&](const auto& op) { fields(op); });
    return hasher_.finish();
  }

  Digest hash(const Stmt& stmt) {
    word(2);
    statement(stmt);
    return hasher_.finish();
  }

 private:
  template <class... Words>
  void word(Words... w) {
    (hasher_.add(w), ...);
  }

  void type(const ArrayType& t) {
    word(t.rank, t.leaves.size());
    for (const ScalarType leaf : t.leaves) word(leaf);
  }

  void fields(const Constant& constant) { word(constant.slot, constant.bits.lo, constant.bits.hi); }
  void fields(const Prim& prim) {
    word(prim.op);
    one(field::Operands{}, prim.args);
  }
  template <class Node>
  void fields(const Node& node) {
    for_each_field(node, [&](auto kind, const auto& member) { one(kind, member); });
  }

  void one(field::Operand, Value v) { use(v); }
  void one(field::Operands, const std::vector<Value>& list) { uses(list); }
  void one(field::List, const std::vector<Value>& list) { uses(list); }
  void one(field::Seed, const std::vector<Value>& list) { uses(list); }
  void one(field::Source, ArrayId a) { word(a); }
  void one(field::Sources, const std::vector<ArrayId>& list) {
    word(list.size());
    for (const ArrayId a : list) word(a);
  }
  void one(field::Loops, const std::vector<PermuteLoop>& loops) {
    word(loops.size());
    for (const PermuteLoop& loop : loops) word(loop.targets, loop.source, loop.writes, loop.inside);
  }
  void one(field::Number, std::uint32_t number) { word(number); }
  void one(field::Count, std::uint32_t count) { word(count); }
  void one(field::Axes, AxisSet set) { word(set); }
  void one(field::Component, std::uint32_t leaf) { word(leaf); }
  void one(field::Mode, detail::PermuteMode mode) { word(mode); }
  void one(field::Message, const char* message) { hasher_.add(message); }
  void one(field::Flag, bool holds) { word(holds); }
  void one(field::Limit, Value v) {
    word(v != none);
    if (v != none) use(v);
  }
  void one(field::Places, const std::vector<Value>& list) { uses(list); }
  void one(field::Functions, const std::vector<const detail::ForeignFunction*>& functions) {
    word(functions.size());
    for (const auto* function : functions) word(reinterpret_cast<std::uintptr_t>(function));
  }
  void one(field::Functions, const std::vector<ForeignImplementation>& functions) {
    word(functions.size());
    for (const ForeignImplementation& f : functions) word(f.index);
  }
  void one(field::Function, const Region& r) { region(r); }
  void one(field::Code, const Region& r) { region(r); }
  void one(field::Fallback, const Region& r) { region(r); }
  void one(auto, const Block&) {}  // what has blocks is not shared

  void define(const std::vector<Value>& values) {
    word(values.size());
    for (const Value v : values) {
      inside_.emplace(v, static_cast<std::uint32_t>(inside_.size()));
      word(program_.value_types[v]);
    }
  }

  void use(Value v) {
    const auto it = inside_.find(v);
    word(it != inside_.end(), it != inside_.end() ? it->second : v);
  }

  void uses(const std::vector<Value>& list) {
    word(list.size());
    for (const Value v : list) use(v);
  }

  void region(const Region& r) {
    define(r.params);
    word(r.body.size());
    for (const Stmt& stmt : r.body) statement(stmt);
    uses(r.results);
  }

  void statement(const Stmt& stmt) {
    word(stmt.op.index());
    match(stmt.op, [&](const auto& op) { fields(op); });
    define(stmt.results);
  }

  const Program& program_;
  std::unordered_map<Value, std::uint32_t> inside_;
  support::Hasher hasher_;
};

bool has_blocks(const ArrayOp& op) {
  bool any = false;
  visit_blocks(op, [&](const Block&) { any = true; });
  return any;
}

class Sharer {
 public:
  explicit Sharer(Program& program) : program_(program), shapes_(program) {}

  void run(Block& block) {
    const std::size_t outside = undo_.size();
    std::erase_if(block.bindings, [&](Binding& binding) { return is_shared(binding); });
    for (ArrayId& a : block.results) a = array(a);
    if (block.value != none) block.value = value(block.value);
    for (; undo_.size() > outside; undo_.pop_back()) known_.erase(undo_.back());
  }

  [[nodiscard]] Value value(Value v) const { return found(values_, v); }

 private:
  [[nodiscard]] ArrayId array(ArrayId a) const { return found(arrays_, a); }
  [[nodiscard]] static std::uint32_t found(const Renaming& renaming, std::uint32_t number) {
    const auto it = renaming.find(number);
    return it == renaming.end() ? number : it->second;
  }

  // Whether the binding is removed, because an earlier one does the same.
  bool is_shared(Binding& binding) {
    auto* scalar = std::get_if<HostScalar>(&binding.op);
    if (scalar) {
      auto* extent = std::get_if<Extent>(&scalar->stmt.op);
      if (extent && replace(extent_digest(*extent), scalar->stmt.results, values_)) return true;
      if (extent) ask_source(*extent);
      if (!values_.empty() || !arrays_.empty()) rename_uses(scalar->stmt, values_, arrays_);
      return replace(OperationHasher(program_).hash(scalar->stmt), scalar->stmt.results, values_);
    }
    edit_operands(binding.op, [&](Value& v) { v = value(v); }, [&](ArrayId& a) { a = array(a); });
    Region* fn = region_of(binding.op);
    if (fn && (!values_.empty() || !arrays_.empty())) rename_uses(*fn, values_, arrays_);
    edit_blocks(binding.op, [&](Block& inner) { run(inner); });
    if (has_blocks(binding.op)) return false;
    if (const auto* fold = std::get_if<Fold>(&binding.op))
      folded_[binding.results[0]] = fold->source;
    if (const auto* scan = std::get_if<Scan>(&binding.op))
      folded_[binding.results[0]] = scan->source;
    return replace(OperationHasher(program_).hash(binding), binding.results, arrays_);
  }

  // Extents that are equal for all sizes are one value: a fold result's extent, say, is its
  // source's, so that its use does not come between the fold and what is computed from the result.
  [[nodiscard]] Digest extent_digest(const Extent& extent) const {
    support::Hasher hasher;
    hasher.add(3).add(shapes_.of(extent.array)[extent.axis]);
    return hasher.finish();
  }

  // If an extent that a fold or scan keeps has no value yet, it is read off the source: so nothing
  // waits for the fold, and what is computed from its result can be its epilogue.
  void ask_source(Extent& extent) const {
    const Symbol wanted = shapes_.of(extent.array)[extent.axis];
    for (auto it = folded_.find(extent.array); it != folded_.end(); it = folded_.find(it->second)) {
      const std::span<const Symbol> of_source = shapes_.of(it->second);
      const auto axis = std::ranges::find(of_source, wanted);
      if (axis == of_source.end()) return;
      extent = {it->second, static_cast<std::uint32_t>(axis - of_source.begin())};
    }
  }

  bool replace(const Digest& digest, const std::vector<std::uint32_t>& results,
               Renaming& renaming) {
    const auto [it, is_new] = known_.try_emplace(digest, results);
    if (is_new) {
      undo_.push_back(digest);
      return false;
    }
    // The earlier value may itself have been replaced, as another extent of arrays that became one.
    for (std::size_t i = 0; i < results.size(); ++i)
      renaming[results[i]] = found(renaming, it->second[i]);
    return true;
  }

  Program& program_;
  const Shapes shapes_;  // of the program before the pass
  Renaming values_, arrays_;
  std::unordered_map<ArrayId, ArrayId> folded_;  // sources of folds and scans
  std::unordered_map<Digest, std::vector<std::uint32_t>, support::DigestHash> known_;
  std::vector<Digest> undo_;  // innermost block last
};

}  // namespace

Program share_equal_arrays(Program program) {
  Sharer sharer(program);
  sharer.run(program.body);
  for (Value& v : program.scalar_results) v = sharer.value(v);
  return program;
}

}  // namespace hasten::passes
