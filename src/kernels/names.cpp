// Names of skeletons and operations, for text forms and reports.
#include "kernels/kernel_builder.hpp"

#include <algorithm>

namespace hasten::kernels {

const char* name_of(Skeleton skeleton) {
  constexpr const char* names[] = {"map", "segments", "fold", "scan", "scatter", "compact"};
  return names[static_cast<std::size_t>(skeleton)];
}

std::string title(const Kernel& kernel) {
  const std::string name = name_of(kernel.skeleton);
  if (!kernel.loops.empty()) return name + " of " + std::to_string(kernel.loops.size()) + " loops";
  return name + " of rank " + std::to_string(kernel.rank);
}

std::string describe(const core::Binding& binding) {
  std::string file = binding.where.file_name();
  file = file.substr(file.find_last_of('/') + 1);
  return std::string(binding.operation) + " at " + file + ":" +
         std::to_string(binding.where.line());
}

std::vector<std::uint32_t> chosen_leaves(const Region& fn) {
  std::vector<std::uint32_t> leaves;
  for (const Value result : fn.results) {
    const auto at = std::find(fn.params.begin(), fn.params.end(), result);
    if (at == fn.params.end()) return {};
    leaves.push_back(static_cast<std::uint32_t>(at - fn.params.begin()));
  }
  return leaves;
}

}  // namespace hasten::kernels
