// Checks::bounds and Checks::arithmetic: which elements would read out of range or divide by zero.
// The checking code reads nothing out of range itself, and its loops end at a failure: what they
// would do afterwards is no longer the program's behaviour.
#include "core/scalar_ops.hpp"
#include "kernels/kernel_builder.hpp"

namespace hasten::kernels {

using namespace core;

void KernelBuilder::note_failure(Value bad) {
  failed_ = failed_ == none ? bad : emit_prim(ScalarOp::or_, ScalarType::boolean, {failed_, bad});
}

Value KernelBuilder::failed_or_false() {
  return failed_ == none ? emit_constant(ScalarType::boolean, {}) : failed_;
}

void KernelBuilder::check_divisor(const Prim& prim, const std::vector<Value>& args) {
  if (!has(checks_, Checks::arithmetic) || !row(prim.op).partial) return;
  failure_kinds_ = failure_kinds_ | Checks::arithmetic;
  const Value zero = emit_constant(kernel.value_types[args[1]], {});
  note_failure(emit_prim(ScalarOp::eq, ScalarType::boolean, {args[1], zero}));
}

// Adds one value to the state: whether anything has failed. A region cannot report that of its
// loop's condition, so the body evaluates the condition again, as does the code after the loop.
// Returns false, with nothing emitted but dead code, if nothing in the loop can fail.
bool KernelBuilder::inline_checked_loop(const While& loop, const std::vector<Value>& results,
                                        ValueMap& map) {
  Value failed[2];
  (void)inline_nested(loop.condition, map, failed[0]);
  (void)inline_nested(loop.body, map, failed[1]);
  if (failed[0] == none && failed[1] == none) return false;

  std::vector<Value> init = mapped(map, loop.init);
  init.push_back(failed_or_false());
  std::vector<ScalarType> types;
  for (Value v : init) types.push_back(kernel.value_types[v]);
  const auto bind = [&](const Region& region, const std::vector<Value>& state) {
    for (std::size_t i = 0; i < region.params.size(); ++i) map[region.params[i]] = state[i];
    inline_body(region, map);
  };
  Region condition = nested(types, [&](const std::vector<Value>& state) {
    bind(loop.condition, state);
    const Value goes_on = mapped(map, loop.condition.results[0]);
    const Value sound = emit_prim(ScalarOp::not_, ScalarType::boolean, {state.back()});
    return std::vector{emit_prim(ScalarOp::and_, ScalarType::boolean, {goes_on, sound})};
  });
  Region body = nested(types, [&](const std::vector<Value>& state) {
    bind(loop.condition, state);
    bind(loop.body, state);
    std::vector<Value> next = mapped(map, loop.body.results);
    next.push_back(failed_or_false());
    return next;
  });
  std::vector<Value> all = results;
  all.push_back(new_value(ScalarType::boolean));
  emit(all, While{std::move(init), std::move(condition), std::move(body)});
  failed_ = all.back();
  bind(loop.condition, results);
  return true;
}

}  // namespace hasten::kernels
