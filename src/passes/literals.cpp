// Every slot is defined by one statement, so that this statement's value can become an input.
#include "passes/literals.hpp"

#include "core/traverse.hpp"
#include "passes/walk.hpp"

#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

namespace hasten::passes {
namespace {

using namespace core;

class Binder {
 public:
  explicit Binder(const Parameters& parameters)
      : parameters_(parameters),
        inputs_(parameters.chosen.size(), none) {}

  // Whether the statement is removed: its value has become an input.
  bool bind(Stmt& stmt) {
    auto* constant = std::get_if<Constant>(&stmt.op);
    if (!constant || constant->slot == none) return false;
    if (parameters_.chosen[constant->slot]) {
      inputs_[constant->slot] = stmt.results[0];
      return true;
    }
    constant->slot = none;
    return false;
  }

  void append_inputs(Program& program) {
    for (std::size_t slot = 0; slot < inputs_.size(); ++slot) {
      if (!parameters_.chosen[slot]) continue;
      // A slot whose statement was dropped still has its place in the order.
      if (inputs_[slot] == none) inputs_[slot] = program.new_value(program.literals[slot].type);
      program.scalar_inputs.push_back(inputs_[slot]);
      if (parameters_.same_as[slot] != slot)
        same_[inputs_[slot]] = inputs_[parameters_.same_as[slot]];
    }
    if (same_.empty()) return;
    rename_uses(program.body, same_);
    for (Value& v : program.scalar_results)
      if (const auto other = same_.find(v); other != same_.end()) v = other->second;
  }

 private:
  const Parameters& parameters_;
  std::vector<Value> inputs_;  // by slot
  Renaming same_;              // of inputs to earlier ones
};

class DivisorFinder {
 public:
  void walk(const Block& block) {
    for (const Binding& binding : block.bindings) {
      if (const auto* scalar = std::get_if<HostScalar>(&binding.op)) note_constant(scalar->stmt);
      if (const Region* function = region_of(binding.op)) walk(*function);
      visit_blocks(binding.op, [&](const Block& inner) { walk(inner); });
    }
  }

  [[nodiscard]] const std::set<std::uint32_t>& found() const { return found_; }

 private:
  void walk(const Region& region) {
    for (const Stmt& stmt : region.body) {
      note_constant(stmt);
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (prim && is_division(prim->op))
        if (const auto slot = slots_.find(prim->args[1]); slot != slots_.end())
          found_.insert(slot->second);
      visit_regions(stmt, [&](const Region& inner) { walk(inner); });
    }
  }

  static bool is_division(ScalarOp op) {
    return op == ScalarOp::quot || op == ScalarOp::rem || op == ScalarOp::idiv ||
           op == ScalarOp::mod;
  }

  void note_constant(const Stmt& stmt) {
    const auto* constant = std::get_if<Constant>(&stmt.op);
    if (constant && constant->slot != none) slots_[stmt.results[0]] = constant->slot;
  }

  std::unordered_map<Value, std::uint32_t> slots_;
  std::set<std::uint32_t> found_;
};

}  // namespace

std::vector<std::uint32_t> divisor_slots(const Program& program) {
  DivisorFinder finder;
  finder.walk(program.body);
  return {finder.found().begin(), finder.found().end()};
}

Parameters::Parameters(std::vector<bool> slots) : chosen(std::move(slots)), same_as(chosen.size()) {
  std::iota(same_as.begin(), same_as.end(), 0U);
}

Program bind_literals(Program program, const Parameters& parameters) {
  Binder binder(parameters);
  for_each_region(program.body, [&](Region& region) {
    std::erase_if(region.body, [&](Stmt& stmt) { return binder.bind(stmt); });
  });
  for_each_block(program.body, [&](Block& block) {
    std::erase_if(block.bindings, [&](Binding& binding) {
      auto* scalar = std::get_if<HostScalar>(&binding.op);
      return scalar && binder.bind(scalar->stmt);
    });
  });
  binder.append_inputs(program);
  return program;
}

}  // namespace hasten::passes
