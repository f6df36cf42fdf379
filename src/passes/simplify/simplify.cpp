// Visits blocks in order; host statements and functions of arrays share one simplifier.
#include "passes/simplify/simplify.hpp"

#include "passes/simplify/invariants.hpp"
#include "passes/walk.hpp"

namespace hasten::passes {
namespace {

using namespace core;

class ProgramSimplifier {
 public:
  explicit ProgramSimplifier(Program& program)
      : scalar_(program.value_types),
        hoister_(program.value_types) {}

  void run(Block& block) {
    const std::size_t outside = scalar_.mark();
    std::vector<Binding> bindings = std::move(block.bindings);
    block.bindings.clear();
    block.bindings.reserve(bindings.size());
    for (Binding& binding : bindings) run(std::move(binding), block.bindings);
    if (block.value != none) block.value = scalar_.resolve(block.value);
    scalar_.restore(outside);
  }
  Value resolve(Value v) const { return scalar_.resolve(v); }

 private:
  void run(Binding binding, std::vector<Binding>& out) {
    if (auto* scalar = std::get_if<HostScalar>(&binding.op)) {
      Region host;
      host.body.push_back(std::move(scalar->stmt));
      hoister_.run(host);
      std::vector<Stmt> code;
      for (Stmt& stmt : host.body) scalar_.run(std::move(stmt), code);
      for (Stmt& stmt : code) {
        out.push_back(binding);
        out.back().op = HostScalar{std::move(stmt)};
      }
      return;
    }
    edit_operands(binding.op, [&](Value& v) { v = scalar_.resolve(v); }, [](ArrayId&) {});
    if (Region* fn = region_of(binding.op)) {
      const bool of_index = std::holds_alternative<Generate>(binding.op) ||
                            std::holds_alternative<GenerateSegments>(binding.op) ||
                            std::holds_alternative<Backpermute>(binding.op);
      if (of_index)
        for (const Value index : fn->params) scalar_.assume_not_negative(index);
      hoister_.run(*fn);
      scalar_.run(*fn);
    }
    edit_blocks(binding.op, [&](Block& inner) { run(inner); });
    out.push_back(std::move(binding));
  }

  ScalarSimplifier scalar_;
  InvariantHoister hoister_;
};

}  // namespace

Program simplify(Program program) {
  ProgramSimplifier simplifier(program);
  simplifier.run(program.body);
  for (Value& v : program.scalar_results) v = simplifier.resolve(v);
  return program;
}

}  // namespace hasten::passes
