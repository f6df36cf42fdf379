// In a space of one axis the index itself is the position. In a space of several axes this holds
// only for collapsible kernels, in which every value that depends on the index is the position.
#include "kernels/analysis/indices/own_reads.hpp"

#include "core/traverse.hpp"
#include "kernels/stages.hpp"

#include <algorithm>

namespace hasten::kernels {
namespace {

using namespace core;

class OwnReads {
 public:
  explicit OwnReads(const Kernel& kernel)
      : kernel_(kernel),
        is_place_(kernel.value_types.size()),
        is_read_(kernel.inputs.size()),
        is_read_elsewhere_(kernel.inputs.size()) {}

  std::vector<bool> find() {
    if (!may_have_any()) return is_read_;
    const Region* const interior = kernel_.interior ? &kernel_.interior->element : nullptr;
    for (const Region* region : regions_of(kernel_)) {
      if (region == &kernel_.element || region == interior)
        for (const Value index : region->params) is_place_[index] = true;
      look_at(*region);
    }
    for (std::size_t i = 0; i < is_read_.size(); ++i)
      is_read_[i] = is_read_[i] && !is_read_elsewhere_[i];
    return is_read_;
  }

 private:
  // A row's reduction may keep its intermediate results where the row's outputs will be.
  [[nodiscard]] bool may_have_any() const {
    const bool stores_elements =
        kernel_.skeleton == Skeleton::map ||
        (kernel_.skeleton == Skeleton::fold && kernel_.stored > 0 && !kernel_.range);
    return stores_elements && (kernel_.rank == 1 || kernel_.collapsible) &&
           !has_reductions(kernel_.element);
  }

  void look_at(const Region& region) {
    for (const Stmt& stmt : region.body) {
      if (const auto* load = std::get_if<LoadLinear>(&stmt.op))
        (is_place_[load->index] ? is_read_ : is_read_elsewhere_)[load->array] = true;
      else if (kernel_.collapsible && std::holds_alternative<Prim>(stmt.op))
        follow(stmt);
      visit_regions(stmt, [&](const Region& inner) { look_at(inner); });
    }
  }

  void follow(const Stmt& stmt) {
    bool depends = false;
    visit_operands(stmt, [&](Value v) { depends |= is_place_[v]; }, [](ArrayId) {});
    for (const Value result : stmt.results) is_place_[result] = depends;
  }

  const Kernel& kernel_;
  std::vector<bool> is_place_;  // by Value
  std::vector<bool> is_read_, is_read_elsewhere_;
};

}  // namespace

std::vector<bool> own_reads(const Kernel& kernel) { return OwnReads(kernel).find(); }

}  // namespace hasten::kernels
