// All needs are known before anything is changed.
#include "passes/simplify/leaves.hpp"

#include "passes/dead_code.hpp"
#include "passes/simplify/needs.hpp"

#include <utility>
#include <vector>

namespace hasten::passes {
namespace {

using namespace core;

bool is_operator(const ArrayOp& op) {
  return std::holds_alternative<Fold>(op) || std::holds_alternative<FoldSegments>(op) ||
         std::holds_alternative<Scan>(op) || std::holds_alternative<Permute>(op);
}

// Whether its function yields the components of the result.
bool gives_leaves(const ArrayOp& op) {
  return is_operator(op) || std::holds_alternative<Generate>(op) ||
         std::holds_alternative<GenerateSegments>(op) || std::holds_alternative<Map>(op) ||
         std::holds_alternative<ZipWith>(op);
}

class LeafDropper {
 public:
  LeafDropper(Program& program, const Needs& needs) : program_(program), needs_(needs) {}

  void run() {
    const std::vector<ArrayType> types = program_.array_types;
    for (ArrayId a = 0; a < types.size(); ++a) kept_.push_back(kept_leaves(a, types[a]));
    sweep(program_.body);
    for (ArrayId a = 0; a < types.size(); ++a) {
      program_.array_types[a].leaves.clear();
      for (const std::uint32_t leaf : kept_[a])
        program_.array_types[a].leaves.push_back(types[a].leaves[leaf]);
    }
  }

 private:
  using Kept = std::vector<std::uint32_t>;

  [[nodiscard]] Kept kept_leaves(ArrayId a, const ArrayType& type) const {
    Kept kept;
    for (std::uint32_t i = 0; i < type.leaves.size(); ++i)
      if (needs_.leaf(a, i)) kept.push_back(i);
    return kept;
  }

  template <class T>
  static void keep(std::vector<T>& list, const Kept& kept, std::size_t from = 0) {
    if (list.empty()) return;
    std::vector<T> result(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(from));
    for (const std::uint32_t i : kept) result.push_back(list[from + i]);
    list = std::move(result);
  }

  // -- scalar code ----------------------------------------------------------------------------

  void sweep(Region& region) {
    std::erase_if(region.body, [&](const Stmt& stmt) { return is_dead(stmt); });
    for (Stmt& stmt : region.body) sweep(stmt);
  }

  [[nodiscard]] bool is_dead(const Stmt& stmt) const {
    bool dead = true;
    for (const Value v : stmt.results) dead = dead && !needs_.value(v);
    if (const auto* loop = std::get_if<While>(&stmt.op))
      for (std::size_t i = 0; i < loop->init.size(); ++i) dead = dead && !is_live(*loop, stmt, i);
    return dead;
  }

  [[nodiscard]] bool is_live(const While& loop, const Stmt& stmt, std::size_t state) const {
    return needs_.value(stmt.results[state]) || needs_.value(loop.condition.params[state]) ||
           needs_.value(loop.body.params[state]);
  }

  void sweep(Stmt& stmt) {
    if (auto* load = std::get_if<Load>(&stmt.op)) load->leaf = number(load->array, load->leaf);
    if (auto* load = std::get_if<LoadLinear>(&stmt.op))
      load->leaf = number(load->array, load->leaf);
    Kept kept;
    if (auto* branch = std::get_if<If>(&stmt.op)) {
      for (std::uint32_t i = 0; i < stmt.results.size(); ++i)
        if (needs_.value(stmt.results[i])) kept.push_back(i);
      for (auto* list : {&stmt.results, &branch->then_.results, &branch->else_.results})
        keep(*list, kept);
    }
    if (auto* loop = std::get_if<While>(&stmt.op)) {
      for (std::uint32_t i = 0; i < stmt.results.size(); ++i)
        if (is_live(*loop, stmt, i)) kept.push_back(i);
      for (auto* list : {&stmt.results, &loop->init, &loop->condition.params, &loop->body.params,
                         &loop->body.results})
        keep(*list, kept);
    }
    edit_regions(stmt, [&](Region& inner) { sweep(inner); });
  }

  [[nodiscard]] std::uint32_t number(ArrayId a, std::uint32_t leaf) const {
    std::uint32_t result = 0;
    while (kept_[a][result] != leaf) ++result;
    return result;
  }

  // -- arrays ---------------------------------------------------------------------------------

  void sweep(Block& block) {
    std::vector<Binding> bindings = std::move(block.bindings);
    block.bindings.clear();
    block.bindings.reserve(bindings.size());
    for (Binding& binding : bindings) {
      if (auto* scalar = std::get_if<HostScalar>(&binding.op)) {
        if (is_dead(scalar->stmt)) continue;
        sweep(scalar->stmt);
      } else {
        sweep(binding, block.bindings);
      }
      block.bindings.push_back(std::move(binding));
    }
  }

  void sweep(Binding& binding, std::vector<Binding>& before) {
    if (Region* fn = region_of(binding.op)) {
      drop_parameters(binding, *fn);
      if (gives_leaves(binding.op)) keep(fn->results, kept_of(binding));
      sweep(*fn);
    }
    if (auto* x = std::get_if<Unit>(&binding.op)) keep(x->values, kept_of(binding));
    if (auto* x = std::get_if<Fold>(&binding.op)) keep(x->seed, kept_of(binding));
    if (auto* x = std::get_if<FoldSegments>(&binding.op)) keep(x->seed, kept_of(binding));
    if (auto* x = std::get_if<Scan>(&binding.op)) keep(x->seed, kept_of(binding));
    take_parts(binding, before);
    edit_blocks(binding.op, [&](Block& inner) { sweep(inner); });
  }

  [[nodiscard]] const Kept& kept_of(const Binding& binding) const {
    return kept_[binding.results[0]];
  }

  void drop_parameters(const Binding& binding, Region& fn) {
    std::vector<ArrayId> sources;
    if (const auto* x = std::get_if<Map>(&binding.op)) sources = {x->source};
    if (const auto* x = std::get_if<ZipWith>(&binding.op)) sources = x->sources;
    if (is_operator(binding.op)) sources = {binding.results[0], binding.results[0]};
    std::size_t before = 0;
    const std::vector<Value> params = fn.params;
    if (!sources.empty()) fn.params.clear();
    for (const ArrayId source : sources) {
      for (const std::uint32_t leaf : kept_[source]) fn.params.push_back(params[before + leaf]);
      before += program_.array_types[source].leaves.size();
    }
  }

  // Where a source keeps more components than the result has, a map without cost selects the part.
  void take_parts(Binding& binding, std::vector<Binding>& before) {
    const auto part = [&](ArrayId& source, ArrayId like) {
      if (kept_[source] != kept_[like]) source = part_of(source, like, binding, before);
    };
    std::visit(
        [&](auto& op) {
          using T = std::remove_cvref_t<decltype(op)>;
          if constexpr (std::is_same_v<T, Replicate> || std::is_same_v<T, Slice> ||
                        std::is_same_v<T, Backpermute> || std::is_same_v<T, Fold> ||
                        std::is_same_v<T, FoldSegments> || std::is_same_v<T, Scan> ||
                        std::is_same_v<T, Compact>)
            part(op.source, binding.results[0]);
          if constexpr (std::is_same_v<T, Permute>) {
            for (PermuteLoop& loop : op.loops)
              if (loop.writes == 1) part(loop.source, binding.results[0]);
            part(op.defaults, binding.results[0]);
          }
          if constexpr (std::is_same_v<T, Concat>)
            for (ArrayId& source : op.sources) part(source, binding.results[0]);
          if constexpr (std::is_same_v<T, SortPositions>)
            for (std::size_t i = 0; i < op.carried.size(); ++i)
              part(op.carried[i], binding.results[1 + i]);
          if constexpr (std::is_same_v<T, ArrayWhile>)
            for (std::size_t i = 0; i < op.init.size(); ++i) part(op.init[i], binding.results[i]);
        },
        binding.op);
  }

  ArrayId part_of(ArrayId source, ArrayId like, const Binding& user, std::vector<Binding>& before) {
    Map map{{}, source};
    const ArrayType whole = program_.array_types[source];
    ArrayType part{whole.rank, {}};
    for (const std::uint32_t leaf : kept_[source]) {
      map.fn.params.push_back(program_.new_value(whole.leaves[leaf]));
      for (const std::uint32_t wanted : kept_[like])
        if (wanted == leaf) {
          map.fn.results.push_back(map.fn.params.back());
          part.leaves.push_back(whole.leaves[leaf]);
        }
    }
    Binding binding;
    binding.results = {program_.new_array(part)};
    binding.op = std::move(map);
    binding.where = user.where;
    binding.operation = user.operation;
    before.push_back(std::move(binding));
    return before.back().results[0];
  }

  Program& program_;
  const Needs& needs_;
  std::vector<Kept> kept_;  // by array
};

}  // namespace

Program drop_dead_leaves(Program program) {
  const Needs needs(program);
  LeafDropper(program, needs).run();
  return remove_dead_code(std::move(program));  // arrays that only dead components used
}

}  // namespace hasten::passes
