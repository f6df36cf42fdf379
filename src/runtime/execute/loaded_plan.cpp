// Which code of a plan a run needs, and when.
#include "runtime/execute/executor.hpp"

#include <algorithm>
#include <unordered_set>
#include <variant>
#include <vector>

namespace hasten::runtime {
namespace {

using kernels::BranchStep;
using kernels::Launch;
using kernels::LoopStep;
using kernels::Step;
using kernels::Steps;

using Values = std::unordered_set<kernels::Value>;

// Whether the statement depends only on constants and extents.
bool is_of_extents(const core::Stmt& stmt, const Values& known) {
  if (std::holds_alternative<core::Constant>(stmt.op)) return true;
  if (std::holds_alternative<core::Extent>(stmt.op)) return true;
  const auto* prim = std::get_if<core::Prim>(&stmt.op);
  return prim && std::ranges::all_of(prim->args, [&](auto v) { return known.contains(v); });
}

/// The kernels that the steps launch, except in branches that extents decide: these are alternative
/// ways to compute the same, and most programs only ever take one.
void note_at_once(const Steps& steps, Values& of_extents, std::vector<bool>& kernels) {
  for (const Step& step : steps) {
    if (const auto* host = std::get_if<kernels::HostScalars>(&step.op)) {
      if (is_of_extents(host->stmt, of_extents))
        of_extents.insert(host->stmt.results.begin(), host->stmt.results.end());
    }
    if (const auto* launch = std::get_if<Launch>(&step.op)) kernels[launch->kernel] = true;
    if (const auto* loop = std::get_if<LoopStep>(&step.op)) {
      note_at_once(loop->condition, of_extents, kernels);
      note_at_once(loop->body, of_extents, kernels);
    }
    const auto* branch = std::get_if<BranchStep>(&step.op);
    if (!branch || of_extents.contains(branch->condition)) continue;
    note_at_once(branch->then_, of_extents, kernels);
    note_at_once(branch->else_, of_extents, kernels);
  }
}

// Inside loops, but not inside branches.
void for_launches(const Steps& steps, core::FunctionRef<void(const Step&, const Launch&)> visit) {
  for (const Step& step : steps) {
    if (const auto* launch = std::get_if<Launch>(&step.op)) visit(step, *launch);
    if (const auto* loop = std::get_if<LoopStep>(&step.op)) {
      for_launches(loop->condition, visit);
      for_launches(loop->body, visit);
    }
  }
}

}  // namespace

bool LoadedPlan::has_memory() const {
  return memory != nullptr ||
         std::ranges::any_of(others, [](const LoadedDevice& one) { return one.memory != nullptr; });
}

std::vector<KernelCodeRef> LoadedPlan::needed_code() const {
  if (uses.empty()) return code;
  std::vector<KernelCodeRef> needed;
  for (std::size_t k = 0; k < devices(); ++k)
    for (std::size_t kernel = 0; kernel < on(k).code.size(); ++kernel)
      if (on(k).uses[kernel]) needed.push_back(on(k).code[kernel]);
  return needed;
}

void LoadedPlan::note_branches() {
  at_once.assign(plan.kernels.size(), false);
  Values of_extents;
  note_at_once(plan.steps, of_extents, at_once);
}

bool LoadedPlan::is_at_once(std::size_t device, std::size_t kernel) const {
  return (at_once.empty() || at_once[kernel]) && (uses.empty() || on(device).uses[kernel]);
}

std::vector<KernelCodeRef> LoadedPlan::code_at_once() const {
  std::vector<KernelCodeRef> result;
  for (std::size_t k = 0; k < devices(); ++k)
    for (std::size_t kernel = 0; kernel < on(k).code.size(); ++kernel)
      if (is_at_once(k, kernel)) result.push_back(on(k).code[kernel]);
  return result;
}

void LoadedPlan::wait_for_code_at_once() const {
  for (std::size_t k = 0; k < devices(); ++k)
    for (std::size_t kernel = 0; kernel < on(k).code.size(); ++kernel)
      if (is_at_once(k, kernel)) static_cast<void>(on(k).code[kernel]->get());
}

std::vector<KernelCodeRef> LoadedPlan::code_to_make(const Steps& branch) const {
  std::vector<KernelCodeRef> result;
  for_launches(branch, [&](const Step& step, const Launch& launch) {
    const std::size_t device = device_of(step.device);
    if (device >= devices()) return;      // another process's
    if (on(device).code.empty()) return;  // simulated
    const KernelCodeRef& own = on(device).code[launch.kernel];
    if (!own->has_begun() && std::ranges::find(result, own) == result.end()) result.push_back(own);
  });
  return result;
}

}  // namespace hasten::runtime
