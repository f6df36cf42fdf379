// The last steps of building a kernel.
#include "kernels/finish.hpp"

#include "kernels/analysis/code_motion.hpp"
#include "kernels/analysis/interior.hpp"
#include "kernels/analysis/sliding_window.hpp"
#include "kernels/analysis/strides.hpp"
#include "kernels/lowering/branch_reads.hpp"
#include "kernels/lowering/joined_reductions.hpp"
#include "kernels/outer_products.hpp"
#include "kernels/split_complex.hpp"
#include "kernels/stages.hpp"

#include "core/scalar_ops.hpp"
#include "passes/dead_code.hpp"
#include "passes/simplify/invariants.hpp"
#include "passes/simplify/simplify.hpp"
#include "passes/walk.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hasten::kernels {
namespace {

using namespace core;

// The number of the region's parameters that are indices of the space.
std::size_t indices_of(const Kernel& kernel, const Region& region) {
  const bool of_results = &region == &kernel.epilogue;
  const bool of_loop =
      std::ranges::any_of(kernel.loops, [&](const Loop& loop) { return &region == &loop.element; });
  if (of_loop) return region.params.size();
  if (&region == &kernel.element || (of_results && kernel.skeleton == Skeleton::scan))
    return kernel.rank;
  const bool of_rows = of_results || (kernel.range && &region == &*kernel.range);
  return of_rows ? std::min<std::size_t>(outer_axes(kernel), region.params.size()) : 0;
}

void simplify_all(KernelBuilder& builder) {
  Kernel& kernel = builder.kernel;
  for (Region* region : regions_of(kernel)) {
    passes::ScalarSimplifier simplifier(kernel.value_types);
    for (std::size_t i = 0; i < builder.arguments.size(); ++i)
      if (builder.arguments[i].array != none)
        simplifier.assume_not_negative(kernel.scalars[i]);  // an extent
    for (std::size_t i = 0; i < indices_of(kernel, *region); ++i)
      simplifier.assume_not_negative(region->params[i]);
    passes::InvariantHoister(kernel.value_types).run(*region);
    simplifier.run(*region);
  }
}

// The values that a statement uses, and those that its branches and loops pass out.
template <class F>
void for_each_use(const Stmt& stmt, F&& f) {
  visit_operands(stmt, f, [](ArrayId) {});
  visit_regions(stmt, [&](const Region& inner) {
    for (Value v : inner.results) f(v);
  });
}

void drop_unused(KernelBuilder& builder) {
  Kernel& kernel = builder.kernel;
  std::vector<bool> used(kernel.value_types.size());
  for (Value seed : kernel.seed) used[seed] = true;
  std::vector<bool> read(kernel.inputs.size());
  for (Region* region : regions_of(kernel)) {
    const std::vector<bool> live = passes::remove_dead_code(*region, used.size());
    for (std::size_t v = 0; v < used.size(); ++v) used[v] = used[v] || live[v];
    passes::for_each_region(*region, [&](Region& r) {
      for (const Stmt& stmt : r.body)
        if (auto* load = std::get_if<LoadLinear>(&stmt.op)) read[load->array] = true;
    });
  }
  const auto keep = [](auto& list, const std::vector<bool>& wanted) {
    std::size_t i = 0;
    std::erase_if(list, [&](const auto&) { return !wanted[i++]; });
  };
  std::vector<bool> wanted;
  wanted.reserve(kernel.scalars.size());
  for (Value scalar : kernel.scalars) wanted.push_back(used[scalar]);
  keep(kernel.scalars, wanted);
  keep(builder.arguments, wanted);
  std::vector<std::uint32_t> number(read.size());
  for (std::uint32_t i = 0, next = 0; i < read.size(); ++i) number[i] = read[i] ? next++ : none;
  keep(kernel.inputs, read);
  keep(builder.inputs, read);
  for (Region* region : regions_of(kernel))
    passes::for_each_region(*region, [&](Region& r) {
      for (Stmt& stmt : r.body)
        if (auto* load = std::get_if<LoadLinear>(&stmt.op)) load->array = number[load->array];
    });
}

// -- may the space be run as one row? -----------------------------------------------------------

// Indices and extents of arrays read in place occur only in addresses, and these only in reads.
bool is_collapsible(KernelBuilder& builder) {
  Kernel& kernel = builder.kernel;
  if (kernel.rank < 2 || (kernel.skeleton != Skeleton::map && kernel.folded == 1)) return false;
  const auto& addresses = builder.addresses_in_place;
  std::vector<bool> positional(kernel.value_types.size());
  for (Value p : kernel.element.params) positional[p] = true;
  for (Value a : addresses) positional[a] = true;
  for (std::size_t i = 0; i < builder.arguments.size(); ++i)
    if (builder.arguments[i].array != none && !builder.arguments[i].is_limit)
      positional[kernel.scalars[i]] = true;
  bool result = true;
  for (Value v : kernel.element.results) result &= !positional[v];
  passes::for_each_region(kernel.element, [&](Region& region) {
    for (const Stmt& stmt : region.body) {
      const auto* prim = std::get_if<Prim>(&stmt.op);
      const bool is_address = prim && addresses.contains(stmt.results[0]);
      if (const auto* load = std::get_if<LoadLinear>(&stmt.op)) {
        // Reads elsewhere keep their own address arithmetic; reads in place end in an address.
        result &= !positional[load->index] || addresses.contains(load->index);
      } else if (!is_address) {
        for_each_use(stmt, [&](Value v) { result &= !positional[v]; });
      }
    }
  });
  passes::for_each_region(kernel.epilogue, [&](Region& region) {
    for (const Stmt& stmt : region.body)
      for_each_use(stmt, [&](Value v) { result &= !positional[v]; });
    for (Value v : region.results) result &= !positional[v];
  });
  return result;
}

// -- strategy of folds and scans ----------------------------------------------------------------

core::LaneOperator lane_operator_of(const Kernel& kernel) {
  core::LaneOperator table = core::lane_operator(kernel.combine);
  const bool has_complex = std::ranges::any_of(kernel.combine.results, [&](Value leaf) {
    return detail::is_complex(kernel.value_types[leaf]);
  });
  if (table.commutative || kernel.skeleton != Skeleton::scan || has_complex) return table;
  return core::segment_operator(kernel.combine);
}

// With several folded axes the order is free: lanes run along the axis whose reads cost least.
void choose_inner_axis(KernelBuilder& builder) {
  Kernel& kernel = builder.kernel;
  if (kernel.stored > 0 || kernel.collapsible) return;
  std::uint32_t best = kernel.rank - 1;
  for (std::uint32_t axis = kernel.rank - 1; axis-- > outer_axes(kernel);)
    if (read_cost(kernel, axis) < read_cost(kernel, best)) best = axis;
  if (best == kernel.rank - 1) return;
  std::swap(kernel.element.params[best], kernel.element.params.back());
  builder.inner_axis = best;
}

void choose_strategy(KernelBuilder& builder) {
  Kernel& kernel = builder.kernel;
  const bool scan = kernel.skeleton == Skeleton::scan;
  if (!combines(kernel)) return;
  kernel.lane_operator = lane_operator_of(kernel);
  if (kernel.skeleton == Skeleton::scatter || kernel.rank < 2 || kernel.range) return;
  if (kernel.folded > 1) return choose_inner_axis(builder);
  const int along = loop_cost(kernel, kernel.rank - 1), across = loop_cost(kernel, kernel.rank - 2);
  if (kernel.inner_axes > 0) {
    kernel.lanes = FoldLanes::outer;
    return;
  }
  if (scan) {
    // With lanes across, each lane writes a row. That is no loss where reads gain, because the
    // lines stay in the cache; but a single long row would run in one lane, so there must be a
    // gain.
    if (across + 2 * static_cast<int>(kernel.outputs.size()) < along)
      kernel.lanes = FoldLanes::outer;
    return;
  }
  const bool takes_runs = kernel.lane_operator.commutative || kernel.in_order;
  if (across < along || !takes_runs) kernel.lanes = FoldLanes::outer;
}

// -- numbering ----------------------------------------------------------------------------------

class Renumberer {
 public:
  explicit Renumberer(const Kernel& kernel)
      : types_(kernel.value_types),
        number_(kernel.value_types.size(), none) {}

  void define(std::vector<Value>& values) {
    for (Value& v : values) {
      number_[v] = static_cast<Value>(new_types_.size());
      new_types_.push_back(types_[v]);
      v = number_[v];
    }
  }
  void use(std::vector<Value>& values) const {
    for (Value& v : values) v = number_[v];
  }
  void run(Region& region) {
    define(region.params);
    for (Stmt& stmt : region.body) {
      edit_operands(stmt, [&](Value& v) { v = number_[v]; }, [](ArrayId&) {});
      edit_regions(stmt, [&](Region& inner) { run(inner); });
      define(stmt.results);
    }
    use(region.results);
  }
  std::vector<ScalarType> take_types() { return std::move(new_types_); }

 private:
  const std::vector<ScalarType> types_;
  std::vector<Value> number_;
  std::vector<ScalarType> new_types_;
};

void renumber(KernelBuilder& builder) {
  Kernel& kernel = builder.kernel;
  Renumberer renumberer(kernel);
  renumberer.define(kernel.scalars);
  renumberer.use(kernel.seed);
  for (Region* region : regions_of(kernel)) renumberer.run(*region);
  renumberer.use(kernel.recomputed);
  kernel.value_types = renumberer.take_types();
}

// What the elements share is found by simplifying again.
void join_reductions_of(KernelBuilder& builder) {
  if (join_reductions(builder.kernel)) simplify_all(builder);
}

void collapse(KernelBuilder& builder) { builder.kernel.collapsible = is_collapsible(builder); }

// At a border terms are not shifted copies of each other, because some indices are corrected.
void separate(Kernel& kernel, Reordered reordered) {
  separate_outer_products(kernel, kernel.interior ? kernel.interior->element : kernel.element,
                          reordered);
}

// A row at the border reads at corrected indices, unlike other rows: where rows share values, whole
// rows are peeled as border.
void share_rows(Kernel& kernel, Kernel whole, Reordered reordered) {
  find_interior(whole, InteriorAxes::all);
  if (!whole.interior) return;
  separate(whole, reordered);
  const auto best = find_sliding_window(whole, whole.interior->element);
  if (!best || best->is_still) return;
  const auto found = find_sliding_window(kernel, kernel.interior->element);
  if (!found || found->is_still || best->cost_after < found->cost_after) kernel = std::move(whole);
}

void peel_borders(KernelBuilder& builder) {
  // The interior's function would compute each row's reductions again.
  Kernel& kernel = builder.kernel;
  const bool reduces =
      std::ranges::any_of(kernel.loops,
                          [](const Loop& loop) { return has_reductions(loop.element); }) ||
      has_reductions(kernel.element);
  if (kernel.collapsible || reduces) return;
  const bool has_rows = kernel.skeleton == Skeleton::map && kernel.rank > 1;
  Kernel whole = has_rows ? kernel : Kernel{};
  find_interior(kernel);
  if (!has_rows) return;
  const Reordered reordered =
      builder.reorders_floats() ? Reordered::floats_and_integers : Reordered::integers;
  separate(kernel, reordered);
  if (kernel.interior) share_rows(kernel, std::move(whole), reordered);
}

void move_code(KernelBuilder& builder) { choose_recomputed(builder.kernel); }

constexpr KernelPass passes_in_order[] = {
    {"split_complex", "two parts for each complex value", split_complex},
    {"hoist", "take out of reductions what is the same in every step", hoist_from_reductions},
    {"branches", "take out of a fold's branches what is read for a row", hoist_from_branches},
    {"simplify", "fold constants, apply exact identities, find common subexpressions",
     simplify_all},
    {"reductions", "join reductions of one range", join_reductions_of},
    {"drop_unused", "drop what no result needs, arguments and inputs too", drop_unused},
    {"collapse", "find out whether the space may be run as one row", collapse},
    {"strategy", "choose which way the lanes of folds and scans run", choose_strategy},
    {"interior", "find where indices of maps need no tests", peel_borders},
    {"code_motion", "choose what the inner loop computes again rather than hold", move_code},
    {"renumber", "number values densely, in order of definition", renumber},
};

}  // namespace

std::span<const KernelPass> kernel_passes() { return passes_in_order; }

void finish(KernelBuilder& builder) {
  for (const KernelPass& pass : passes_in_order) pass.run(builder);
}

void finish_again(KernelBuilder& builder) {
  builder.kernel.interior.reset();
  builder.kernel.lanes = FoldLanes::reduction;
  builder.kernel.recomputed.clear();
  // They name values before the last numbering, and not every read is at the space's index.
  builder.space_index.clear();
  builder.arrays_in_place.clear();
  builder.addresses_in_place.clear();
  const auto is_left_out = [&](const KernelPass& pass) {
    // The space has the axes of the first time.
    if (pass.run == choose_strategy) return builder.kernel.folded > 1;
    return pass.run == drop_unused || pass.run == collapse || pass.run == hoist_from_branches;
  };
  for (const KernelPass& pass : passes_in_order)
    if (!is_left_out(pass)) pass.run(builder);
}

}  // namespace hasten::kernels
