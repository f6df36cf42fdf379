// Control of the interpreter: blocks, branches, loops, inputs, and array reads of scalar code.
#include "interpreter/interpreter.hpp"

#include "core/fields.hpp"
#include "core/foreign.hpp"
#include "core/print.hpp"
#include "core/scalar_ops.hpp"
#include "interpreter/machine.hpp"
#include "support/overloaded.hpp"

#include <hasten/run/error.hpp>

#include <utility>

namespace hasten::interp {

using namespace core;

std::vector<Array> interpret(const Program& program, std::span<const Array> inputs,
                             std::span<const Bits> scalar_inputs, Checks checks,
                             OutOfRange out_of_range, const support::StopWord* stop,
                             std::int64_t memory_limit) {
  return Machine(program, inputs, checks, out_of_range, stop, memory_limit).run(scalar_inputs);
}

Machine::Machine(const Program& program, std::span<const Array> inputs, Checks checks,
                 OutOfRange out_of_range, const support::StopWord* stop, std::int64_t memory_limit)
    : program_(program),
      inputs_(inputs),
      checks_(checks),
      out_of_range_(out_of_range),
      stop_(stop),
      memory_limit_(memory_limit),
      liveness_(program),
      values_(program.value_types.size()),
      evaluator_(program.value_types, values_, *this),
      arrays_(program.array_types.size()),
      producers_(program.array_types.size()) {}

Arrays Machine::run(std::span<const Bits> scalar_inputs) {
  if (scalar_inputs.size() != program_.scalar_inputs.size())
    throw InternalError("interpreter: " + std::to_string(scalar_inputs.size()) +
                        " scalar arguments for " + std::to_string(program_.scalar_inputs.size()));
  for (std::size_t i = 0; i < scalar_inputs.size(); ++i)
    values_[program_.scalar_inputs[i]] = scalar_inputs[i];
  run(program_.body);
  Arrays results = arrays(program_.body.results);
  for (const Value v : program_.scalar_results) {
    auto scalar = detail::HostArray::allocate({}, {program_.value_types[v]});
    store_bits(program_.value_types[v], values_[v], scalar->data(0));
    results.push_back(std::move(scalar));
  }
  return results;
}

void Machine::run(const Block& block) {
  for (std::size_t i = 0; i < block.bindings.size(); ++i) {
    run(block.bindings[i]);
    for (const ArrayId dead : liveness_.dead_after(block, i)) arrays_[dead].reset();
  }
}

void Machine::run(const Binding& binding) {
  const Binding* const around = std::exchange(binding_, &binding);
  element_ = {};
  poll();
  for (const ArrayId a : binding.results) producers_[a] = &binding;
  bind(binding.results, std::visit([&](const auto& op) { return run(op); }, binding.op));
  binding_ = around;
}

Arrays Machine::arrays(const std::vector<ArrayId>& ids) const {
  Arrays result;
  result.reserve(ids.size());
  for (const ArrayId a : ids) result.push_back(arrays_[a]);
  return result;
}

void Machine::bind(const std::vector<ArrayId>& ids, const Arrays& values) {
  for (std::size_t i = 0; i < ids.size(); ++i) arrays_[ids[i]] = values[i];
}

// -- control ------------------------------------------------------------------------------------

Arrays Machine::run(const HostScalar& op) {
  evaluator_.run(op.stmt);
  return {};
}

Arrays Machine::run(const ArrayIf& op) {
  const Block& taken = evaluator_[op.condition].lo ? op.then_ : op.else_;
  run(taken);
  return arrays(taken.results);
}

Arrays Machine::run(const ArrayWhile& op) {
  Arrays state = arrays(op.init);
  for (;;) {
    bind(op.condition.params, state);
    run(op.condition);
    bind(op.condition.params, Arrays(state.size()));  // unused ones must be released
    if (!evaluator_[op.condition.value].lo) return state;
    bind(op.body.params, state);
    run(op.body);
    state = arrays(op.body.results);
    bind(op.body.params, Arrays(state.size()));
  }
}

// The fallback defines the meaning. Where a target has chosen a function, and the interpreter looks
// for a failure in its program, the fallback is empty.
Arrays Machine::run(const ForeignArrays& op) {
  if (!op.fallback.results.empty()) {
    bind(op.fallback.params, arrays(op.args));
    run(op.fallback);
    Arrays results = arrays(op.fallback.results);
    bind(op.fallback.params, Arrays(op.args.size()));
    return results;
  }
  std::vector<ArrayType> types;
  for (const ArrayId a : binding_->results) types.push_back(program_.array_types[a]);
  const ForeignImplementation& chosen = op.functions.at(0);
  return call_foreign(program_.foreign, chosen.index, chosen.name, arrays(op.args), types);
}

// -- inputs -------------------------------------------------------------------------------------

Array Machine::argument(const Array& given, const ArrayType& expected, const char* what) const {
  if (!given || given->shape().size() != expected.rank || given->leaves() != expected.leaves)
    throw InternalError(std::string("interpreter: ") + what +
                            " is missing or is not of the type the program was built for",
                        binding_->where);
  return given;
}

Arrays Machine::run(const Use& op) {
  if (op.index >= program_.arrays_used.size())
    throw InternalError("interpreter: an array of the program is missing", binding_->where);
  return {argument(program_.arrays_used[op.index], program_.array_types[binding_->results[0]],
                   "an array of the program")};
}

Arrays Machine::run(const Input& op) {
  if (op.index >= inputs_.size())
    throw InternalError("interpreter: an argument is missing", binding_->where);
  return {argument(inputs_[op.index], program_.array_types[binding_->results[0]], "an argument")};
}

// -- scalar code --------------------------------------------------------------------------------

Bits Machine::load(ArrayId array, std::uint32_t leaf, std::span<const std::int64_t> index) {
  const detail::HostArray& a = *arrays_[array];
  const ScalarType type = a.leaves()[leaf];
  Shape clamped;  // allocates only if an index is out of range
  if (!contains(a.shape(), index)) {
    clamped.assign(index.begin(), index.end());
    if (!find(array, clamped)) return {};
    index = clamped;
  }
  const auto at = static_cast<std::size_t>(linear(a.shape(), index));
  return load_bits(type, a.data(leaf) + at * detail::size_in_bytes(type));
}

Bits Machine::load_linear(ArrayId array, std::uint32_t leaf, std::int64_t index) {
  const detail::HostArray& a = *arrays_[array];
  const std::int64_t size = *element_count(a.shape());
  const bool is_inside = index >= 0 && index < size;
  if (!is_inside && out_of_range_ == OutOfRange::throws) fail_index(array, std::to_string(index));
  if (size == 0) return {};
  const ScalarType type = a.leaves()[leaf];
  const auto at = static_cast<std::size_t>(clamped_index(index, size));
  return load_bits(type, a.data(leaf) + at * detail::size_in_bytes(type));
}

std::int64_t Machine::extent(ArrayId array, std::uint32_t axis) {
  return arrays_[array]->shape()[axis];
}

void Machine::poll() {
  if (support::is_stopped(stop_)) throw support::Stopped{name(), binding_->where};
}

void Machine::on_zero_divisor(ScalarOp op) {
  if (!has(checks_, Checks::arithmetic)) return;
  const bool is_remainder = op == ScalarOp::rem || op == ScalarOp::mod;
  throw ArithmeticError(name() + ": " + (is_remainder ? "remainder" : "division") + " by zero" +
                            element_text() +
                            "; guard it with select, or run without Checks::arithmetic, where it "
                            "gives 0",
                        binding_->where);
}

// -- errors -------------------------------------------------------------------------------------

namespace {

// The name of an operation that the user's calls do not name.
std::string kind_of(const ArrayOp& op) {
  return match(op, [](const auto& node) -> std::string {
    if constexpr (std::is_same_v<decltype(node), const HostScalar&>)
      return "scalar code";
    else
      return Declaration<std::remove_cvref_t<decltype(node)>>::name;
  });
}

std::string name_of(const Binding& binding) {
  return *binding.operation ? binding.operation : kind_of(binding.op);
}

}  // namespace

std::string Machine::name() const { return name_of(*binding_); }

// " at element (2, 7)"
std::string Machine::element_text() const {
  if (!element_.shape || element_.shape->empty()) return "";
  return " at element " + shape_text(index_of(*element_.shape, element_.at)) +
         (element_.of_source ? " of its source" : "");
}

// "the result of generate, of shape (3, 4)", "argument 1, of shape (7)". Arrays that named() has
// named have that name.
std::string Machine::described(ArrayId array) const {
  const std::string shape = "of shape " + shape_text(arrays_[array]->shape());
  const Binding* const producer = producers_[array];
  if (!producer) return "an array " + shape;
  const std::string name = name_of(*producer);
  const bool is_plain = name == kind_of(producer->op);
  if (const auto* input = std::get_if<Input>(&producer->op); input && is_plain)
    return "argument " + std::to_string(input->index) + ", " + shape;
  if (std::holds_alternative<Use>(producer->op) && is_plain)
    return "an array brought in by use at " + print(producer->where) + ", " + shape;
  return "the result of " + name + ", " + shape;
}

bool Machine::find(ArrayId array, std::span<std::int64_t> index) const {
  const Shape& shape = arrays_[array]->shape();
  if (contains(shape, index)) return true;
  if (out_of_range_ == OutOfRange::throws) fail_index(array, shape_text(index));
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    index[axis] = clamped_index(index[axis], shape[axis]);
  return contains(shape, index);
}

void Machine::fail_index(ArrayId array, const std::string& index) const {
  throw IndexError(name() + ": index " + index + " is out of range in " + described(array) +
                       "; every index must be at least 0 and below its extent (guard the read "
                       "with select, or clamp the index)",
                   binding_->where);
}

}  // namespace hasten::interp
