// The regions of a kernel. Code that treats all regions alike uses this list, so that a new region
// is not forgotten.
#include "kernels/kernel.hpp"

#include <algorithm>

namespace hasten::kernels {
namespace {

template <class RegionType, class InteriorType>
void add(InteriorType& interior, std::vector<RegionType*>& regions) {
  if (!interior) return;
  regions.push_back(&interior->bounds);
  regions.push_back(&interior->element);
}

template <class RegionType, class KernelType>
std::vector<RegionType*> all_regions(KernelType& kernel) {
  std::vector<RegionType*> result;
  if (kernel.range) result.push_back(&*kernel.range);
  if (kernel.loops.empty()) result.push_back(&kernel.element);
  for (auto& loop : kernel.loops) {
    result.push_back(&loop.element);
    add(loop.interior, result);
  }
  add(kernel.interior, result);
  if (combines(kernel)) result.push_back(&kernel.combine);
  if (accumulates(kernel)) result.push_back(&kernel.epilogue);
  return result;
}

}  // namespace

std::vector<Region*> regions_of(Kernel& kernel) { return all_regions<Region>(kernel); }

std::vector<const Region*> regions_of(const Kernel& kernel) {
  return all_regions<const Region>(kernel);
}

std::vector<Value> index_of_result(const Kernel& kernel, std::vector<Value> index) {
  if (kernel.inner_axes > 0) {
    const auto inner = index.end() - 1 - kernel.inner_axes;
    std::rotate(inner, index.end() - 1, index.end());
  }
  return index;
}

Kernel kernel_of_loop(const Kernel& kernel, std::size_t loop) {
  Kernel result = kernel;
  result.loops.clear();
  result.rank = kernel.loops[loop].rank;
  result.writes = kernel.loops[loop].writes;
  result.element = kernel.loops[loop].element;
  result.interior = kernel.loops[loop].interior;
  return result;
}

std::size_t first_axis(const Kernel& kernel, std::size_t loop) {
  std::size_t axis = 0;
  for (std::size_t before = 0; before < loop; ++before) axis += kernel.loops[before].rank;
  return axis;
}

}  // namespace hasten::kernels
