// Most groupings follow from a launch's kernel; separate reads of its results follow from the views
// after it.
#include "tests/conformance/soak/groupings.hpp"

#include "core/traverse.hpp"
#include "kernels/analysis/contraction.hpp"

#include <fmt/format.h>

#include <set>

namespace hasten::conformance {
namespace {

using namespace kernels;

constexpr const char* names[] = {
    "inlined", "fold epilogues", "scan epilogues", "several results", "stores beside", "stages",
    "fills",   "compactions",    "segments",       "contractions",    "borders",       "in place"};
static_assert(std::size(names) == static_cast<std::size_t>(Grouping::count));

bool has_reduction(const Region& region) {
  bool found = false;
  for (const core::Stmt& stmt : region.body) {
    found |= std::holds_alternative<core::Reduce>(stmt.op);
    core::visit_regions(stmt, [&](const Region& inner) { found |= has_reduction(inner); });
  }
  return found;
}

class Counter {
 public:
  Counter(const Plan& plan, GroupingCounts& counts) : plan_(plan), counts_(counts) {}

  void walk(const Steps& steps) {
    for (const Step& step : steps) {
      if (const auto* launch = std::get_if<Launch>(&step.op)) look_at(*launch);
      if (const auto* view = std::get_if<View>(&step.op)) look_at(*view);
      if (const auto* branch = std::get_if<BranchStep>(&step.op)) {
        walk(branch->then_);
        walk(branch->else_);
      }
      if (const auto* loop = std::get_if<LoopStep>(&step.op)) {
        walk(loop->condition);
        walk(loop->body);
      }
    }
  }

 private:
  void add(Grouping kind, bool is_one = true) {
    if (is_one) ++counts_[static_cast<std::size_t>(kind)];
  }

  void look_at(const Launch& launch) {
    const Kernel& kernel = plan_.kernels[launch.kernel];
    launched_.insert(launch.output);
    const bool has_epilogue = accumulates(kernel) && !kernel.epilogue.body.empty();
    add(Grouping::inlined, launch.fused.size() > 1);
    add(Grouping::fold_epilogues, has_epilogue && kernel.skeleton == Skeleton::fold);
    add(Grouping::scan_epilogues, has_epilogue && kernel.skeleton == Skeleton::scan);
    add(Grouping::stores_beside, kernel.stored > 0);
    add(Grouping::stages, has_reduction(kernel.element));
    add(Grouping::fills, kernel.skeleton == Skeleton::scatter && !kernel.seed.empty());
    add(Grouping::compactions, kernel.skeleton == Skeleton::compact);
    add(Grouping::segments, kernel.range.has_value());
    add(Grouping::contractions, find_contraction(kernel).has_value());
    add(Grouping::borders, kernel.interior.has_value());
    add(Grouping::in_place, launch.reused != core::none);
  }

  void look_at(const View& view) {
    add(Grouping::several_results, !view.leaves.empty() && launched_.contains(view.source));
  }

  const Plan& plan_;
  GroupingCounts& counts_;
  std::set<core::ArrayId> launched_;
};

}  // namespace

void count_groupings(const Plan& plan, GroupingCounts& counts) {
  Counter(plan, counts).walk(plan.steps);
}

std::string text(const GroupingCounts& counts) {
  std::string result;
  for (std::size_t i = 0; i < counts.size(); ++i)
    result += fmt::format("{}{} {}", i == 0 ? "" : ", ", counts[i].load(), names[i]);
  return result;
}

}  // namespace hasten::conformance
