// Statements dispatch on their kind; each value has one home in the environment.
#include "core/evaluate.hpp"

#include "core/foreign.hpp"
#include "core/scalar_ops.hpp"

#include <algorithm>
#include <utility>

namespace hasten::core {
namespace {

constexpr std::uint32_t regions_between_polls = 256;

constexpr std::size_t arity_max =
    std::max_element(scalar_ops().begin(), scalar_ops().end(), [](const auto& a, const auto& b) {
      return a.arity < b.arity;
    })->arity;

}  // namespace

void Evaluator::assign(const std::vector<Value>& to, const std::vector<Value>& from) {
  for (std::size_t i = 0; i < from.size(); ++i) values_[to[i]] = values_[from[i]];
}

void Evaluator::run(const Region& region) {
  if (++regions_ == regions_between_polls) {
    regions_ = 0;
    arrays_.poll();
  }
  for (const Stmt& stmt : region.body) run(stmt);
}

void Evaluator::run(const Stmt& stmt) {
  // Most statements are operations: they are tested first, without a visitor.
  if (const auto* op = std::get_if<Prim>(&stmt.op))
    values_[stmt.results[0]] = prim(*op, stmt.results[0]);
  else if (const auto* constant = std::get_if<Constant>(&stmt.op))
    values_[stmt.results[0]] = constant->bits;
  else if (const auto* if_ = std::get_if<If>(&stmt.op))
    branch(*if_, stmt.results);
  else if (const auto* while_ = std::get_if<While>(&stmt.op))
    loop(*while_, stmt.results);
  else if (const auto* element = std::get_if<Load>(&stmt.op))
    values_[stmt.results[0]] = load(*element);
  else if (const auto* linear = std::get_if<LoadLinear>(&stmt.op))
    values_[stmt.results[0]] =
        arrays_.load_linear(linear->array, linear->leaf, integer(linear->index));
  else if (const auto* extent = std::get_if<Extent>(&stmt.op))
    values_[stmt.results[0]] = bits_of(arrays_.extent(extent->array, extent->axis));
  else if (const auto* foreign = std::get_if<ForeignCall>(&stmt.op))
    call(*foreign, stmt.results[0]);
  else if (const auto* reduction = std::get_if<Reduce>(&stmt.op))
    reduce(*reduction, stmt.results);
  else if (const auto* extract = std::get_if<Extract>(&stmt.op))
    values_[stmt.results[0]] =
        values_[extract->elements[place_among(extract->elements, extract->index)]];
  else if (const auto* insert = std::get_if<Insert>(&stmt.op))
    this->insert(*insert, stmt.results);
}

Bits Evaluator::prim(const Prim& op, Value result) {
  ScalarType types[arity_max];
  Bits args[arity_max];
  const std::size_t arity = std::min(op.args.size(), arity_max);
  for (std::size_t i = 0; i < arity; ++i) {
    types[i] = types_[op.args[i]];
    args[i] = values_[op.args[i]];
  }
  if (row(op.op).partial && args[1].lo == 0) arrays_.on_zero_divisor(op.op);
  return evaluate(op.op, types_[result], {types, arity}, {args, arity});
}

void Evaluator::branch(const If& op, const std::vector<Value>& results) {
  const Region& taken = values_[op.condition].lo ? op.then_ : op.else_;
  run(taken);
  assign(results, taken.results);
}

// The state lives in the statement's results between rounds; nothing inside the loop can name
// them, so copying one by one is a simultaneous assignment.
void Evaluator::loop(const While& op, const std::vector<Value>& results) {
  assign(results, op.init);
  for (;;) {
    assign(op.condition.params, results);
    run(op.condition);
    if (!values_[op.condition.results[0]].lo) return;
    assign(op.body.params, results);
    run(op.body);
    assign(results, op.body.results);
  }
}

// The accumulator lives in the statement's results.
void Evaluator::reduce(const Reduce& op, const std::vector<Value>& results) {
  assign(results, op.seed);
  bool some = !op.seed.empty();
  const std::int64_t end = integer(op.end);
  for (std::int64_t k = integer(op.begin); k < end; ++k) {
    values_[op.element.params[0]] = bits_of(k);
    run(op.element);
    if (!std::exchange(some, true)) {
      assign(results, op.element.results);
      continue;
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      values_[op.combine.params[i]] = values_[results[i]];
      values_[op.combine.params[results.size() + i]] = values_[op.element.results[i]];
    }
    run(op.combine);
    assign(results, op.combine.results);
  }
}

std::size_t Evaluator::place_among(const std::vector<Value>& elements, Value index) const {
  return std::min<std::size_t>(static_cast<std::uint32_t>(values_[index].lo), elements.size() - 1);
}

void Evaluator::insert(const Insert& op, const std::vector<Value>& results) {
  assign(results, op.elements);
  values_[results[place_among(op.elements, op.index)]] = values_[op.element];
}

// The fallback defines the meaning; it is empty where a target has already chosen the function.
void Evaluator::call(const ForeignCall& op, Value result) {
  if (!op.fallback.results.empty()) {
    assign(op.fallback.params, op.args);
    run(op.fallback);
    values_[result] = values_[op.fallback.results[0]];
    return;
  }
  std::vector<std::uint64_t> arguments;
  for (const Value v : op.args) arguments.push_back(values_[v].lo);
  const detail::ForeignFunction& function = *op.functions.at(0);
  if (!function.call) fail_only_named(function.name);
  values_[result] = {};
  function.call(function.address, arguments.data(), &values_[result].lo);
}

Bits Evaluator::load(const Load& op) {
  index_.resize(op.index.size());
  for (std::size_t i = 0; i < index_.size(); ++i) index_[i] = integer(op.index[i]);
  return arrays_.load(op.array, op.leaf, index_);
}

}  // namespace hasten::core
