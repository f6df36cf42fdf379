// Positions are indices and what is made of them; in a collapsible kernel all such are addresses of
// reads in place. A read elsewhere has an index that is no position.
#include "kernels/elementwise.hpp"

#include "core/traverse.hpp"

#include <algorithm>
#include <variant>
#include <vector>

namespace hasten::kernels {
namespace {

class Positions {
 public:
  explicit Positions(const Kernel& kernel)
      : may_be_made_(kernel.rank > 1),
        is_position_(kernel.value_types.size()) {
    for (const Value index : kernel.element.params) is_position_[index] = true;
  }

  [[nodiscard]] bool serve_reads_only(const Region& region) {
    const bool all = std::all_of(region.body.begin(), region.body.end(),
                                 [&](const core::Stmt& stmt) { return serves(stmt); });
    return all && std::none_of(region.results.begin(), region.results.end(),
                               [&](Value v) { return is_position_[v]; });
  }

 private:
  [[nodiscard]] bool serves(const core::Stmt& stmt) {
    if (const auto* load = std::get_if<core::LoadLinear>(&stmt.op))
      return is_position_[load->index];
    bool uses = false;
    core::visit_operands(stmt, [&](Value v) { uses |= is_position_[v]; }, [](core::ArrayId) {});
    if (uses) {
      if (!may_be_made_ || !std::holds_alternative<core::Prim>(stmt.op)) return false;
      for (const Value result : stmt.results) is_position_[result] = true;
    }
    bool inside = true;
    core::visit_regions(stmt, [&](const Region& region) { inside &= serve_reads_only(region); });
    return inside;
  }

  const bool may_be_made_;
  std::vector<bool> is_position_;  // by value
};

}  // namespace

bool is_elementwise(const Kernel& kernel) {
  if (kernel.skeleton != Skeleton::map || kernel.interior) return false;
  if (kernel.rank > 1 && !kernel.collapsible) return false;
  return Positions(kernel).serve_reads_only(kernel.element);
}

}  // namespace hasten::kernels
