// Two walks: one finds the joins, which come behind their parts, and one the order of steps.
#include "runtime/streaming/joins_ahead.hpp"

#include "core/scalar_ops.hpp"
#include "kernels/liveness.hpp"

#include <algorithm>

namespace hasten::runtime {

using namespace kernels;

JoinsAhead::JoinsAhead(const Plan& plan) {
  find_joins(plan.steps);
  for (const core::Value input : plan.scalar_inputs) computed_[input] = 0;
  note_order(plan, plan.steps);
  std::erase_if(places_, [&](const auto& each) {
    const auto& [part, place] = each;
    const std::size_t when = made_[part];
    if (!place.join->at.empty())
      return std::ranges::any_of(place.join->at,
                                 [&](core::Value at) { return !is_known(at, when); });
    return std::ranges::any_of(place.join->parts, [&](core::ArrayId other) {
      const auto found = rows_.find(other);
      return found == rows_.end() || !is_known(found->second, when);
    });
  });
}

bool JoinsAhead::is_known(core::Value value, std::size_t when) const {
  const auto found = computed_.find(value);
  return found != computed_.end() && found->second < when;
}

std::vector<std::int64_t> JoinsAhead::rows(const Place& place,
                                           const std::vector<core::Bits>& values) const {
  const JoinStep& join = *place.join;
  std::vector<std::int64_t> rows;
  for (std::size_t k = 0; k < join.parts.size(); ++k) {
    const auto value = [&](core::Value v) { return core::as_i64(values[v]); };
    if (join.at.empty())
      rows.push_back(std::max<std::int64_t>(value(rows_.at(join.parts[k])), 0));
    else
      rows.push_back(value(join.at[k + 1]) - value(join.at[k]));
  }
  return rows;
}

std::optional<JoinsAhead::Place> JoinsAhead::of(core::ArrayId part) const {
  const auto found = places_.find(part);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

void JoinsAhead::find_joins(const Steps& steps) {
  for (const Step& step : steps) {
    if (const auto* join = std::get_if<JoinStep>(&step.op))
      for (std::size_t k = 0; k < join->parts.size(); ++k) places_[join->parts[k]] = {join, k};
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

// The number of rows of a compaction is not known in advance.
void JoinsAhead::find_rows(const Plan& plan, const Launch& launch) {
  if (launch.into || plan.kernels[launch.kernel].skeleton == Skeleton::compact) return;
  for_each_output(launch, [&](core::ArrayId array, const std::vector<core::Value>& extents) {
    if (!extents.empty() && extents[0] != core::none) rows_[array] = extents[0];
  });
}

void JoinsAhead::note_order(const Plan& plan, const Steps& steps) {
  for (const Step& step : steps) {
    ++now_;
    if (const auto* scalars = std::get_if<HostScalars>(&step.op))
      for (const core::Value value : scalars->stmt.results) computed_[value] = now_;
    for (const core::ArrayId array : definitions(step)) made_[array] = now_;
    if (const auto* launch = std::get_if<Launch>(&step.op)) find_rows(plan, *launch);
    if (const auto* branch = std::get_if<BranchStep>(&step.op)) {
      note_order(plan, branch->then_);
      note_order(plan, branch->else_);
    }
    if (const auto* loop = std::get_if<LoopStep>(&step.op)) {
      note_order(plan, loop->condition);
      note_order(plan, loop->body);
    }
  }
}

}  // namespace hasten::runtime
