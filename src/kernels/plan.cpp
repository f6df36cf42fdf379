// Queries on plans.
#include "kernels/plan.hpp"

#include <algorithm>
#include <vector>

namespace hasten::kernels {

// Recursive, because nests of blocks are not deep.
std::int64_t launch_count(const Steps& steps) {
  std::int64_t count = 0;
  for (const Step& step : steps) {
    if (std::holds_alternative<Launch>(step.op)) ++count;
    if (const auto* branch = std::get_if<BranchStep>(&step.op))
      count += std::max(launch_count(branch->then_), launch_count(branch->else_));
    if (const auto* loop = std::get_if<LoopStep>(&step.op))
      count += launch_count(loop->condition) + launch_count(loop->body);
  }
  return count;
}

namespace {

void note_kernels(const Steps& steps, std::vector<bool>& kernels) {
  for (const Step& step : steps) {
    if (const auto* launch = std::get_if<Launch>(&step.op)) kernels[launch->kernel] = true;
    if (const auto* branch = std::get_if<BranchStep>(&step.op)) {
      note_kernels(branch->then_, kernels);
      note_kernels(branch->else_, kernels);
    }
    if (const auto* loop = std::get_if<LoopStep>(&step.op)) {
      note_kernels(loop->condition, kernels);
      note_kernels(loop->body, kernels);
    }
  }
}

}  // namespace

std::int64_t kernel_count(const Plan& plan) {
  std::vector<bool> kernels(plan.kernels.size());
  note_kernels(plan.steps, kernels);
  return std::ranges::count(kernels, true);
}

namespace {

bool takes_time(const Step& step) {
  return std::holds_alternative<Launch>(step.op) || std::holds_alternative<SortStep>(step.op) ||
         std::holds_alternative<ForeignStep>(step.op) ||
         std::holds_alternative<BindInput>(step.op) || std::holds_alternative<BindUse>(step.op);
}

void number(Steps& steps, std::uint32_t& next) {
  for (Step& step : steps) {
    if (takes_time(step)) step.site = next++;
    if (auto* branch = std::get_if<BranchStep>(&step.op)) {
      number(branch->then_, next);
      number(branch->else_, next);
    }
    if (auto* loop = std::get_if<LoopStep>(&step.op)) {
      number(loop->condition, next);
      number(loop->body, next);
    }
  }
}

}  // namespace

void number_sites(Plan& plan) {
  plan.sites = 0;
  number(plan.steps, plan.sites);
}

}  // namespace hasten::kernels
