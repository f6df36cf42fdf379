// Values are told apart by what they depend on, statement by statement.
#include "backends/c_like/contraction.hpp"

#include "core/traverse.hpp"
#include "kernels/finish.hpp"

#include <algorithm>

namespace hasten::backends::c_like {
namespace {

// What a value depends on.
constexpr unsigned down = 1, across = 2, memory = 4;

void for_each_use(const core::Stmt& stmt, core::FunctionRef<void(Value)> f) {
  core::for_each_use(stmt, f, [](core::ArrayId) {});
}

unsigned axes_of(unsigned what) { return what & (down | across); }

std::vector<unsigned> dependences(const Kernel& kernel) {
  std::vector<unsigned> of(kernel.value_types.size(), 0);
  of[kernel.element.params[kernel.rank - 3]] = down;
  of[kernel.element.params[kernel.rank - 2]] = across;
  for (const core::Stmt& stmt : kernel.element.body) {
    unsigned all = std::holds_alternative<core::LoadLinear>(stmt.op) ? memory : 0;
    for_each_use(stmt, [&](Value v) { all |= of[v]; });
    for (const Value v : stmt.results) of[v] = all;
  }
  return of;
}

// The statements that `results` need and that do not give one of `given`.
Region slice(const Region& region, const std::vector<Value>& results,
             const std::vector<Value>& given, std::size_t values) {
  std::vector<bool> is_needed(values, false), is_given(values, false);
  for (const Value v : results) is_needed[v] = true;
  for (const Value v : given) is_given[v] = true;
  Region part{region.params, {}, results};
  for (auto stmt = region.body.rbegin(); stmt != region.body.rend(); ++stmt) {
    if (std::ranges::none_of(stmt->results, [&](Value v) { return is_needed[v] && !is_given[v]; }))
      continue;
    for_each_use(*stmt, [&](Value v) { is_needed[v] = true; });
    part.body.push_back(*stmt);
  }
  std::ranges::reverse(part.body);
  return part;
}

// Of the reads that move along the axis: do more of them have neighbours along the folded one?
bool reads_along_fold(const Kernel& kernel, std::size_t axis) {
  using kernels::Stride;
  const auto own = kernels::read_strides(kernel, kernel.element, axis);
  const auto fold = kernels::read_strides(kernel, kernel.element, kernel.rank - 1);
  int votes = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == Stride::zero) continue;
    votes += (fold[i] == Stride::one ? 1 : 0) - (own[i] == Stride::one ? 1 : 0);
  }
  return votes > 0;
}

class Planner {
 public:
  explicit Planner(const Kernel& kernel) : kernel_(kernel), of_(dependences(kernel)) {}

  ContractionPlan plan(const ContractionTile& tile) {
    const Region& element = kernel_.element;
    for (const core::Stmt& stmt : element.body) {
      const Value result = stmt.results[0];
      for_each_use(stmt, [&](Value v) {
        if (axes_of(of_[v]) != axes_of(of_[result])) share(v);
      });
    }
    for (const Value v : element.results) share(v);
    const std::size_t values = kernel_.value_types.size();
    ContractionPlan plan;
    plan.down = {slice(element, down_, {}, values), reads_along_fold(kernel_, kernel_.rank - 3)};
    plan.across = {slice(element, across_, {}, values),
                   reads_along_fold(kernel_, kernel_.rank - 2)};
    std::vector<Value> shared = down_;
    shared.insert(shared.end(), across_.begin(), across_.end());
    plan.rest = slice(element, element.results, shared, values);
    for (const std::int64_t deep : {8, 4})
      if (plan.deep == 0 && !shared.empty() && 2 * deep * bytes(tile) <= contraction_local_bytes)
        plan.deep = deep;
    return plan.deep > 0 ? plan : ContractionPlan{};
  }

 private:
  // What comes of memory and of one axis alone.
  void share(Value v) {
    if ((of_[v] & memory) == 0) return;
    const unsigned axis = axes_of(of_[v]);
    std::vector<Value>* const to = axis == down ? &down_ : axis == across ? &across_ : nullptr;
    if (to && std::ranges::find(*to, v) == to->end()) to->push_back(v);
  }

  // Of one step of the folded axis.
  [[nodiscard]] std::int64_t bytes(const ContractionTile& tile) const {
    std::int64_t sum = 0;
    const auto add = [&](const std::vector<Value>& shared, std::int64_t extent) {
      for (const Value v : shared)
        sum += (extent + contraction_gap) *
               std::max<std::int64_t>(detail::size_in_bytes(kernel_.value_types[v]), 4);
    };
    add(down_, tile.rows());
    add(across_, tile.columns());
    return sum;
  }

  const Kernel& kernel_;
  std::vector<unsigned> of_;
  std::vector<Value> down_, across_;
};

}  // namespace

ContractionPlan contraction_plan(const Kernel& kernel, const ContractionTile& tile) {
  return Planner(kernel).plan(tile);
}

}  // namespace hasten::backends::c_like
