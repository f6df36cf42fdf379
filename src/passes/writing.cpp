// Gives new numbers to all definitions.
#include "passes/writing.hpp"

#include "core/traverse.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hasten::passes {

using namespace core;

void RegionWriter::add(Stmt stmt) { region_.body.push_back(std::move(stmt)); }

Value RegionWriter::parameter(ScalarType type) {
  region_.params.push_back(program_.new_value(type));
  return region_.params.back();
}

std::vector<Value> RegionWriter::parameters(const std::vector<ScalarType>& types) {
  std::vector<Value> values;
  for (const ScalarType type : types) values.push_back(parameter(type));
  return values;
}

Value RegionWriter::prim(ScalarOp op, ScalarType type, std::vector<Value> args) {
  const Value result = program_.new_value(type);
  region_.body.push_back({{result}, Prim{op, std::move(args)}});
  return result;
}

Value RegionWriter::constant(ScalarType type, Bits bits) {
  const Value result = program_.new_value(type);
  region_.body.push_back({{result}, Constant{bits, none}});
  return result;
}

std::vector<Value> RegionWriter::constants(const std::vector<ScalarType>& types,
                                           const std::vector<Bits>& bits) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < types.size(); ++i) values.push_back(constant(types[i], bits[i]));
  return values;
}

std::vector<Value> RegionWriter::load(ArrayId array, const std::vector<Value>& index) {
  const std::vector<ScalarType> leaves = program_.array_types[array].leaves;
  std::vector<Value> values;
  for (std::uint32_t leaf = 0; leaf < leaves.size(); ++leaf) {
    values.push_back(program_.new_value(leaves[leaf]));
    region_.body.push_back(
        {{values.back()}, Load{array, leaf, index, all_axes(index.size()), true}});
  }
  return values;
}

std::vector<Value> RegionWriter::call(const Region& fn, const std::vector<Value>& args) {
  Renaming renaming, given;
  Region copy = clone(fn, renaming, program_);
  for (std::size_t i = 0; i < args.size(); ++i) given[copy.params[i]] = args[i];
  rename_uses(copy, given);
  std::move(copy.body.begin(), copy.body.end(), std::back_inserter(region_.body));
  return copy.results;
}

std::vector<Value> RegionWriter::branch(Value condition, Region then_, Region else_) {
  std::vector<Value> results;
  for (const Value v : then_.results)
    results.push_back(program_.new_value(program_.value_types[v]));
  region_.body.push_back({results, If{condition, std::move(then_), std::move(else_)}});
  return results;
}

Region RegionWriter::take(std::vector<Value> results) {
  region_.results = std::move(results);
  return std::move(region_);
}

Binding& BlockWriter::next(ArrayOp op) {
  Binding binding;
  binding.op = std::move(op);
  binding.where = like_.where;
  binding.operation = like_.operation;
  out_.push_back(std::move(binding));
  return out_.back();
}

ArrayId BlockWriter::add(ArrayType type, ArrayOp op) {
  const ArrayId array = program_.new_array(std::move(type));
  give(array, std::move(op));
  return array;
}

void BlockWriter::give(ArrayId result, ArrayOp op) { next(std::move(op)).results = {result}; }

Value BlockWriter::host(ScalarType type, decltype(Stmt::op) op) {
  const Value value = program_.new_value(type);
  next(HostScalar{{{value}, std::move(op)}});
  return value;
}

Value BlockWriter::host(ScalarOp op, Value a, Value b) {
  return host(ScalarType::i64, Prim{op, {a, b}});
}

Value BlockWriter::number(std::int64_t x) {
  return host(ScalarType::i64, Constant{{static_cast<std::uint64_t>(x), 0}, none});
}

}  // namespace hasten::passes
