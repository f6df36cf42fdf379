// One forward walk: sums with values that stay in place keep their stride, all others may be
// anything.
#include "kernels/analysis/strides.hpp"

#include "core/traverse.hpp"
#include "kernels/analysis/interior.hpp"
#include "passes/walk.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hasten::kernels {

using namespace core;

namespace {

// The values that a statement uses, and those that its branches and loops pass out.
template <class F>
void for_each_use(const Stmt& stmt, F&& f) {
  visit_operands(stmt, f, [](ArrayId) {});
  visit_regions(stmt, [&](const Region& inner) {
    for (Value v : inner.results) f(v);
  });
}

// The strides of all values, as indices of the space grow along params[axis], and of all reads.
struct Strides {
  std::vector<Stride> values, reads;
};

Strides strides_of(const Kernel& kernel, const Region& region, std::size_t axis) {
  std::vector<Stride> stride(kernel.value_types.size(), Stride::zero);
  stride[region.params[axis]] = Stride::one;
  std::vector<Stride> reads;
  std::set<Value> same_steps;  // of reductions that go through the same steps everywhere
  Region copy = region;
  passes::for_each_region(copy, [&](Region& r) {
    // Parameters of inner regions are loop states: they may depend on anything.
    if (&r != &copy)
      for (Value p : r.params)
        if (!same_steps.contains(p)) stride[p] = Stride::other;
    for (const Stmt& stmt : r.body) {
      if (auto* load = std::get_if<LoadLinear>(&stmt.op)) reads.push_back(stride[load->index]);
      const bool nested =
          std::holds_alternative<If>(stmt.op) || std::holds_alternative<While>(stmt.op);
      Stride result = nested ? Stride::other : Stride::zero;
      for_each_use(stmt, [&](Value v) {
        if (stride[v] != Stride::zero) result = Stride::other;
      });
      const auto* reduce = std::get_if<Reduce>(&stmt.op);
      if (reduce) {
        if (stride[reduce->begin] == Stride::zero && stride[reduce->end] == Stride::zero)
          same_steps.insert(reduce->element.params[0]);
        const auto join = [&](Value v) {
          if (stride[v] != Stride::zero) result = Stride::other;
        };
        core::for_each_use(stmt, join, [](ArrayId) {});
      }
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (result == Stride::other && prim && prim->args.size() == 2) {
        const Stride a = stride[prim->args[0]], b = stride[prim->args[1]];
        const bool sum =
            prim->op == ScalarOp::add || (prim->op == ScalarOp::sub && b != Stride::one);
        if (sum && (a == Stride::zero || b == Stride::zero)) result = a == Stride::zero ? b : a;
      }
      for (Value v : stmt.results) stride[v] = result;
    }
  });
  return {std::move(stride), std::move(reads)};
}

}  // namespace

std::vector<Stride> read_strides(const Kernel& kernel, const Region& region, std::size_t axis) {
  return strides_of(kernel, region, axis).reads;
}

std::vector<Stride> value_strides(const Kernel& kernel, const Region& region, std::size_t axis) {
  return strides_of(kernel, region, axis).values;
}

Stride value_stride(const Kernel& kernel, const Region& region, std::size_t axis, Value v) {
  return strides_of(kernel, region, axis).values[v];
}

namespace {

void find_stride_scalars(const Kernel& kernel, const Region& element, std::size_t axis,
                         std::set<unsigned>& found) {
  const std::vector<Stride> strides = strides_of(kernel, element, axis).values;
  const auto look = [&](auto& self, const Region& region) -> void {
    for (const Stmt& stmt : region.body) {
      const auto* prim = std::get_if<Prim>(&stmt.op);
      for (std::size_t i = 0; prim && prim->op == ScalarOp::mul && i < 2; ++i) {
        const auto scalar = std::ranges::find(kernel.scalars, prim->args[i]);
        if (scalar != kernel.scalars.end() && strides[prim->args[1 - i]] == Stride::one &&
            kernel.value_types[*scalar] == ScalarType::i64)
          found.insert(static_cast<unsigned>(scalar - kernel.scalars.begin()));
      }
      visit_regions(stmt, [&](const Region& inner) { self(self, inner); });
    }
  };
  look(look, element);
}

}  // namespace

std::vector<unsigned> stride_scalars(const Kernel& kernel, std::size_t axis) {
  std::set<unsigned> found;
  find_stride_scalars(kernel, kernel.element, axis, found);
  Kernel whole = kernel;
  whole.interior.reset();
  find_interior(whole, InteriorAxes::all);
  if (whole.interior) find_stride_scalars(whole, whole.interior->element, axis, found);
  return {found.begin(), found.end()};
}

bool updates_neighbours(const Kernel& scatter) {
  if (scatter.skeleton != Skeleton::scatter || scatter.unique || scatter.writes != 1 ||
      !scatter.loops.empty())
    return false;
  const bool is_complex = std::ranges::any_of(
      scatter.outputs, [](ScalarType type) { return detail::is_complex(type); });
  return !is_complex && value_stride(scatter, scatter.element, scatter.rank - 1,
                                     written(scatter, 0)[1]) == Stride::one;
}

int read_cost(const Kernel& kernel, std::size_t axis) {
  std::vector<Stride> strides = read_strides(kernel, kernel.element, axis);
  if (kernel.skeleton == Skeleton::scan)
    for (const Stride stride : read_strides(kernel, kernel.epilogue, axis))
      strides.push_back(stride);
  int cost = 0;
  for (const Stride stride : strides) cost += stride == Stride::other ? 8 : 1;
  const bool is_inner = axis + 1 == kernel.rank;
  return cost + static_cast<int>(kernel.stored) * (is_inner ? 1 : 8);
}

int loop_cost(const Kernel& kernel, std::size_t axis) {
  if (kernel.skeleton == Skeleton::scan || kernel.stored > 0) return read_cost(kernel, axis);
  const std::vector<Stride> steps = read_strides(kernel, kernel.element, kernel.rank - 1);
  const std::vector<Stride> strides = read_strides(kernel, kernel.element, axis);
  int cost = 0;
  for (std::size_t i = 0; i < strides.size(); ++i)
    if (steps[i] != Stride::zero) cost += strides[i] == Stride::other ? 8 : 1;
  return cost;
}

}  // namespace hasten::kernels
