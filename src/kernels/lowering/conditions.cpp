// Launches whose results only conditions read: later calls with the same arguments reuse them.
#include "kernels/lowering/lowering.hpp"

#include "core/traverse.hpp"

#include <algorithm>

namespace hasten::kernels {

using namespace core;

// Backward: the arrays and host values that anything but a condition needs.
void Lowering::note_needs(const Block& block) {
  needed_arrays_.insert(block.results.begin(), block.results.end());
  const auto need = [&](const auto& used) {
    for_each_use(
        used, [&](Value v) { needed_values_.insert(v); },
        [&](ArrayId a) { needed_arrays_.insert(a); });
  };
  for (auto it = block.bindings.rbegin(); it != block.bindings.rend(); ++it) {
    if (const auto* demand = std::get_if<Demand>(&it->op)) {
      needed_arrays_.insert(demand->source);
    } else if (const auto* scalar = std::get_if<HostScalar>(&it->op)) {
      const auto is_needed = [&](Value v) { return needed_values_.contains(v); };
      if (std::ranges::any_of(scalar->stmt.results, is_needed)) need(scalar->stmt);
    } else {
      need(*it);
    }
  }
}

// A fold to one element of arrays that the caller passes.
bool Lowering::is_condition(const std::vector<const Binding*>& made, const Launch& launch) const {
  const bool serves_conditions = std::ranges::all_of(made, [&](const Binding* binding) {
    const ArrayId result = binding->results[0];
    return env_.rank(result) == 0 && !needed_arrays_.contains(result);
  });
  return serves_conditions && launch.beside.empty() &&
         std::ranges::all_of(launch.inputs, [&](const InputSource& input) {
           const Binding* const maker = env_.producer[input.array];
           return maker && (std::holds_alternative<Input>(maker->op) ||
                            std::holds_alternative<Use>(maker->op));
         });
}

}  // namespace hasten::kernels
