// Every traversal follows the declared fields.
#include "core/traverse.hpp"

#include "core/fields.hpp"
#include "support/overloaded.hpp"

#include <unordered_set>
#include <utility>

namespace hasten::core {
namespace {

template <class List, class F>
void each(List& list, F& f) {
  for (auto& x : list)
    if (x != none) f(x);
}

// Calls value(Value&) and array(ArrayId&) on the operands of a node; const if the node is.
template <class V, class A>
struct OperandVisitor {
  V& value;
  A& array;

  void operator()(field::Operand, auto& v) const { value(v); }
  void operator()(field::Operands, auto& list) const { each(list, value); }
  void operator()(field::List, auto& list) const { each(list, value); }
  void operator()(field::Seed, auto& list) const { each(list, value); }
  void operator()(field::Source, auto& a) const { array(a); }
  void operator()(field::Sources, auto& list) const { each(list, array); }
  void operator()(field::Loops, auto& loops) const {
    for (auto& loop : loops) array(loop.targets), array(loop.source);
  }
  void operator()(field::Number, auto&) const {}
  void operator()(field::Count, auto&) const {}
  void operator()(field::Axes, auto&) const {}
  void operator()(field::Component, auto&) const {}
  void operator()(field::Mode, auto&) const {}
  void operator()(field::Message, auto&) const {}
  void operator()(field::Flag, auto&) const {}
  void operator()(field::Limit, auto& v) const {
    if (v != none) value(v);
  }
  void operator()(field::Places, auto& list) const { each(list, value); }
  void operator()(field::Functions, auto&) const {}
  void operator()(field::Function, auto&) const {}
  void operator()(field::Code, auto&) const {}
  void operator()(field::Nested, auto&) const {}
  void operator()(field::Fallback, auto&) const {}
};

template <class Statement, class V, class A>
void statement_operands(Statement& stmt, V& value, A& array) {
  match(stmt.op, [&](auto& node) { for_each_field(node, OperandVisitor<V, A>{value, array}); });
}

template <class Operation, class V, class A>
void operation_operands(Operation& op, V& value, A& array) {
  match(op, [&](auto& node) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(node)>, HostScalar>)
      statement_operands(node.stmt, value, array);
    else
      for_each_field(node, OperandVisitor<V, A>{value, array});
  });
}

// Calls f on the members of this type, regions or blocks; const if the node is.
template <class Member, class Operation, class F>
void members_of(Operation& op, F& f) {
  match(op, [&](auto& node) {
    for_each_field(node, [&](auto kind, auto& member) {
      constexpr bool is_own_function = std::is_same_v<decltype(kind), field::Function>;
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, Member> &&
                    !is_own_function)
        f(member);
    });
  });
}

}  // namespace

// -- one node -----------------------------------------------------------------------------------

void visit_operands(const Stmt& stmt, FunctionRef<void(Value)> value,
                    FunctionRef<void(ArrayId)> array) {
  statement_operands(stmt, value, array);
}

void visit_operands(const ArrayOp& op, FunctionRef<void(Value)> value,
                    FunctionRef<void(ArrayId)> array) {
  operation_operands(op, value, array);
}

void edit_operands(Stmt& stmt, FunctionRef<void(Value&)> value, FunctionRef<void(ArrayId&)> array) {
  statement_operands(stmt, value, array);
}

void edit_operands(ArrayOp& op, FunctionRef<void(Value&)> value,
                   FunctionRef<void(ArrayId&)> array) {
  operation_operands(op, value, array);
}

void visit_regions(const Stmt& stmt, FunctionRef<void(const Region&)> f) {
  members_of<Region>(stmt.op, f);
}
void edit_regions(Stmt& stmt, FunctionRef<void(Region&)> f) { members_of<Region>(stmt.op, f); }

const Region* region_of(const ArrayOp& op) {
  const Region* function = nullptr;
  match(op, [&](const auto& node) {
    for_each_field(node, [&](auto kind, const auto& member) {
      if constexpr (std::is_same_v<decltype(kind), field::Function>) function = &member;
    });
  });
  return function;
}

Region* region_of(ArrayOp& op) { return const_cast<Region*>(region_of(std::as_const(op))); }

void visit_blocks(const ArrayOp& op, FunctionRef<void(const Block&)> f) {
  members_of<Block>(op, f);
}
void edit_blocks(ArrayOp& op, FunctionRef<void(Block&)> f) { members_of<Block>(op, f); }

// -- all the way down ---------------------------------------------------------------------------

void for_each_use(const Region& region, FunctionRef<void(Value)> value,
                  FunctionRef<void(ArrayId)> array) {
  for (const Stmt& stmt : region.body) for_each_use(stmt, value, array);
  each(region.results, value);
}

void for_each_use(const Stmt& stmt, FunctionRef<void(Value)> value,
                  FunctionRef<void(ArrayId)> array) {
  visit_operands(stmt, value, array);
  visit_regions(stmt, [&](const Region& inner) { for_each_use(inner, value, array); });
}

void for_each_use(const Binding& binding, FunctionRef<void(Value)> value,
                  FunctionRef<void(ArrayId)> array) {
  if (const auto* scalar = std::get_if<HostScalar>(&binding.op))
    return for_each_use(scalar->stmt, value, array);
  visit_operands(binding.op, value, array);
  if (const Region* fn = region_of(binding.op)) for_each_use(*fn, value, array);
  visit_blocks(binding.op, [&](const Block& inner) { for_each_use(inner, value, array); });
}

void for_each_use(const Block& block, FunctionRef<void(Value)> value,
                  FunctionRef<void(ArrayId)> array) {
  for (const Binding& binding : block.bindings) for_each_use(binding, value, array);
  each(block.results, array);
  if (block.value != none) value(block.value);
}

namespace {

void definitions(const Stmt& stmt, FunctionRef<void(Value)> value) {
  each(stmt.results, value);
  visit_regions(stmt, [&](const Region& inner) { for_each_definition(inner, value); });
}

}  // namespace

void for_each_definition(const Region& region, FunctionRef<void(Value)> value) {
  each(region.params, value);
  for (const Stmt& stmt : region.body) definitions(stmt, value);
}

void for_each_definition(const Block& block, FunctionRef<void(Value)> value,
                         FunctionRef<void(ArrayId)> array) {
  each(block.params, array);
  for (const Binding& binding : block.bindings) {
    each(binding.results, array);
    if (const auto* scalar = std::get_if<HostScalar>(&binding.op)) definitions(scalar->stmt, value);
    if (const Region* fn = region_of(binding.op)) for_each_definition(*fn, value);
    visit_blocks(binding.op, [&](const Block& inner) { for_each_definition(inner, value, array); });
  }
}

// -- free names ---------------------------------------------------------------------------------

namespace {

// Numbers are unique, so a name that is used and not defined inside is free.
class FreeCollector {
 public:
  void define_value(Value v) { seen_values_.insert(v); }
  void define_array(ArrayId a) { seen_arrays_.insert(a); }
  void use_value(Value v) {
    if (seen_values_.insert(v).second) free.values.push_back(v);
  }
  void use_array(ArrayId a) {
    if (seen_arrays_.insert(a).second) free.arrays.push_back(a);
  }
  FreeNames free;

 private:
  std::unordered_set<std::uint32_t> seen_values_, seen_arrays_;
};

template <class Code>
FreeNames uses_of(const Code& code, FreeCollector& collector) {
  for_each_use(
      code, [&](Value v) { collector.use_value(v); }, [&](ArrayId a) { collector.use_array(a); });
  return std::move(collector.free);
}

}  // namespace

FreeNames free_names(const Region& region) {
  FreeCollector collector;
  for_each_definition(region, [&](Value v) { collector.define_value(v); });
  return uses_of(region, collector);
}

FreeNames free_names(const Stmt& stmt) {
  FreeCollector collector;
  definitions(stmt, [&](Value v) { collector.define_value(v); });
  return uses_of(stmt, collector);
}

FreeNames free_names(const Block& block) {
  FreeCollector collector;
  for_each_definition(
      block, [&](Value v) { collector.define_value(v); },
      [&](ArrayId a) { collector.define_array(a); });
  return uses_of(block, collector);
}

// -- copies and renaming ------------------------------------------------------------------------

namespace {

void rename(std::uint32_t& number, const Renaming& renaming) {
  if (auto it = renaming.find(number); it != renaming.end()) number = it->second;
}

void rename_all(std::vector<std::uint32_t>& numbers, const Renaming& renaming) {
  if (renaming.empty()) return;
  for (std::uint32_t& number : numbers) rename(number, renaming);
}

// Gives new numbers to everything defined in a copy, then replaces uses.
class Cloner {
 public:
  Cloner(Program& program, Renaming& values) : program_(program), values_(values) {}

  void fresh(Region& region) {
    fresh_values(region.params);
    for (Stmt& stmt : region.body) fresh(stmt);
  }

  void fresh(Block& block, Renaming& arrays) {
    fresh_arrays(block.params, arrays);
    for (Binding& binding : block.bindings) {
      fresh_arrays(binding.results, arrays);
      if (auto* scalar = std::get_if<HostScalar>(&binding.op)) fresh(scalar->stmt);
      if (Region* fn = region_of(binding.op)) fresh(*fn);
      edit_blocks(binding.op, [&](Block& inner) { fresh(inner, arrays); });
    }
  }

 private:
  void fresh(Stmt& stmt) {
    fresh_values(stmt.results);
    edit_regions(stmt, [&](Region& inner) { fresh(inner); });
  }

  void fresh_values(std::vector<Value>& values) {
    for (Value& v : values) {
      const Value copy = program_.new_value(program_.value_types[v]);
      values_[v] = copy;
      v = copy;
    }
  }

  void fresh_arrays(std::vector<ArrayId>& arrays, Renaming& renaming) {
    for (ArrayId& a : arrays) {
      const ArrayId copy = program_.new_array(program_.array_types[a]);
      renaming[a] = copy;
      a = copy;
    }
  }

  Program& program_;
  Renaming& values_;
};

}  // namespace

void rename_uses(Stmt& stmt, const Renaming& values, const Renaming& arrays) {
  edit_operands(stmt, [&](Value& v) { rename(v, values); }, [&](ArrayId& a) { rename(a, arrays); });
  edit_regions(stmt, [&](Region& inner) { rename_uses(inner, values, arrays); });
}

void rename_uses(Region& region, const Renaming& values, const Renaming& arrays) {
  for (Stmt& stmt : region.body) rename_uses(stmt, values, arrays);
  rename_all(region.results, values);
}

void rename_uses(Block& block, const Renaming& values, const Renaming& arrays) {
  for (Binding& binding : block.bindings) {
    if (auto* scalar = std::get_if<HostScalar>(&binding.op)) {
      rename_uses(scalar->stmt, values, arrays);
      continue;
    }
    edit_operands(
        binding.op, [&](Value& v) { rename(v, values); }, [&](ArrayId& a) { rename(a, arrays); });
    if (Region* fn = region_of(binding.op)) rename_uses(*fn, values, arrays);
    edit_blocks(binding.op, [&](Block& inner) { rename_uses(inner, values, arrays); });
  }
  rename_all(block.results, arrays);
  if (block.value != none) rename(block.value, values);
}

Region clone(const Region& region, Renaming& renaming, Program& program) {
  Region copy = region;
  Cloner(program, renaming).fresh(copy);
  rename_uses(copy, renaming);
  return copy;
}

Block clone(const Block& block, Renaming& values, Renaming& arrays, Program& program) {
  Block copy = block;
  Cloner(program, values).fresh(copy, arrays);
  rename_uses(copy, values, arrays);
  return copy;
}

}  // namespace hasten::core
