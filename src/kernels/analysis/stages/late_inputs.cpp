// All inputs, except those that elements and the operator read.
#include "kernels/analysis/stages/late_inputs.hpp"

#include "core/traverse.hpp"

#include <algorithm>

namespace hasten::kernels {

using namespace core;

std::vector<bool> late_inputs(const Kernel& kernel) {
  if (kernel.skeleton != Skeleton::scan || kernel.in_order) return {};
  std::vector<bool> is_late(kernel.inputs.size(), true);
  const auto note = [&](const auto& self, const Region& region) -> void {
    for (const Stmt& stmt : region.body) {
      if (const auto* read = std::get_if<LoadLinear>(&stmt.op)) is_late[read->array] = false;
      visit_regions(stmt, [&](const Region& inner) { self(self, inner); });
    }
  };
  note(note, kernel.element);
  note(note, kernel.combine);
  if (std::ranges::find(is_late, true) == is_late.end()) return {};
  return is_late;
}

}  // namespace hasten::kernels
