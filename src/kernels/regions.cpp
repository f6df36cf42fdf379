// What code a kernel consists of. Those who treat all of it alike ask here, so that a new region is
// not forgotten.
#include "kernels/kernel.hpp"

namespace hasten::kernels {
namespace {

template <class RegionType, class KernelType>
std::vector<RegionType*> all_regions(KernelType& kernel) {
  std::vector<RegionType*> result;
  if (kernel.range) result.push_back(&*kernel.range);
  result.push_back(&kernel.element);
  if (kernel.interior) {
    result.push_back(&kernel.interior->bounds);
    result.push_back(&kernel.interior->element);
  }
  if (combines(kernel)) result.push_back(&kernel.combine);
  if (accumulates(kernel)) result.push_back(&kernel.epilogue);
  return result;
}

}  // namespace

std::vector<Region*> regions_of(Kernel& kernel) { return all_regions<Region>(kernel); }

std::vector<const Region*> regions_of(const Kernel& kernel) {
  return all_regions<const Region>(kernel);
}

}  // namespace hasten::kernels
