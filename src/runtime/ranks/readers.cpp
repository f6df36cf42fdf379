// Lists are walked backward: the later names of an array are known before the array.
#include "runtime/ranks/readers.hpp"

#include <algorithm>
#include <ranges>
#include <variant>

namespace hasten::runtime {

using namespace kernels;
using core::ArrayId;
using core::none;

bool is_work(const Step& step) {
  return std::holds_alternative<Launch>(step.op) || std::holds_alternative<SortStep>(step.op) ||
         std::holds_alternative<ForeignStep>(step.op);
}

bool makes_unknown(const Plan& plan, const Step& step) {
  const auto* launch = std::get_if<Launch>(&step.op);
  return (launch && plan.kernels[launch->kernel].skeleton == Skeleton::compact) ||
         std::holds_alternative<ForeignStep>(step.op);
}

std::vector<ReadOf> reads_of(const Step& step) {
  std::vector<ReadOf> reads;
  if (const auto* launch = std::get_if<Launch>(&step.op)) {
    for (const InputSource& input : launch->inputs) reads.push_back({input.array, input.leaf});
    if (launch->into) reads.push_back({launch->output, none});
  }
  if (const auto* sort = std::get_if<SortStep>(&step.op)) {
    reads.push_back({sort->keys, none});
    for (const ArrayId carried : sort->carried) reads.push_back({carried, none});
  }
  if (const auto* call = std::get_if<ForeignStep>(&step.op))
    for (const ArrayId argument : call->args) reads.push_back({argument, none});
  return reads;
}

Readers::Readers(const Plan& plan) : readers_(plan.array_types.size()) { survey(plan.steps); }

void Readers::also(ArrayId source, ArrayId copy) {
  for (const Reader& reader : readers_[copy])
    if (std::ranges::find(readers_[source], reader) == readers_[source].end())
      readers_[source].push_back(reader);
}

void Readers::survey(const Steps& steps) {
  for (const Step& step : std::views::reverse(steps)) {
    for (const ReadOf& read : reads_of(step)) {
      const Reader reader{read.leaf, rank_of(step)};
      auto& known = readers_[read.array];
      if (std::ranges::find(known, reader) == known.end()) known.push_back(reader);
    }
    if (const auto* view = std::get_if<View>(&step.op); view && view->leaves.empty())
      also(view->source, view->array);
    if (const auto* other = std::get_if<StandIn>(&step.op)) also(other->source, other->array);
    if (const auto* branch = std::get_if<BranchStep>(&step.op)) {
      for (std::size_t i = 0; i < branch->results.size(); ++i) {
        also(branch->then_results[i], branch->results[i]);
        also(branch->else_results[i], branch->results[i]);
      }
      survey(branch->then_);
      survey(branch->else_);
    }
    if (const auto* loop = std::get_if<LoopStep>(&step.op)) {
      // Twice, because the results of a round are the next round's input.
      for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t i = 0; i < loop->next.size(); ++i) {
          also(loop->next[i], loop->results[i]);
          also(loop->next[i], loop->body_state[i]);
          also(loop->next[i], loop->condition_state[i]);
        }
        survey(loop->body);
        survey(loop->condition);
      }
      for (std::size_t i = 0; i < loop->init.size(); ++i) also(loop->init[i], loop->next[i]);
    }
  }
}

}  // namespace hasten::runtime
