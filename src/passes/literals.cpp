// Every slot is defined by one statement, so that this statement's value can become an input.
#include "passes/literals.hpp"

#include "passes/walk.hpp"

namespace hasten::passes {
namespace {

using namespace core;

class Binder {
 public:
  explicit Binder(const std::vector<bool>& is_parameter)
      : is_parameter_(is_parameter),
        inputs_(is_parameter.size(), none) {}

  // Whether the statement is removed: its value has become an input.
  bool bind(Stmt& stmt) {
    auto* constant = std::get_if<Constant>(&stmt.op);
    if (!constant || constant->slot == none) return false;
    if (is_parameter_[constant->slot]) {
      inputs_[constant->slot] = stmt.results[0];
      return true;
    }
    constant->slot = none;
    return false;
  }

  void append_inputs(Program& program) const {
    for (std::size_t slot = 0; slot < inputs_.size(); ++slot) {
      if (!is_parameter_[slot]) continue;
      // A slot whose statement was dropped still has its place in the order.
      const Value input = inputs_[slot];
      program.scalar_inputs.push_back(
          input != none ? input : program.new_value(program.literals[slot].type));
    }
  }

 private:
  const std::vector<bool>& is_parameter_;
  std::vector<Value> inputs_;  // by slot
};

}  // namespace

Program bind_literals(Program program, const std::vector<bool>& is_parameter) {
  Binder binder(is_parameter);
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
