// Addresses are followed by Horner's rule: ((i0 + c0) * e1 + i1 + c1) * e2 + i2 + c2.
#include "kernels/analysis/indices/flat_rows.hpp"

#include "core/traverse.hpp"
#include "kernels/stages.hpp"

#include <algorithm>

namespace hasten::kernels {
namespace {

using namespace core;

/// What a value is in terms of the axes that may be one.
enum class Form : std::uint8_t {
  free,    // a function of the place among all of them, or of none
  index,   // the index along `axis`
  prefix,  // the place among those along the first one to `axis`, which is not the last one
  row,     // a prefix times the extent of the next axis
  other,
};

struct Place {
  Form form = Form::free;
  std::uint32_t axis = 0;
};

class Finder {
 public:
  Finder(const Kernel& kernel, const Region& element, std::uint32_t first)
      : kernel_(kernel),
        element_(element),
        first_(first),
        last_(static_cast<std::uint32_t>(axes_of_rows(kernel)) - 1),
        places_(kernel.value_types.size()) {}

  std::vector<RowExtent> find() {
    look_at_all(element_);
    if (accumulates(kernel_)) look_at_all(kernel_.epilogue);
    return is_flat_ ? extents_ : std::vector<RowExtent>();
  }

 private:
  // Of a region whose first parameters are indices.
  void look_at_all(const Region& region) {
    for (std::uint32_t axis = first_; axis <= last_; ++axis)
      places_[region.params[axis]] = {axis == first_ ? Form::prefix : Form::index, axis};
    look_at(region);
  }

  [[nodiscard]] bool is_free(Value v) const { return places_[v].form == Form::free; }

  void look_at(const Region& region) {
    for (const Stmt& stmt : region.body) {
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (prim && !std::ranges::all_of(prim->args, [&](Value v) { return is_free(v); })) {
        places_[stmt.results[0]] = place_of(*prim);
        continue;
      }
      visit_operands(stmt, [&](Value v) { is_flat_ &= is_free(v); }, [](ArrayId) {});
      visit_regions(stmt, [&](const Region& inner) { look_at(inner); });
    }
    for (const Value v : region.results) is_flat_ &= is_free(v);
  }

  Place place_of(const Prim& prim) {
    if (prim.args.size() != 2) return {Form::other, 0};
    const Value a = prim.args[0], b = prim.args[1];
    if (prim.op == ScalarOp::add) {
      if (is_free(b)) return places_[a];
      if (is_free(a)) return places_[b];
      const Place row = places_[a].form == Form::row ? places_[a] : places_[b];
      const Place index = places_[a].form == Form::row ? places_[b] : places_[a];
      if (row.form == Form::row && index.form == Form::index && index.axis == row.axis + 1)
        return index.axis == last_ ? Place{} : Place{Form::prefix, index.axis};
    }
    if (prim.op == ScalarOp::sub && is_free(b)) return places_[a];
    if (prim.op == ScalarOp::mul) {
      if (is_free(b)) return row_of(a, b);
      if (is_free(a)) return row_of(b, a);
    }
    return {Form::other, 0};
  }

  Place row_of(Value prefix, Value extent) {
    const Place place = places_[prefix];
    const auto scalar = std::ranges::find(kernel_.scalars, extent);
    if (place.form != Form::prefix || scalar == kernel_.scalars.end()) return {Form::other, 0};
    const RowExtent needed{static_cast<std::uint32_t>(scalar - kernel_.scalars.begin()),
                           place.axis + 1};
    if (std::ranges::find(extents_, needed) == extents_.end()) extents_.push_back(needed);
    return {Form::row, place.axis};
  }

  const Kernel& kernel_;
  const Region& element_;
  const std::uint32_t first_, last_;  // of the axes
  std::vector<Place> places_;         // by value
  std::vector<RowExtent> extents_;
  bool is_flat_ = true;
};

bool may_be_flat(const Kernel& kernel) {
  if (kernel.collapsible || kernel.interior || has_reductions(kernel.element)) return false;
  switch (kernel.skeleton) {
    case Skeleton::map: return true;
    case Skeleton::segments: return false;
    case Skeleton::fold: return kernel.folded == 1 && !kernel.range;
    case Skeleton::scan: return true;
    case Skeleton::scatter: return kernel.loops.empty() && kernel.writes == 1;
    case Skeleton::compact: return false;
  }
  return false;
}

}  // namespace

std::size_t axes_of_rows(const Kernel& kernel) {
  return kernel.rank - (accumulates(kernel) ? std::size_t{1} : std::size_t{0});
}

std::vector<RowExtent> flat_from(const Kernel& kernel, const Region& element, std::uint32_t first) {
  return Finder(kernel, element, first).find();
}

// Long rows of maps gain nothing: optimisations chosen for rows (windows, tiles) stay. Columns are
// folded and scanned by rows of their results, of which a page is not long.
bool are_one(const FlatRows& rows, const Kernel& kernel, std::span<const std::uint64_t> scalars,
             std::span<const std::int64_t> space) {
  constexpr std::int64_t row_max = 64, results_max = 1024;
  if (rows.extents.empty()) return false;
  const std::int64_t last = space[axes_of_rows(kernel) - 1];
  return last < (accumulates(kernel) ? results_max : row_max) &&
         std::ranges::all_of(
             rows.extents,
             [&](const RowExtent& row) {
               return scalars[row.scalar] == static_cast<std::uint64_t>(space[row.axis]);
             });
}

FlatRows flat_rows(const Kernel& kernel) {
  if (!may_be_flat(kernel)) return {};
  // The results of a scan down columns are rows of the scanned axis before the others.
  const std::uint32_t first = kernel.inner_axes > 0 ? kernel.rank - 1 - kernel.inner_axes : 0;
  for (std::uint32_t axis = first; axis + 1 < axes_of_rows(kernel); ++axis) {
    std::vector<RowExtent> extents = flat_from(kernel, kernel.element, axis);
    if (!extents.empty()) return {axis, std::move(extents)};
  }
  return {};
}

}  // namespace hasten::kernels
