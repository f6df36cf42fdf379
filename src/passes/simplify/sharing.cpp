// Operations are hashed with what they define numbered from 0, and all else by number.
#include "passes/simplify/sharing.hpp"

#include "core/traverse.hpp"
#include "support/hash.hpp"

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
    std::visit([&](const auto& op) { fields(op); }, binding.op);
    visit_operands(binding.op, [&](Value v) { use(v); }, [&](ArrayId a) { word(a); });
    if (const Region* fn = region_of(binding.op)) region(*fn);
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

  // What is not an operand.
  void fields(const auto& op) {
    if constexpr (requires { op.index; }) word(op.index);
    if constexpr (requires { op.axis; }) word(op.axis);
    if constexpr (requires { op.mode; }) word(op.mode);
    if constexpr (requires { op.equal; }) word(op.equal);
    if constexpr (requires { op.message; }) hasher_.add(op.message), word(op.shown.size());
    if constexpr (requires { op.sources; }) word(op.sources.size());
    if constexpr (requires { op.seed; }) word(op.seed.size());
    if constexpr (requires { op.axes.size(); })
      for (const Value axis : op.axes) word(axis == none);  // kept ones are no operands
    else if constexpr (requires { op.axes; })
      word(op.axes);
  }

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

  void region(const Region& r) {
    define(r.params);
    word(r.body.size(), r.results.size());
    for (const Stmt& stmt : r.body) statement(stmt);
    for (const Value v : r.results) use(v);
  }

  void statement(const Stmt& stmt) {
    word(stmt.op.index());
    if (const auto* x = std::get_if<Constant>(&stmt.op)) word(x->slot, x->bits.lo, x->bits.hi);
    if (const auto* x = std::get_if<Prim>(&stmt.op)) word(x->op, x->args.size());
    if (const auto* x = std::get_if<While>(&stmt.op)) word(x->init.size());
    if (const auto* x = std::get_if<Load>(&stmt.op)) word(x->leaf, x->index.size());
    if (const auto* x = std::get_if<LoadLinear>(&stmt.op)) word(x->leaf);
    if (const auto* x = std::get_if<Extent>(&stmt.op)) word(x->axis);
    if (const auto* x = std::get_if<ForeignCall>(&stmt.op)) {
      word(x->functions.size(), x->args.size());
      for (const auto* function : x->functions) word(reinterpret_cast<std::uintptr_t>(function));
    }
    visit_operands(stmt, [&](Value v) { use(v); }, [&](ArrayId a) { word(a); });
    visit_regions(stmt, [&](const Region& inner) { region(inner); });
    define(stmt.results);
  }

  const Program& program_;
  std::unordered_map<Value, std::uint32_t> inside_;
  support::Hasher hasher_;
};

// The operations whose fields the hasher knows.
bool may_be_shared(const ArrayOp& op) {
  return std::visit(
      [](const auto& node) {
        using T = std::remove_cvref_t<decltype(node)>;
        return std::is_same_v<T, Use> || std::is_same_v<T, Input> || std::is_same_v<T, Unit> ||
               std::is_same_v<T, Generate> || std::is_same_v<T, Map> ||
               std::is_same_v<T, ZipWith> || std::is_same_v<T, Reshape> ||
               std::is_same_v<T, Replicate> || std::is_same_v<T, Slice> ||
               std::is_same_v<T, Backpermute> || std::is_same_v<T, Fold> ||
               std::is_same_v<T, FoldSegments> || std::is_same_v<T, Scan> ||
               std::is_same_v<T, Permute> || std::is_same_v<T, Concat> ||
               std::is_same_v<T, Compact> || std::is_same_v<T, SortPositions> ||
               std::is_same_v<T, Demand> || std::is_same_v<T, Compute>;
      },
      op);
}

bool is_known(const Region& region);

bool is_known(const Stmt& stmt) {
  bool result = std::visit(
      [](const auto& node) {
        using T = std::remove_cvref_t<decltype(node)>;
        return std::is_same_v<T, Constant> || std::is_same_v<T, Prim> || std::is_same_v<T, If> ||
               std::is_same_v<T, While> || std::is_same_v<T, Load> ||
               std::is_same_v<T, LoadLinear> || std::is_same_v<T, Extent> ||
               std::is_same_v<T, ForeignCall>;
      },
      stmt.op);
  visit_regions(stmt, [&](const Region& inner) { result = result && is_known(inner); });
  return result;
}

bool is_known(const Region& region) {
  for (const Stmt& stmt : region.body)
    if (!is_known(stmt)) return false;
  return true;
}

class Sharer {
 public:
  explicit Sharer(Program& program) : program_(program) {}

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

  // True when the binding goes, for an earlier one does the same.
  bool is_shared(Binding& binding) {
    auto* scalar = std::get_if<HostScalar>(&binding.op);
    if (scalar) {
      if (!values_.empty() || !arrays_.empty()) rename_uses(scalar->stmt, values_, arrays_);
      if (!is_known(scalar->stmt)) return false;
      return replace(OperationHasher(program_).hash(scalar->stmt), scalar->stmt.results, values_);
    }
    edit_operands(binding.op, [&](Value& v) { v = value(v); }, [&](ArrayId& a) { a = array(a); });
    Region* fn = region_of(binding.op);
    if (fn && (!values_.empty() || !arrays_.empty())) rename_uses(*fn, values_, arrays_);
    edit_blocks(binding.op, [&](Block& inner) { run(inner); });
    if (!may_be_shared(binding.op) || (fn && !is_known(*fn))) return false;
    return replace(OperationHasher(program_).hash(binding), binding.results, arrays_);
  }

  bool replace(const Digest& digest, const std::vector<std::uint32_t>& results,
               Renaming& renaming) {
    const auto [it, is_new] = known_.try_emplace(digest, results);
    if (is_new) {
      undo_.push_back(digest);
      return false;
    }
    for (std::size_t i = 0; i < results.size(); ++i) renaming[results[i]] = it->second[i];
    return true;
  }

  Program& program_;
  Renaming values_, arrays_;
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
