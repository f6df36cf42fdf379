// Values are classified by what they depend on, statement by statement.
#include "kernels/analysis/contraction.hpp"

#include "core/traverse.hpp"
#include "kernels/analysis/strides.hpp"

#include <algorithm>

namespace hasten::kernels {
namespace {

constexpr std::size_t statements_max = 16;
// Of an element whose shared parts are computed once for many results.
constexpr std::size_t element_statements_max = 96;

// What a value depends on.
constexpr unsigned down = 1, across = 2, from_memory = 4;

void for_each_use(const core::Stmt& stmt, core::FunctionRef<void(Value)> f) {
  core::for_each_use(stmt, f, [](core::ArrayId) {});
}

bool reads_memory(const core::Stmt& stmt) {
  bool result = std::holds_alternative<core::LoadLinear>(stmt.op);
  core::visit_regions(stmt, [&](const Region& region) {
    result |= std::ranges::any_of(region.body, reads_memory);
  });
  return result;
}

unsigned axes_of(unsigned what) { return what & (down | across); }

std::uint32_t column_axis(const Kernel& kernel) { return outer_axes(kernel) - 1; }

std::vector<unsigned> dependences(const Kernel& kernel, std::uint32_t row_axis) {
  std::vector<unsigned> of(kernel.value_types.size(), 0);
  of[kernel.element.params[row_axis]] = down;
  of[kernel.element.params[column_axis(kernel)]] = across;
  for (const core::Stmt& stmt : kernel.element.body) {
    unsigned all = reads_memory(stmt) ? from_memory : 0;
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

// Whether no statement depends on an outer axis but this one.
bool is_fixed(const Kernel& kernel, const Region& shared, std::uint32_t own) {
  std::vector<bool> varies(kernel.value_types.size(), false);
  for (std::uint32_t axis = 0; axis < outer_axes(kernel); ++axis)
    varies[shared.params[axis]] = axis != own;
  bool result = true;
  for (const core::Stmt& stmt : shared.body)
    for_each_use(stmt, [&](Value v) { result &= !varies[v]; });
  return result;
}

// Separates the shared values from the rest.
class Splitter {
 public:
  Splitter(const Kernel& kernel, std::uint32_t row_axis)
      : kernel_(kernel),
        row_axis_(row_axis),
        of_(dependences(kernel, row_axis)) {}

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
    result.row_axis = row_axis_;
    const auto side = [&](const std::vector<Value>& results, std::uint32_t axis) {
      Region shared = slice(element, results, {}, values);
      const bool fixed = is_fixed(kernel_, shared, axis);
      return ContractionSide{std::move(shared), reads_along_fold(kernel_, axis), fixed};
    };
    result.down = side(down_, row_axis_);
    result.across = side(across_, column_axis(kernel_));
    std::vector<Value> shared = down_;
    shared.insert(shared.end(), across_.begin(), across_.end());
    result.rest = slice(element, element.results, shared, values);
    return result;
  }

 private:
  // Values that depend on memory and on one axis alone.
  void share(Value v) {
    if ((of_[v] & from_memory) == 0) return;
    const unsigned axis = axes_of(of_[v]);
    std::vector<Value>* const to = axis == down ? &down_ : axis == across ? &across_ : nullptr;
    if (to && std::ranges::find(*to, v) == to->end()) to->push_back(v);
  }

  const Kernel& kernel_;
  std::uint32_t row_axis_;
  std::vector<unsigned> of_;
  std::vector<Value> down_, across_;
};

bool is_straight(const Region& region) {
  bool has_regions = false;
  for (const core::Stmt& stmt : region.body)
    core::visit_regions(stmt, [&](const Region&) { has_regions = true; });
  return !has_regions && region.body.size() <= statements_max;
}

// Whether the code branches at most, in few statements.
bool is_short(const Region& region) {
  std::size_t count = 0;
  const auto look = [&](auto& self, const Region& code) -> void {
    for (const core::Stmt& stmt : code.body) {
      const bool loops = std::holds_alternative<core::While>(stmt.op) ||
                         std::holds_alternative<core::Reduce>(stmt.op);
      count += loops ? element_statements_max + 1 : 1;
      core::visit_regions(stmt, [&](const Region& inner) { self(self, inner); });
    }
  };
  look(look, region);
  return count <= element_statements_max;
}

// Every read stays in place along one of the two axes, and each axis moves some read.
bool reads_by_row_or_column(const Kernel& kernel, std::uint32_t row_axis) {
  const auto by_row = read_strides(kernel, kernel.element, row_axis);
  const auto by_column = read_strides(kernel, kernel.element, column_axis(kernel));
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

bool may_be_contraction(const Kernel& kernel) {
  return kernel.skeleton == Skeleton::fold && outer_axes(kernel) >= 2 && !kernel.range &&
         kernel.stored == 0 && is_straight(kernel.combine);
}

}  // namespace

std::optional<Contraction> find_contraction(const Kernel& kernel) {
  if (!may_be_contraction(kernel) || kernel.folded > 1 || !is_straight(kernel.element))
    return std::nullopt;
  const std::uint32_t row_axis = column_axis(kernel) - 1;
  if (!reads_by_row_or_column(kernel, row_axis)) return std::nullopt;
  return Splitter(kernel, row_axis).split();
}

std::optional<Contraction> find_any_contraction(const Kernel& kernel) {
  if (!may_be_contraction(kernel) || !is_short(kernel.element)) return std::nullopt;
  for (std::uint32_t row_axis = column_axis(kernel); row_axis-- > 0;) {
    if (!reads_by_row_or_column(kernel, row_axis)) continue;
    Contraction found = Splitter(kernel, row_axis).split();
    if (is_straight(found.rest)) return found;
  }
  return std::nullopt;
}

}  // namespace hasten::kernels
