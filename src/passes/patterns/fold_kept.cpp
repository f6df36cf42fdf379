// before: fold f [z] (compact mask a), also of one of its parts, also with maps in between
// after:  fold f [z] (zip_with (keep, x -> keep ? x : identity) mask a), where f works leaf by leaf
//         with operations of the table, whose identities change no bit; else a fold of pairs
//         (has, value), in which pairs without a value leave the others unchanged. Without a seed
//         such pairs tell whether there is a result.
// why:    no array and one launch, in place of an array and two
// needs:  only such uses of everything that was chosen, in the block in which it was chosen; cheap
//         maps, since they run where any of a vector's elements is chosen
// provides: compactions without uses, for dead_code
#include "passes/patterns/fold_kept.hpp"

#include "core/operators.hpp"
#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "passes/walk.hpp"
#include "passes/writing.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace hasten::passes {
namespace {

using namespace core;

constexpr std::size_t cheap_statements_max = 16;

bool is_cheap(const Region& fn) {
  if (fn.body.size() > cheap_statements_max) return false;
  return std::none_of(fn.body.begin(), fn.body.end(), [](const Stmt& stmt) {
    const auto* prim = std::get_if<Prim>(&stmt.op);
    return prim ? row(prim->op).expensive
                : !std::holds_alternative<Constant>(stmt.op) &&
                      !std::holds_alternative<Extent>(stmt.op) &&
                      !std::holds_alternative<Load>(stmt.op);
  });
}

/// A fold of the elements that a compaction has chosen.
struct Chain {
  std::size_t fold;               // in the block
  std::vector<const Map*> maps;   // the last one first
  std::size_t compact, part = 0;  // in the block; which of its results
};

class KeptFoldRewriter {
 public:
  explicit KeptFoldRewriter(Program& program)
      : program_(program),
        uses_(program.array_types.size()) {
    for_each_use(program.body, [](Value) {}, [&](ArrayId a) { ++uses_[a]; });
  }

  void run(Block& block) {
    for (Binding& binding : block.bindings)
      edit_blocks(binding.op, [&](Block& inner) { run(inner); });
    std::vector<Chain> chains = chains_in(block);
    std::erase_if(chains, [&](const Chain& chain) { return !is_free(block, chain, chains); });
    if (chains.empty()) return;
    std::vector<Binding> bindings;
    auto next = chains.begin();
    for (std::size_t i = 0; i < block.bindings.size(); ++i) {
      if (next != chains.end() && next->fold == i)
        rewrite(block, *next++, bindings);
      else
        bindings.push_back(block.bindings[i]);
    }
    block.bindings = std::move(bindings);
  }

 private:
  // -- which folds ------------------------------------------------------------------------------

  std::vector<Chain> chains_in(const Block& block) const {
    std::unordered_map<ArrayId, std::size_t> made;
    std::vector<Chain> chains;
    for (std::size_t i = 0; i < block.bindings.size(); ++i) {
      for (ArrayId a : block.bindings[i].results) made[a] = i;
      const auto* fold = std::get_if<Fold>(&block.bindings[i].op);
      if (!fold) continue;
      Chain chain{i, {}, 0};
      ArrayId source = fold->source;
      for (auto it = made.find(source); it != made.end(); it = made.find(source)) {
        const Binding& binding = block.bindings[it->second];
        if (std::holds_alternative<Compact>(binding.op)) {
          chain.compact = it->second;
          chain.part = binding.results[0] == source ? 0 : 1;
          chains.push_back(std::move(chain));
          break;
        }
        const auto* map = std::get_if<Map>(&binding.op);
        if (!map || uses_[source] != 1 || !is_cheap(map->fn)) break;
        chain.maps.push_back(map);
        source = map->source;
      }
    }
    return chains;
  }

  // Whether only these chains use what was chosen.
  [[nodiscard]] bool is_free(const Block& block, const Chain& chain,
                             const std::vector<Chain>& chains) const {
    std::uint32_t uses = 0;
    for (ArrayId a : block.bindings[chain.compact].results) uses += uses_[a];
    return uses == std::count_if(chains.begin(), chains.end(), [&](const Chain& other) {
             return other.compact == chain.compact;
           });
  }

  // -- what they become -------------------------------------------------------------------------

  void rewrite(const Block& block, const Chain& chain, std::vector<Binding>& out) {
    const Binding& binding = block.bindings[chain.fold];
    const auto& fold = std::get<Fold>(binding.op);
    const auto& compact = std::get<Compact>(block.bindings[chain.compact].op);
    const std::vector<ScalarType> leaves = program_.array_types[fold.source].leaves;
    BlockWriter writer(program_, binding, out);
    const std::vector<Bits> identity = identity_of(fold.fn, leaves);
    if (!fold.seed.empty() && !identity.empty()) {
      const ArrayId chosen = writer.add({1, leaves}, choice(chain, compact, leaves, identity));
      out.push_back(binding);
      std::get<Fold>(out.back().op).source = chosen;
      return;
    }
    std::vector<ScalarType> pair = leaves;
    pair.insert(pair.begin(), ScalarType::boolean);
    const ArrayId chosen = writer.add({1, pair}, choice(chain, compact, leaves, {}));
    std::vector<Value> seed = fold.seed;
    if (!seed.empty())
      seed.insert(seed.begin(), writer.host(ScalarType::boolean, Constant{{1, 0}, none}));
    ArrayId result =
        writer.add({0, pair}, Fold{of_pairs(fold.fn, leaves), std::move(seed), chosen});
    if (fold.seed.empty()) {
      const Value has = writer.host(ScalarType::boolean, Load{result, 0, {}});
      constexpr const char* message =
          "the innermost axis of an array of shape (0) is empty, and without a seed there is no "
          "result; fold with a seed, or test the extent first (acond)";
      result = writer.add({0, pair}, Demand{has, message, {}, result});
    }
    RegionWriter code(program_);
    std::vector<Value> values = code.parameters(pair);
    values.erase(values.begin());
    out.push_back(binding);
    out.back().op = Map{code.take(std::move(values)), result};
  }

  // The elements, with `nothing` where they are not chosen; pairs if there is no `nothing`.
  ZipWith choice(const Chain& chain, const Compact& compact, const std::vector<ScalarType>& leaves,
                 const std::vector<Bits>& nothing) {
    RegionWriter code(program_);
    Value keep = code.parameter(ScalarType::boolean);
    const std::vector<Value> x = code.parameters(program_.array_types[compact.source].leaves);
    if (chain.part == 1) keep = code.prim(ScalarOp::not_, ScalarType::boolean, {keep});
    std::vector<Value> values = x;
    if (!chain.maps.empty()) {
      RegionWriter inside(program_), otherwise(program_);
      for (auto map = chain.maps.rbegin(); map != chain.maps.rend(); ++map)
        values = inside.call((*map)->fn, values);
      std::vector<Value> others =
          otherwise.constants(leaves, nothing.empty() ? std::vector<Bits>(leaves.size()) : nothing);
      values = code.branch(keep, inside.take(std::move(values)), otherwise.take(std::move(others)));
    } else if (!nothing.empty()) {
      const std::vector<Value> others = code.constants(leaves, nothing);
      for (std::size_t i = 0; i < leaves.size(); ++i)
        values[i] = code.prim(ScalarOp::select, leaves[i], {keep, x[i], others[i]});
    }
    if (nothing.empty()) values.insert(values.begin(), keep);
    return {code.take(std::move(values)), {compact.mask, compact.source}};
  }

  // (has, x) f (has, y): the operator where both have a value.
  Region of_pairs(const Region& fn, const std::vector<ScalarType>& leaves) {
    RegionWriter code(program_);
    const Value left = code.parameter(ScalarType::boolean);
    const std::vector<Value> x = code.parameters(leaves);
    const Value right = code.parameter(ScalarType::boolean);
    const std::vector<Value> y = code.parameters(leaves);
    RegionWriter both(program_), some(program_), only_right(program_);
    std::vector<Value> sides = x;
    sides.insert(sides.end(), y.begin(), y.end());
    std::vector<Value> joined = both.call(fn, sides);
    RegionWriter only_left(program_);
    std::vector<Value> inner = some.branch(right, both.take(std::move(joined)), only_left.take(x));
    std::vector<Value> results = code.branch(left, some.take(std::move(inner)), only_right.take(y));
    results.insert(results.begin(), code.prim(ScalarOp::or_, ScalarType::boolean, {left, right}));
    return code.take(std::move(results));
  }

  Program& program_;
  std::vector<std::uint32_t> uses_;  // by array
};

}  // namespace

Program fold_kept(Program program) {
  KeptFoldRewriter(program).run(program.body);
  return program;
}

}  // namespace hasten::passes
