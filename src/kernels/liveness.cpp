// One backward walk per list of steps.
#include "kernels/liveness.hpp"

#include "core/traverse.hpp"

#include <algorithm>
#include <unordered_set>

namespace hasten::kernels {

using namespace core;

std::vector<ArrayId> definitions(const Step& step) {
  if (auto* x = std::get_if<BindUse>(&step.op)) return {x->array};
  if (auto* x = std::get_if<BindInput>(&step.op)) return {x->array};
  if (auto* x = std::get_if<MakeUnit>(&step.op)) return {x->array};
  if (auto* x = std::get_if<HostElements>(&step.op)) return {x->array};
  if (auto* x = std::get_if<View>(&step.op)) return {x->array};
  if (auto* x = std::get_if<RowsStep>(&step.op)) return {x->array};
  if (auto* x = std::get_if<JoinStep>(&step.op)) return {x->array};
  if (auto* x = std::get_if<StandIn>(&step.op)) return {x->array};
  if (auto* x = std::get_if<Launch>(&step.op)) {
    std::vector<ArrayId> arrays;
    for_each_output(*x, [&](ArrayId a, const std::vector<Value>&) { arrays.push_back(a); });
    if (x->others != none) arrays.push_back(x->others);
    return arrays;
  }
  if (auto* x = std::get_if<SortStep>(&step.op)) {
    std::vector<ArrayId> arrays = x->carried_to;
    if (!x->only_carried) arrays.push_back(x->output);
    return arrays;
  }
  if (auto* x = std::get_if<ForeignStep>(&step.op)) return x->results;
  if (auto* x = std::get_if<BranchStep>(&step.op)) return x->results;
  if (auto* x = std::get_if<LoopStep>(&step.op)) return x->results;
  return {};
}

namespace {

using ArraySet = std::unordered_set<ArrayId>;

void add_all(const std::vector<ArrayId>& arrays, ArraySet& uses) {
  uses.insert(arrays.begin(), arrays.end());
}

void add_uses(const Steps& steps, ArraySet& uses);

void add_uses(const Step& step, ArraySet& uses) {
  if (auto* x = std::get_if<HostScalars>(&step.op))
    for_each_use(x->stmt, [](Value) {}, [&](ArrayId a) { uses.insert(a); });
  if (auto* x = std::get_if<HostElements>(&step.op))
    for_each_use(x->fn, [](Value) {}, [&](ArrayId a) { uses.insert(a); });
  if (auto* x = std::get_if<View>(&step.op)) uses.insert(x->source);
  if (auto* x = std::get_if<RowsStep>(&step.op)) uses.insert(x->source);
  if (auto* x = std::get_if<JoinStep>(&step.op)) add_all(x->parts, uses);
  if (auto* x = std::get_if<StandIn>(&step.op)) uses.insert(x->source);
  if (auto* x = std::get_if<Launch>(&step.op)) {
    for (const InputSource& input : x->inputs) uses.insert(input.array);
    for (const ArgumentSource& argument : x->arguments)
      if (argument.array != none) uses.insert(argument.array);
    add_all(x->in_place, uses);
  }
  if (auto* x = std::get_if<SortStep>(&step.op)) {
    uses.insert(x->keys);
    add_all(x->carried, uses);
  }
  if (auto* x = std::get_if<ForeignStep>(&step.op)) add_all(x->args, uses);
  if (auto* x = std::get_if<CheckFlags>(&step.op)) uses.insert(x->flags);
  if (auto* x = std::get_if<BranchStep>(&step.op)) {
    add_uses(x->then_, uses);
    add_uses(x->else_, uses);
    add_all(x->then_results, uses);
    add_all(x->else_results, uses);
  }
  if (auto* x = std::get_if<LoopStep>(&step.op)) {
    add_uses(x->condition, uses);
    add_uses(x->body, uses);
    add_all(x->init, uses);
    add_all(x->next, uses);
  }
}

void add_uses(const Steps& steps, ArraySet& uses) {
  for (const Step& step : steps) add_uses(step, uses);
}

// The branches of a step may reuse arrays of `own` that the step uses and nothing after it needs.
void insert_in_nested(Step& step, const ArraySet& uses, const ArraySet& own,
                      const ArraySet& needed) {
  if (auto* x = std::get_if<BranchStep>(&step.op)) {
    std::vector<ArrayId> given;
    for (const ArrayId a : uses)
      if (own.contains(a) && !needed.contains(a)) given.push_back(a);
    insert_frees(x->then_, x->then_results, given);
    insert_frees(x->else_, x->else_results, given);
  }
  if (auto* x = std::get_if<LoopStep>(&step.op)) {
    insert_frees(x->condition, {});
    insert_frees(x->body, x->next, x->body_state);
  }
}

// Arrays defined outside these steps have other readers; those of `needed` are read later.
void keep_what_is_needed(Step& step, const ArraySet& own, const ArraySet& needed) {
  auto* const launch = std::get_if<Launch>(&step.op);
  if (!launch) return;
  const auto must_stay = [&](ArrayId a) { return !own.contains(a) || needed.contains(a); };
  if (launch->reused != none && must_stay(launch->reused)) launch->reused = none;
  std::erase_if(launch->overwritable,
                [&](std::uint32_t i) { return must_stay(launch->inputs[i].array); });
}

}  // namespace

void insert_frees(Steps& steps, const std::vector<ArrayId>& kept,
                  const std::vector<ArrayId>& given) {
  ArraySet owned, own(given.begin(), given.end());
  for (const Step& step : steps) add_all(definitions(step), owned);
  own.insert(owned.begin(), owned.end());
  ArraySet seen(kept.begin(), kept.end());
  Steps backwards;
  for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
    ArraySet uses;
    add_uses(*it, uses);
    keep_what_is_needed(*it, own, seen);
    insert_in_nested(*it, uses, own, seen);
    add_all(definitions(*it), uses);  // unused results are freed at once
    Free last;
    for (ArrayId a : uses)
      if (own.contains(a) && seen.insert(a).second && owned.contains(a)) last.arrays.push_back(a);
    std::sort(last.arrays.begin(), last.arrays.end());
    if (!last.arrays.empty()) backwards.push_back({std::move(last), it->where, ""});
    backwards.push_back(std::move(*it));
  }
  std::reverse(backwards.begin(), backwards.end());
  steps = std::move(backwards);
}

}  // namespace hasten::kernels
