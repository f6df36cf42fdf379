// The test is the whole condition, so that nothing but the counter ends the loop.
#include "kernels/analysis/loops/loop_counter.hpp"

#include <algorithm>

namespace hasten::kernels {

using namespace core;

namespace {

const Stmt* definition_of(const Region& body, Value v) {
  const auto made = std::ranges::find_if(
      body.body, [&](const Stmt& stmt) { return !stmt.results.empty() && stmt.results[0] == v; });
  return made == body.body.end() ? nullptr : &*made;
}

}  // namespace

std::optional<LoopCounter> find_loop_counter(const While& loop,
                                             const std::function<bool(Value)>& is_one) {
  if (loop.condition.body.size() != 1) return std::nullopt;
  const Stmt& condition = loop.condition.body[0];  // has the condition as its result
  const auto* test = std::get_if<Prim>(&condition.op);
  if (!test || test->op != ScalarOp::lt || loop.condition.results[0] != condition.results[0])
    return std::nullopt;
  const auto& params = loop.condition.params;
  const auto found = std::ranges::find(params, test->args[0]);
  if (found == params.end() || std::ranges::find(params, test->args[1]) != params.end())
    return std::nullopt;
  const auto state = static_cast<std::size_t>(found - params.begin());
  const Stmt* next = definition_of(loop.body, loop.body.results[state]);
  const auto* sum = next ? std::get_if<Prim>(&next->op) : nullptr;
  if (!sum || sum->op != ScalarOp::add) return std::nullopt;
  const auto is_number_one = [&](Value v) {
    const Stmt* made = definition_of(loop.body, v);
    const auto* constant = made ? std::get_if<Constant>(&made->op) : nullptr;
    return made ? constant && constant->bits.lo == 1 : is_one(v);
  };
  const Value counter = loop.body.params[state];
  const bool counts = (sum->args[0] == counter && is_number_one(sum->args[1])) ||
                      (sum->args[1] == counter && is_number_one(sum->args[0]));
  return counts ? std::optional(LoopCounter{state, test->args[1]}) : std::nullopt;
}

}  // namespace hasten::kernels
