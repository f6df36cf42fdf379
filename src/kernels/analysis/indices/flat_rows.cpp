// Addresses are followed by Horner's rule: ((i0 + c0) * e1 + i1 + c1) * e2 + i2 + c2.
#include "kernels/analysis/indices/flat_rows.hpp"

#include "core/traverse.hpp"
#include "kernels/stages.hpp"

#include <algorithm>
#include <optional>

namespace hasten::kernels {
namespace {

using namespace core;

/// What a value is in terms of the leading axes of an index, up to an added constant.
enum class Form : std::uint8_t {
  uniform,  // nothing
  index,    // the index along `axis`
  prefix,   // the place among those along the axes 0 to `axis`
  row,      // a prefix times the extent of the next axis
  other,
};

struct Place {
  Form form = Form::uniform;
  std::uint32_t axis = 0;
};

class FlatRows {
 public:
  explicit FlatRows(const Kernel& kernel) : kernel_(kernel), places_(kernel.value_types.size()) {}

  std::vector<RowExtent> find() {
    if (!may_be_flat()) return {};
    const Region& element = kernel_.element;
    for (std::uint32_t axis = 0; axis < kernel_.rank; ++axis)
      places_[element.params[axis]] = {axis == 0 ? Form::prefix : Form::index, axis};
    look_at(element);
    for (std::size_t i = 0; i < element.results.size(); ++i)
      is_flat_ &= is_target(i) ? is_whole(element.results[i]) : is_uniform(element.results[i]);
    return is_flat_ ? extents_ : std::vector<RowExtent>();
  }

 private:
  [[nodiscard]] bool may_be_flat() const {
    const bool is_scatter = kernel_.skeleton == Skeleton::scatter && kernel_.unique &&
                            kernel_.loops.empty() && kernel_.writes == 1;
    return kernel_.rank > 1 && !kernel_.collapsible && !kernel_.interior &&
           (is_scatter || kernel_.skeleton == Skeleton::map) && !has_reductions(kernel_.element);
  }

  [[nodiscard]] bool is_target(std::size_t result) const {
    return kernel_.skeleton == Skeleton::scatter && result == 1;
  }
  [[nodiscard]] bool is_uniform(Value v) const { return places_[v].form == Form::uniform; }
  [[nodiscard]] bool is_whole(Value v) const {
    return places_[v].form == Form::prefix && places_[v].axis + 1 == kernel_.rank;
  }

  void look_at(const Region& region) {
    for (const Stmt& stmt : region.body) {
      const auto* load = std::get_if<LoadLinear>(&stmt.op);
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (load) {  // the result is an element, whatever its address
        is_flat_ &= is_uniform(load->index) || is_whole(load->index);
      } else if (prim && depends(*prim)) {
        places_[stmt.results[0]] = place_of(*prim);
      } else {
        visit_operands(stmt, [&](Value v) { is_flat_ &= is_uniform(v); }, [](ArrayId) {});
        visit_regions(stmt, [&](const Region& inner) {
          look_at(inner);
          for (const Value v : inner.results) is_flat_ &= is_uniform(v);
        });
      }
    }
  }

  [[nodiscard]] bool depends(const Prim& prim) const {
    return std::ranges::any_of(prim.args, [&](Value v) { return !is_uniform(v); });
  }

  Place place_of(const Prim& prim) {
    if (prim.args.size() != 2) return {Form::other, 0};
    const Value a = prim.args[0], b = prim.args[1];
    if (prim.op == ScalarOp::add) {
      if (is_uniform(b)) return moved(a);
      if (is_uniform(a)) return moved(b);
      const Place row = places_[a].form == Form::row ? places_[a] : places_[b];
      const Place index = places_[a].form == Form::row ? places_[b] : places_[a];
      if (row.form == Form::row && index.form == Form::index && index.axis == row.axis + 1)
        return {Form::prefix, index.axis};
    }
    if (prim.op == ScalarOp::sub && is_uniform(b)) return moved(a);
    if (prim.op == ScalarOp::mul) {
      if (is_uniform(b)) return row_of(a, b);
      if (is_uniform(a)) return row_of(b, a);
    }
    return {Form::other, 0};
  }

  [[nodiscard]] Place moved(Value v) const { return places_[v]; }

  Place row_of(Value prefix, Value extent) {
    const Place place = places_[prefix];
    const auto scalar = std::ranges::find(kernel_.scalars, extent);
    if (place.form != Form::prefix || place.axis + 1 == kernel_.rank ||
        scalar == kernel_.scalars.end())
      return {Form::other, 0};
    const RowExtent needed{static_cast<std::uint32_t>(scalar - kernel_.scalars.begin()),
                           place.axis + 1};
    if (std::ranges::find(extents_, needed) == extents_.end()) extents_.push_back(needed);
    return {Form::row, place.axis};
  }

  const Kernel& kernel_;
  std::vector<Place> places_;  // by value
  std::vector<RowExtent> extents_;
  bool is_flat_ = true;
};

}  // namespace

std::vector<RowExtent> flat_rows(const Kernel& kernel) { return FlatRows(kernel).find(); }

}  // namespace hasten::kernels
