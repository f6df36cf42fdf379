// Walks the blocks in order; manifest bindings become steps, delayed ones only extents and checks.
#include "kernels/lowering/lower.hpp"

#include "kernels/lowering/lowering.hpp"

#include "core/traverse.hpp"
#include "kernels/liveness.hpp"
#include "support/overloaded.hpp"

#include <hasten/run/error.hpp>

#include <utility>

namespace hasten::kernels {

using namespace core;

Lowering::Lowering(Program program, Checks checks, Determinism determinism, FastMath fast_math)
    : program_(std::move(program)),
      checks_(checks),
      determinism_(determinism) {
  env_.program = &program_;
  env_.reorders_floats = fast_math == FastMath::all && determinism != Determinism::everywhere;
  env_.producer.resize(program_.array_types.size());
  env_.extents.resize(program_.array_types.size());
  if (has(checks_, Checks::bounds) || has(checks_, Checks::trusted))
    env_.open_reads = OpenReads::trusted;
  env_.survey(program_.body);
  needed_values_.insert(program_.scalar_results.begin(), program_.scalar_results.end());
  note_needs(program_.body);
  lower(program_.body, plan_.steps);
}

Plan Lowering::take() {
  insert_frees(plan_.steps, program_.body.results);
  plan_.array_types = std::move(program_.array_types);
  plan_.value_types = std::move(program_.value_types);
  plan_.inputs = std::move(program_.inputs);
  plan_.scalar_inputs = std::move(program_.scalar_inputs);
  plan_.results = std::move(program_.body.results);
  plan_.scalar_results = std::move(program_.scalar_results);
  plan_.checks = checks_;
  return std::move(plan_);
}

void Lowering::lower(const Block& block, Steps& steps) {
  inside(steps, [&] {
    const std::span<const Binding> bindings = block.bindings;
    for (std::size_t i = 0; i < bindings.size();) {
      binding_ = &bindings[i];
      const std::size_t count = group_at(bindings, i);
      if (count == 1)
        lower(bindings[i]);
      else
        lower_group(bindings.subspan(i, count));
      i += count;
    }
  });
}

// Redirects the steps that f pushes to this list.
void Lowering::inside(Steps& steps, FunctionRef<void()> f) {
  Steps* outer_steps = std::exchange(steps_, &steps);
  const Binding* outer_binding = binding_;
  const std::size_t values = host_undo_.size(), arrays = extents_undo_.size(),
                    counts = countable_undo_.size();
  f();
  // What was computed inside a branch or loop is not known after it.
  for (; host_undo_.size() > values; host_undo_.pop_back()) host_values_.erase(host_undo_.back());
  for (; countable_undo_.size() > counts; countable_undo_.pop_back())
    countable_.erase(countable_undo_.back());
  for (; extents_undo_.size() > arrays; extents_undo_.pop_back())
    env_.extents[extents_undo_.back().first] = std::move(extents_undo_.back().second);
  steps_ = outer_steps;
  binding_ = outer_binding;
}

// The bindings from `first` on that one kernel makes.
std::size_t Lowering::group_at(std::span<const Binding> bindings, std::size_t first) {
  std::size_t end = first + 1;
  if (bindings[first].group != none)
    while (end < bindings.size() && bindings[end].group == bindings[first].group) ++end;
  return end - first;
}

void Lowering::lower(const Binding& binding) {
  if (auto* scalar = std::get_if<HostScalar>(&binding.op)) return lower_scalar(scalar->stmt);
  check(binding);
  if (binding.storage == Storage::delayed) {
    env_.extents[binding.results[0]] = result_extents(binding);
    return;
  }
  make(binding);
}

// Emits the steps that compute the binding's arrays into memory.
void Lowering::make(const Binding& binding) {
  note_memory(binding);
  const ArrayId result = binding.results[0];
  if (binding.device == core::on_host)
    return lower_on_host(binding, std::get<Generate>(binding.op));
  match(
      binding.op, [](const HostScalar&) {}, [&](const Use& op) { push(BindUse{result, op.index}); },
      [&](const Input& op) { push(BindInput{result, op.index}); },
      [&](const Unit& op) { push(MakeUnit{result, op.values}); },
      [&](const Reshape& op) { push(View{result, op.source, op.extent, false}); },
      [&](const OneOf<Compute, Demand> auto& op) { push(View{result, op.source, {}, true}); },
      [&](const Rows& op) { push(RowsStep{result, op.source, op.begin, op.end}); },
      [&](const Map& op) { lower_map(binding, op); },
      [&](const OneOf<Generate, ZipWith, Replicate, Slice, Backpermute> auto&) {
        lower_elementwise(binding);
      },
      [&](const GenerateSegments& op) { lower_generate_segments(binding, op); },
      [&](const Fold& op) { lower_fold(binding, op); },
      [&](const FoldSegments& op) { lower_fold_segments(binding, op); },
      [&](const Scan& op) { lower_scan(binding, op); },
      [&](const Permute& op) { lower_permute(binding, op); },
      [&](const Compact& op) { lower_compact(binding, op); },
      [&](const Concat& op) {
        if (op.joins)
          push(JoinStep{result, op.sources, op.at});
        else
          lower_concat(binding, op);
      },
      [&](const SortPositions& op) {
        push(SortStep{result,
                      op.source,
                      op.carried,
                      {binding.results.begin() + 1, binding.results.end()},
                      op.at_heads,
                      op.first,
                      op.only_carried});
      },
      [&](const ArrayIf& op) { lower_branch(binding, op); },
      [&](const ArrayWhile& op) { lower_loop(binding, op); },
      [&](const ForeignArrays& op) { lower_foreign(binding, op); });
}

// No device has a part in it.
void Lowering::lower_on_host(const Binding& binding, const Generate& generate) {
  HostElements step{binding.results[0], generate.extent, generate.fn};
  for (Stmt& stmt : step.fn.body) env_.replace_extents(stmt);
  push(std::move(step));
  steps_->back().device = none;
}

// A map that only chooses components of an array in memory is a view.
void Lowering::lower_map(const Binding& binding, const Map& map) {
  const ArrayId source = env_.in_memory(map.source);
  std::vector<std::uint32_t> leaves;
  if (source != none) leaves = chosen_leaves(map.fn);
  if (leaves.empty())
    lower_elementwise(binding);
  else
    push(View{binding.results[0], source, {}, true, std::move(leaves)});
}

void Lowering::note_memory(const Binding& binding) {
  const auto* const sort = std::get_if<SortPositions>(&binding.op);
  const ArrayId made = binding.results[sort && sort->only_carried ? 1 : 0];
  if (*binding.reason != '\0')
    plan_.memory.push_back({made, binding.operation, binding.reason, binding.where});
}

void Lowering::lower_scalar(Stmt stmt) {
  if (std::holds_alternative<Extent>(stmt.op)) not_negative_.insert(stmt.results[0]);
  env_.replace_extents(stmt);
  push(HostScalars{std::move(stmt)});
}

void Lowering::lower_branch(const Binding& binding, const ArrayIf& branch) {
  BranchStep step{branch.condition, {}, {}, branch.then_.results, branch.else_.results,
                  binding.results};
  lower(branch.then_, step.then_);
  lower(branch.else_, step.else_);
  push(std::move(step));
}

void Lowering::lower_loop(const Binding& binding, const ArrayWhile& loop) {
  LoopStep step;
  step.init = loop.init;
  step.results = binding.results;
  step.condition_state = loop.condition.params;
  step.body_state = loop.body.params;
  step.value = loop.condition.value;
  step.next = loop.body.results;
  lower(loop.condition, step.condition);
  lower(loop.body, step.body);
  push(std::move(step));
}

void Lowering::lower_foreign(const Binding& binding, const ForeignArrays& call) {
  if (call.functions.size() != 1 || !call.fallback.results.empty())
    throw InternalError("kernels: no foreign function was chosen");
  push(ForeignStep{call.functions[0].index, call.functions[0].name, call.args, binding.results});
}

Plan lower(Program program, Checks checks, Determinism determinism, FastMath fast_math) {
  return Lowering(std::move(program), checks, determinism, fast_math).take();
}

}  // namespace hasten::kernels
