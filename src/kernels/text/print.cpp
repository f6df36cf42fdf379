// The text form of kernels.
#include "core/print.hpp"

#include "core/scalar_ops.hpp"
#include "kernels/kernel.hpp"

namespace hasten::kernels {
namespace {

std::string types(const char* title, const std::vector<ScalarType>& list) {
  std::string text = std::string("  ") + title;
  for (ScalarType t : list) text += std::string(" ") + detail::name_of(t);
  return text + "\n";
}

std::string region(const char* title, const Kernel& kernel, const Region& code) {
  return std::string("  ") + title + " " + core::print(code, kernel.value_types, 2) + "\n";
}

std::string scalars(const Kernel& kernel) {
  std::string text = "  scalars (";
  for (std::size_t i = 0; i < kernel.scalars.size(); ++i) {
    const Value v = kernel.scalars[i];
    text += (i ? ", x" : "x") + std::to_string(v) + ": ";
    text += v < kernel.value_types.size() ? detail::name_of(kernel.value_types[v]) : "?";
  }
  return text + ")\n";
}

std::string interior(const Kernel& kernel, const std::optional<Interior>& part) {
  if (!part) return {};
  return region("interior bounds", kernel, part->bounds) +
         region("interior element", kernel, part->element);
}

// "loop rank 2 writes 2"
std::string head(const Loop& loop) {
  return "loop rank " + std::to_string(loop.rank) +
         (loop.writes > 1 ? " writes " + std::to_string(loop.writes) : "");
}

std::string values(const char* title, const std::vector<Value>& list) {
  std::string text = std::string("  ") + title;
  for (Value v : list) text += " x" + std::to_string(v);
  return text + "\n";
}

std::string fold_parts(const Kernel& kernel) {
  std::string text = values("seed", kernel.seed) + "  lanes ";
  text += kernel.lanes == FoldLanes::outer ? "outer" : "reduction";
  if (kernel.lane_operator.commutative) text += " commutative";
  if (kernel.lane_operator.of_segments) text += " of_segments";
  for (core::ScalarOp op : kernel.lane_operator.leaves)
    text += std::string(" ") + core::row(op).name;
  return text + "\n";
}

}  // namespace

std::string print(const Kernel& kernel) {
  std::string text =
      std::string("kernel ") + name_of(kernel.skeleton) + " rank " + std::to_string(kernel.rank) +
      (kernel.collapsible ? " collapsible" : "") + (kernel.unique ? " unique" : "") +
      (kernel.writes > 1 ? " writes " + std::to_string(kernel.writes) : "") +
      (kernel.in_order ? " in_order" : "") + (kernel.any_order ? " any_order" : "") +
      (kernel.parts ? " parts" : "") +
      (kernel.inner_axes > 0 ? " inner_axes " + std::to_string(kernel.inner_axes) : "") +
      (kernel.folded > 1 ? " folded " + std::to_string(kernel.folded) : "") +
      (kernel.stored > 0 ? " stored " + std::to_string(kernel.stored) : "") + " {\n";
  text += types("inputs", kernel.inputs) + types("outputs", kernel.outputs) + scalars(kernel);
  if (kernel.range) text += region("range", kernel, *kernel.range);
  if (kernel.loops.empty()) text += region("element", kernel, kernel.element);
  for (const Loop& loop : kernel.loops)
    text += region(head(loop).c_str(), kernel, loop.element) + interior(kernel, loop.interior);
  text += interior(kernel, kernel.interior);
  if (!kernel.recomputed.empty()) text += values("recomputed", kernel.recomputed);
  if (combines(kernel)) text += region("combine", kernel, kernel.combine);
  if (kernel.skeleton == Skeleton::scatter && !kernel.seed.empty())
    text += values("seed", kernel.seed);
  if (accumulates(kernel)) text += fold_parts(kernel) + region("epilogue", kernel, kernel.epilogue);
  return text + "}\n";
}

}  // namespace hasten::kernels
