// Arrays that are the same under several numbers (views, results and state of loops and branches)
// are attributed to their origin.
#include "runtime/profile/sites.hpp"

#include <algorithm>
#include <string_view>

namespace hasten::runtime {
namespace {

using namespace kernels;

constexpr std::size_t most_named = 3;  // of the operations fused into a launch

// Recursive, because nests of blocks are not deep.
void survey(const Steps& steps, std::vector<const Step*>& found) {
  for (const Step& step : steps) {
    if (step.site != core::none) found[step.site] = &step;
    if (const auto* branch = std::get_if<BranchStep>(&step.op)) {
      survey(branch->then_, found);
      survey(branch->else_, found);
    }
    if (const auto* loop = std::get_if<LoopStep>(&step.op)) {
      survey(loop->condition, found);
      survey(loop->body, found);
    }
  }
}

class CopySites {
 public:
  explicit CopySites(const Plan& plan) : sites_(plan.array_types.size(), plan.sites) {
    walk(plan.steps);
  }
  std::vector<std::uint32_t> take() { return std::move(sites_); }

 private:
  void walk(const Steps& steps) {
    for (const Step& step : steps) {
      if (const auto* x = std::get_if<BindUse>(&step.op)) sites_[x->array] = step.site;
      if (const auto* x = std::get_if<BindInput>(&step.op)) sites_[x->array] = step.site;
      if (const auto* x = std::get_if<View>(&step.op)) sites_[x->array] = sites_[x->source];
      if (const auto* x = std::get_if<RowsStep>(&step.op)) sites_[x->array] = sites_[x->source];
      if (const auto* x = std::get_if<StandIn>(&step.op)) sites_[x->array] = sites_[x->source];
      if (const auto* x = std::get_if<BranchStep>(&step.op)) branch(*x);
      if (const auto* x = std::get_if<LoopStep>(&step.op)) loop(*x);
    }
  }
  void same(const std::vector<core::ArrayId>& to, const std::vector<core::ArrayId>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) sites_[to[i]] = sites_[from[i]];
  }
  void branch(const BranchStep& step) {
    walk(step.then_);
    walk(step.else_);
    same(step.results, step.then_results);
  }
  // The state begins as the loop's input; what later rounds make of it is on the device already.
  void loop(const LoopStep& step) {
    same(step.condition_state, step.init);
    same(step.body_state, step.init);
    walk(step.condition);
    walk(step.body);
    same(step.results, step.init);
  }

  std::vector<std::uint32_t> sites_;
};

// Whether the map reads nothing, and none of its results depends on the index.
bool is_fill(const Kernel& kernel) {
  if (kernel.skeleton != Skeleton::map || !kernel.inputs.empty()) return false;
  bool uses_index = false;
  core::for_each_use(
      kernel.element,
      [&](Value v) { uses_index |= std::ranges::count(kernel.element.params, v) > 0; },
      [](core::ArrayId) {});
  return !uses_index;
}

// "zip_with" of "zip_with at dotp.cpp:12".
std::string operation_of(const std::string& fused) { return fused.substr(0, fused.rfind(" at ")); }

}  // namespace

std::vector<const Step*> steps_of_sites(const Plan& plan) {
  std::vector<const Step*> found(plan.sites, nullptr);
  survey(plan.steps, found);
  return found;
}

std::vector<std::uint32_t> copy_sites_of(const Plan& plan) { return CopySites(plan).take(); }

std::string kind_of(const Step& step, const Plan& plan) {
  if (const auto* launch = std::get_if<Launch>(&step.op))
    return is_fill(plan.kernels[launch->kernel]) ? "fill" : "launch";
  if (std::holds_alternative<SortStep>(step.op)) return "sort";
  if (std::holds_alternative<ForeignStep>(step.op)) return "foreign call";
  return "copy";
}

std::string name_of(const Step& step) {
  std::string name = *step.operation ? step.operation : "a scalar of the program";
  if (const auto* call = std::get_if<ForeignStep>(&step.op)) return call->name;
  if (const auto* input = std::get_if<BindInput>(&step.op))
    return *step.operation && std::string_view(step.operation).ends_with(')')
               ? name
               : "argument " + std::to_string(input->index);
  const auto* launch = std::get_if<Launch>(&step.op);
  if (!launch) return name;
  std::vector<std::string> others;
  for (std::size_t i = launch->fused.size() - std::min<std::size_t>(launch->fused.size(), 1); i > 0;
       --i) {
    std::string other = operation_of(launch->fused[i - 1]);
    if (other != name && std::ranges::find(others, other) == others.end())
      others.push_back(std::move(other));
  }
  const bool has_more = others.size() > most_named;
  if (has_more) others.resize(most_named);
  for (const std::string& other : others)
    name += (&other == &others.front() ? " with " : ", ") + other;
  return name + (has_more ? "..." : "");
}

}  // namespace hasten::runtime
