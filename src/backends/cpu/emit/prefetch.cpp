// Each index carries what was added to the outer axes on its way: the index with the largest sums
// is ahead.
#include "backends/cpu/emit/prefetch.hpp"

#include "core/traverse.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace hasten::backends::cpu {
namespace {

using namespace core;

/// What was added to the outer axes, outermost first. Corrections at borders do not count.
using Lead = std::vector<std::int64_t>;

class Leads {
 public:
  Leads(const kernels::Kernel& kernel, const kernels::Region& element)
      : outer_(kernel.rank - 1),
        leads_(kernel.value_types.size()),
        numbers_(kernel.value_types.size()) {
    for (std::size_t axis = 0; axis < outer_; ++axis) leads_[element.params[axis]] = Lead(outer_);
    for (std::size_t axis = 0; axis < outer_; ++axis) axis_[element.params[axis]] = axis;
    walk(element);
  }

  /// For each array that is read at several leads, the reads furthest ahead.
  [[nodiscard]] std::vector<bool> furthest() const {
    std::vector<bool> result(leads_.size());
    for (const auto& [array, reads] : reads_) {
      const auto less = [](const Read& a, const Read& b) { return a.lead < b.lead; };
      const auto [least, most] = std::minmax_element(reads.begin(), reads.end(), less);
      if (least->lead == most->lead) continue;
      const auto first = std::find_if(reads.begin(), reads.end(),
                                      [&](const Read& r) { return r.lead == most->lead; });
      result[first->value] = true;
    }
    return result;
  }

 private:
  struct Read {
    Lead lead;
    Value value;
  };

  void walk(const Region& region) {
    for (const Stmt& stmt : region.body) {
      visit_regions(stmt, [&](const Region& inner) { walk(inner); });
      statement(stmt);
    }
  }

  void statement(const Stmt& stmt) {
    if (const auto* constant = std::get_if<Constant>(&stmt.op))
      numbers_[stmt.results[0]] = static_cast<std::int64_t>(constant->bits.lo);
    if (const auto* load = std::get_if<LoadLinear>(&stmt.op)) {
      const auto& lead = leads_[load->index];
      if (lead) reads_[load->array].push_back({*lead, stmt.results[0]});
      return;
    }
    std::optional<Lead> lead;
    const auto join = [&](Value v) {
      if (leads_[v] && (!lead || *lead < *leads_[v])) lead = leads_[v];
    };
    visit_operands(stmt, join, [](ArrayId) {});
    visit_regions(stmt, [&](const Region& inner) {
      for (Value v : inner.results) join(v);
    });
    for (Value v : stmt.results) leads_[v] = lead;
    const auto* prim = std::get_if<Prim>(&stmt.op);
    if (lead && prim && prim->args.size() == 2) moved(*prim, stmt.results[0]);
  }

  // axis + number, axis - number
  void moved(const Prim& prim, Value result) {
    const int sign = prim.op == ScalarOp::add ? 1 : prim.op == ScalarOp::sub ? -1 : 0;
    const auto axis = axis_.find(prim.args[0]);
    if (sign == 0 || axis == axis_.end() || !numbers_[prim.args[1]]) return;
    (*leads_[result])[axis->second] += sign * *numbers_[prim.args[1]];
  }

  std::size_t outer_;
  std::vector<std::optional<Lead>> leads_;            // by Value
  std::vector<std::optional<std::int64_t>> numbers_;  // by Value
  std::map<Value, std::size_t> axis_;                 // the axis that a parameter is
  std::map<std::uint32_t, std::vector<Read>> reads_;  // by input
};

}  // namespace

std::vector<bool> reads_ahead(const kernels::Kernel& kernel, const kernels::Region& element) {
  if (kernel.rank < 2) return {};
  return Leads(kernel, element).furthest();
}

}  // namespace hasten::backends::cpu
