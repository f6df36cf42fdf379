// Values are classified by what they depend on, statement by statement.
#include "kernels/analysis/contraction.hpp"

#include "core/traverse.hpp"
#include "kernels/analysis/strides.hpp"

#include <algorithm>

namespace hasten::kernels {
namespace {

constexpr std::size_t statements_max = 16;

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

// The statements that `results` need and that do not define one of `given`.
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

// Whether more of the reads that move along the axis are contiguous along the folded one.
bool reads_along_fold(const Kernel& kernel, std::size_t axis) {
  const auto own = read_strides(kernel, kernel.element, axis);
  const auto fold = read_strides(kernel, kernel.element, kernel.rank - 1);
  int votes = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == Stride::zero) continue;
    votes += (fold[i] == Stride::one ? 1 : 0) - (own[i] == Stride::one ? 1 : 0);
  }
  return votes > 0;
}

// Separates the shared values from the rest.
class Splitter {
 public:
  explicit Splitter(const Kernel& kernel) : kernel_(kernel), of_(dependences(kernel)) {}

  Contraction split() {
    const Region& element = kernel_.element;
    for (const core::Stmt& stmt : element.body) {
      const Value result = stmt.results[0];
      for_each_use(stmt, [&](Value v) {
        if (axes_of(of_[v]) != axes_of(of_[result])) share(v);
      });
    }
    for (const Value v : element.results) share(v);
    const std::size_t values = kernel_.value_types.size();
    Contraction result;
    result.down = {slice(element, down_, {}, values), reads_along_fold(kernel_, kernel_.rank - 3)};
    result.across = {slice(element, across_, {}, values),
                     reads_along_fold(kernel_, kernel_.rank - 2)};
    std::vector<Value> shared = down_;
    shared.insert(shared.end(), across_.begin(), across_.end());
    result.rest = slice(element, element.results, shared, values);
    return result;
  }

 private:
  // Values that depend on memory and on one axis alone.
  void share(Value v) {
    if ((of_[v] & memory) == 0) return;
    const unsigned axis = axes_of(of_[v]);
    std::vector<Value>* const to = axis == down ? &down_ : axis == across ? &across_ : nullptr;
    if (to && std::ranges::find(*to, v) == to->end()) to->push_back(v);
  }

  const Kernel& kernel_;
  std::vector<unsigned> of_;
  std::vector<Value> down_, across_;
};

bool is_straight(const Region& region) {
  bool has_regions = false;
  for (const core::Stmt& stmt : region.body)
    core::visit_regions(stmt, [&](const Region&) { has_regions = true; });
  return !has_regions && region.body.size() <= statements_max;
}

// Every read stays in place along one of the two axes, and each axis moves some read.
bool reads_by_row_or_column(const Kernel& kernel) {
  const auto by_row = read_strides(kernel, kernel.element, kernel.rank - 3);
  const auto by_column = read_strides(kernel, kernel.element, kernel.rank - 2);
  bool moves_down = false, moves_across = false;
  for (std::size_t i = 0; i < by_row.size(); ++i) {
    const bool stays_down = by_row[i] == Stride::zero;
    const bool stays_across = by_column[i] == Stride::zero;
    if (!stays_down && !stays_across) return false;
    moves_down |= !stays_down;
    moves_across |= !stays_across;
  }
  return moves_down && moves_across;
}

}  // namespace

std::optional<Contraction> find_contraction(const Kernel& kernel) {
  if (kernel.skeleton != Skeleton::fold || kernel.rank < 3 || kernel.folded > 1 || kernel.range ||
      kernel.stored > 0 || !is_straight(kernel.element) || !is_straight(kernel.combine) ||
      !reads_by_row_or_column(kernel))
    return std::nullopt;
  return Splitter(kernel).split();
}

}  // namespace hasten::kernels
