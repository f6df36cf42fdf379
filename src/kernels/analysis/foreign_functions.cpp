// One walk over all scalar code of a kernel.
#include "kernels/analysis/foreign_functions.hpp"

#include "core/traverse.hpp"

#include <algorithm>

namespace hasten::kernels {
namespace {

void add_foreign(const core::Region& region, ForeignFunctions& found) {
  for (const core::Stmt& stmt : region.body) {
    core::visit_regions(stmt, [&](const core::Region& inner) { add_foreign(inner, found); });
    const auto* call = std::get_if<core::ForeignCall>(&stmt.op);
    if (call && std::find(found.begin(), found.end(), call->functions[0]) == found.end())
      found.push_back(call->functions[0]);
  }
}

}  // namespace

ForeignFunctions foreign_functions(const Kernel& kernel) {
  ForeignFunctions found;
  for (const core::Region* region : regions_of(kernel)) add_foreign(*region, found);
  return found;
}

}  // namespace hasten::kernels
