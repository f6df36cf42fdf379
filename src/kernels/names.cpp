// Names of skeletons, in text forms and reports.
#include "kernels/kernel.hpp"

namespace hasten::kernels {

const char* name_of(Skeleton skeleton) {
  constexpr const char* names[] = {"map", "fold", "scan", "scatter"};
  return names[static_cast<std::size_t>(skeleton)];
}

}  // namespace hasten::kernels
