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
        is_position_(kernel.value_types.size()),
        in_place_(kernel.inputs.size()),
        elsewhere_(kernel.inputs.size()) {
    for (const Value index : kernel.element.params) is_position_[index] = true;
  }

  [[nodiscard]] bool serve_reads_only(const Region& region) {
    const bool all = std::all_of(region.body.begin(), region.body.end(),
                                 [&](const core::Stmt& stmt) { return serves(stmt); });
    return all && std::none_of(region.results.begin(), region.results.end(),
                               [&](Value v) { return is_position_[v]; });
  }

  [[nodiscard]] const std::vector<bool>& in_place() const { return in_place_; }

 private:
  [[nodiscard]] bool serves(const core::Stmt& stmt) {
    if (const auto* load = std::get_if<core::LoadLinear>(&stmt.op)) {
      (is_position_[load->index] ? in_place_ : elsewhere_)[load->array] = true;
      return !in_place_[load->array] || !elsewhere_[load->array];
    }
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
  std::vector<bool> is_position_;           // by value
  std::vector<bool> in_place_, elsewhere_;  // by input: how it is read
};

}  // namespace

std::optional<std::vector<bool>> reads_in_place(const Kernel& kernel) {
  if (kernel.skeleton != Skeleton::map || kernel.interior) return std::nullopt;
  if (kernel.rank > 1 && !kernel.collapsible) return std::nullopt;
  Positions positions(kernel);
  if (!positions.serve_reads_only(kernel.element)) return std::nullopt;
  return positions.in_place();
}

}  // namespace hasten::kernels
