// One walk backward finds other uses of a flattened array, one walk forward rewrites the rest.
#include "passes/patterns/unflatten.hpp"

#include "core/operators.hpp"
#include "core/traverse.hpp"
#include "passes/patterns/read_order.hpp"
#include "passes/shapes.hpp"

#include <unordered_map>

namespace hasten::passes {
namespace {

using namespace core;

class Unflattening {
 public:
  explicit Unflattening(Program& program)
      : program_(program),
        shapes_(program),
        needs_vector_(program.array_types.size()) {}

  void run() {
    note_uses(program_.body);
    rewrite(program_.body);
  }

 private:
  // What an array was flattened from, and how many of its axes became one.
  struct Origin {
    ArrayId array;
    std::uint32_t axes;
  };

  // -- backward ---------------------------------------------------------------------------------

  void note_uses(const Block& block) {
    for (const ArrayId a : block.results) needs_vector_[a] = true;
    for (auto it = block.bindings.rbegin(); it != block.bindings.rend(); ++it) {
      visit_blocks(it->op, [&](const Block& inner) { note_uses(inner); });
      note_uses(*it);
    }
  }

  // Notes the binding's own uses; those of its blocks have been noted.
  void note_uses(const Binding& binding) {
    ArrayId source = source_that_may_change(binding);
    const auto nothing = [](Value) {};
    const auto use = [&](ArrayId a) {
      if (a != source) needs_vector_[a] = true;
      source = a == source ? none : source;  // a second use counts as another one
    };
    if (const auto* scalar = std::get_if<HostScalar>(&binding.op))
      return for_each_use(scalar->stmt, nothing, use);
    visit_operands(binding.op, nothing, use);
    if (const Region* fn = region_of(binding.op)) for_each_use(*fn, nothing, use);
  }

  [[nodiscard]] ArrayId source_that_may_change(const Binding& binding) const {
    const auto* fold = std::get_if<Fold>(&binding.op);
    if (fold) return fold->axes == 1 && goes_in_lanes(*fold) ? fold->source : none;
    const auto* map = std::get_if<Map>(&binding.op);
    return map && !needs_vector_[binding.results[0]] ? map->source : none;
  }

  [[nodiscard]] bool goes_in_lanes(const Fold& fold) const {
    return !fold.in_order &&
           !identity_of(fold.fn, program_.array_types[fold.source].leaves).empty();
  }

  // -- forward ----------------------------------------------------------------------------------

  void rewrite(Block& block) {
    for (Binding& binding : block.bindings) {
      edit_blocks(binding.op, [&](Block& inner) { rewrite(inner); });
      if (const auto* reshape = std::get_if<Reshape>(&binding.op))
        note_flattened(*reshape, binding.results[0]);
      order_.note(binding);
      if (auto* map = std::get_if<Map>(&binding.op)) rewrite(*map, binding.results[0]);
      if (auto* fold = std::get_if<Fold>(&binding.op)) rewrite(*fold);
    }
  }

  // The innermost axes become one, the others stay. Rows that are read one element after the other
  // anyway remain rows, because the best way to fold them is known: short ones by lanes across
  // them.
  void note_flattened(const Reshape& reshape, ArrayId result) {
    const std::span<const Symbol> from = shapes_.of(reshape.source), to = shapes_.of(result);
    if (needs_vector_[result] || to.empty() || from.size() <= to.size()) return;
    if (to.size() > 1 && !order_.is_by_index(reshape.source)) return;
    const std::size_t outer = to.size() - 1;
    if (shapes_.same(from.first(outer), to.first(outer), result) &&
        shapes_.is_product(to.back(), from.subspan(outer), result))
      origins_[result] = {reshape.source, static_cast<std::uint32_t>(from.size() - outer)};
  }

  void rewrite(Map& map, ArrayId result) {
    const auto origin = origins_.find(map.source);
    if (origin == origins_.end()) return;
    map.source = origin->second.array;
    program_.array_types[result].rank = program_.array_types[map.source].rank;
    origins_[result] = {result, origin->second.axes};
  }

  void rewrite(Fold& fold) {
    const auto origin = origins_.find(fold.source);
    if (origin == origins_.end()) return;
    fold.source = origin->second.array;
    fold.axes = origin->second.axes;
  }

  Program& program_;
  const Shapes shapes_;
  ReadOrder order_{shapes_};
  std::vector<bool> needs_vector_;  // by array: some use is no fold of several axes
  std::unordered_map<ArrayId, Origin> origins_;
};

}  // namespace

Program unflatten_folds(Program program) {
  Unflattening(program).run();
  return program;
}

}  // namespace hasten::passes
