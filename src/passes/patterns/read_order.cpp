// An elementwise operation has the order of its operands.
#include "passes/patterns/read_order.hpp"

#include <algorithm>

namespace hasten::passes {

using namespace core;

void ReadOrder::note(const Binding& binding) {
  const ArrayOp& op = binding.op;
  bool by_index = std::holds_alternative<Generate>(op) || std::holds_alternative<Replicate>(op) ||
                  std::holds_alternative<Slice>(op) || std::holds_alternative<Backpermute>(op);
  if (const auto* map = std::get_if<Map>(&op)) by_index = is_by_index(map->source);
  if (const auto* reshape = std::get_if<Reshape>(&op)) by_index = is_by_index(reshape->source);
  if (const auto* zip = std::get_if<ZipWith>(&op)) {
    const ArrayId result = binding.results[0];
    by_index = std::ranges::any_of(zip->sources, [&](ArrayId a) {
      return is_by_index(a) || !shapes_.same_space(a, result, result);
    });
  }
  if (by_index) by_index_.insert(binding.results[0]);
}

}  // namespace hasten::passes
