// Two walks: the joins, which stand behind their parts; then what comes before what.
#include "runtime/streaming/joins_ahead.hpp"

#include "kernels/liveness.hpp"

#include <algorithm>

namespace hasten::runtime {

using namespace kernels;

JoinsAhead::JoinsAhead(const Plan& plan) {
  find_joins(plan.steps);
  for (const core::Value input : plan.scalar_inputs) computed_[input] = 0;
  note_order(plan.steps);
  std::erase_if(places_, [&](const auto& each) {
    const auto& [part, place] = each;
    return std::ranges::any_of(place.join->at, [&](core::Value at) {
      const auto found = computed_.find(at);
      return found == computed_.end() || found->second >= made_[part];
    });
  });
}

std::optional<JoinsAhead::Place> JoinsAhead::of(core::ArrayId part) const {
  const auto found = places_.find(part);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

void JoinsAhead::find_joins(const Steps& steps) {
  for (const Step& step : steps) {
    if (const auto* join = std::get_if<JoinStep>(&step.op))
      for (std::size_t k = 0; k < join->parts.size() && !join->at.empty(); ++k)
        places_[join->parts[k]] = {join, k};
    if (const auto* branch = std::get_if<BranchStep>(&step.op)) {
      find_joins(branch->then_);
      find_joins(branch->else_);
    }
    if (const auto* loop = std::get_if<LoopStep>(&step.op)) {
      find_joins(loop->condition);
      find_joins(loop->body);
    }
  }
}

void JoinsAhead::note_order(const Steps& steps) {
  for (const Step& step : steps) {
    ++now_;
    if (const auto* scalars = std::get_if<HostScalars>(&step.op))
      for (const core::Value value : scalars->stmt.results) computed_[value] = now_;
    for (const core::ArrayId array : definitions(step)) made_[array] = now_;
    if (const auto* branch = std::get_if<BranchStep>(&step.op)) {
      note_order(branch->then_);
      note_order(branch->else_);
    }
    if (const auto* loop = std::get_if<LoopStep>(&step.op)) {
      note_order(loop->condition);
      note_order(loop->body);
    }
  }
}

}  // namespace hasten::runtime
