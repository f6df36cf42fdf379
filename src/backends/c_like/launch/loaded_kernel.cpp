// Who comes first makes a program; others who need it wait for that one alone.
#include "backends/c_like/launch/loaded_kernel.hpp"

#include "backends/c_like/text/contraction.hpp"
#include "kernels/analysis/strides.hpp"
#include "kernels/stages.hpp"

#include <fmt/format.h>

#include <system_error>
#include <thread>
#include <vector>

namespace hasten::backends::c_like {

FoldLanes fold_lanes(const kernels::Kernel& kernel) {
  if (kernel.skeleton != kernels::Skeleton::fold || kernel.rank < 2 || kernel.folded > 1 ||
      kernel.range)
    return FoldLanes::along;
  const int along = kernels::read_cost(kernel, kernel.rank - 1);
  const int across = kernels::read_cost(kernel, kernel.rank - 2);
  if (along == across) return FoldLanes::any;
  return across < along ? FoldLanes::across : FoldLanes::along;
}

std::string describe_schedule(const kernels::Kernel& kernel) {
  if (kernels::has_row_reductions(kernel)) return "rows, each folded by items of one group";
  if (const auto tiled = tiled_map(kernel))
    return fmt::format("{} rows of the interior an item", tiled->high);
  if (kernel.skeleton != kernels::Skeleton::fold || kernel.rank < 2) return {};
  if (const ContractionTile tile = contraction_tile(kernel); tile.high > 0) {
    const std::int64_t deep = contraction_plan(kernel, tile).deep;
    return fmt::format("groups of {} x {} results{}", tile.rows(), tile.columns(),
                       deep > 0 ? fmt::format(", {} steps at a time in local memory", deep) : "");
  }
  return fold_lanes(kernel) == FoldLanes::across ? "items across the folded axis"
                                                 : "items along the folded axis";
}

LoadedKernel::LoadedKernel(const kernels::Kernel& kernel, Dialect dialect,
                           std::shared_ptr<Program> program, Make make)
    : kernel_(kernel),
      dialect_(dialect),
      widths_(index_widths(kernel, IndexWidth::narrow)),
      fold_lanes_(c_like::fold_lanes(kernel)),
      folds_rows_(kernels::has_row_reductions(kernel)),
      tile_(contraction_tile(kernel)),
      tiled_(tiled_map(kernel)),
      make_(std::move(make)) {
  slot(IndexWidth::narrow, modules_of(kernel, dialect).front()).program = std::move(program);
}

LoadedKernel::Slot& LoadedKernel::slot(IndexWidth width, std::string_view module) const {
  const std::lock_guard lock(mutex_);
  return slots_[{width, module}];
}

Program& LoadedKernel::program(IndexWidth width, std::string_view function) const {
  const std::string_view module = module_of(dialect_, function);
  Slot& slot = this->slot(width, module);
  const std::lock_guard lock(slot.mutex);
  if (!slot.program) slot.program = make_(width, module);
  return *slot.program;
}

void LoadedKernel::prepare(IndexWidth width, std::span<const std::string_view> functions) const {
  if (dialect_ == Dialect::opencl) return;  // they are one module
  const auto make = [&](std::string_view function) noexcept {
    try {
      static_cast<void>(program(width, function));
    } catch (...) {  // who needs it asks again
    }
  };
  std::vector<std::string_view> missing;
  for (const std::string_view function : functions) {
    Slot& slot = this->slot(width, function);
    const std::lock_guard lock(slot.mutex);
    if (!slot.program) missing.push_back(function);
  }
  if (missing.size() < 2) return;  // who launches it makes it
  std::vector<std::jthread> others;
  try {
    for (std::size_t i = 1; i < missing.size(); ++i) others.emplace_back(make, missing[i]);
  } catch (const std::system_error&) {  // no more threads: one after the other
  }
  make(missing.front());
}

}  // namespace hasten::backends::c_like
