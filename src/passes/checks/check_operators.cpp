// before: %1 = fold [x0] %0 (x1, x2) { x3 = quot x1 x2; -> x3 }
// after:  %2 = map %0 (x4) { x5 = const false; -> x4, x5 }
//         %3 = fold [x0, x6] %2 (x1, x7, x2, x8) { ...; -> x3, x9 }     x9: x7, x8 or x2 = 0
//         %4 = map %3 (x10, x11) { -> x11 }
//         %5 = fold [x6] %4 axes ... (x12, x13) { x14 = or x12 x13; -> x14 }
//         x15 = load %5.0 []
//         x16 = not x15
//         %6 = map %3 (x17, x18) { -> x17 }
//         %1 = demand x16 [] %6 "..." of_elements
#include "passes/checks/check_operators.hpp"

#include "core/traverse.hpp"
#include "passes/checks/failures.hpp"
#include "passes/checks/flags.hpp"
#include "passes/writing.hpp"

#include <hasten/detail/permute_mode.hpp>

#include <utility>

namespace hasten::passes {

using namespace core;

namespace {

class OperatorChecker {
 public:
  OperatorChecker(Program& program, Checks checks) : program_(program), checks_(checks) {}

  void run(Block& block) {
    std::vector<Binding> before = std::exchange(block.bindings, {});
    for (Binding& binding : before) {
      edit_blocks(binding.op, [&](Block& inner) { run(inner); });
      const bool is_checked =
          check<Fold>(binding, block.bindings) || check<FoldSegments>(binding, block.bindings) ||
          check<Scan>(binding, block.bindings) || check<Permute>(binding, block.bindings);
      if (!is_checked) block.bindings.push_back(std::move(binding));
    }
  }

 private:
  // Writes the binding's replacement, if the binding is an `Op` and its operator can fail.
  template <class Op>
  bool check(Binding& binding, std::vector<Binding>& out) {
    auto* op = std::get_if<Op>(&binding.op);
    if (!op || !can_fail(op->fn, checks_)) return false;
    BlockWriter writer(program_, binding, out);
    if constexpr (std::is_same_v<Op, Permute>)
      for (PermuteLoop& loop : op->loops) loop.source = with_false(writer, loop.source);
    else
      op->source = with_false(writer, op->source);
    op->fn = carrying(std::move(op->fn));
    if constexpr (std::is_same_v<Op, Permute>) {
      op->defaults = with_false(writer, op->defaults);
    } else {
      if (!op->seed.empty()) op->seed.push_back(writer.host(boolean, Constant{{}, none}));
    }
    const ArrayType type = program_.array_types[binding.results[0]];
    ArrayType carried = type;
    carried.leaves.push_back(boolean);
    const ArrayId made = writer.add(std::move(carried), std::move(*op));
    const ArrayId flags = components(program_, writer, made, type.leaves.size(), 1);
    const Value sound = none_holds(program_, writer, flags);
    const ArrayId values = components(program_, writer, made, 0, type.leaves.size());
    Demand demand{sound, "an operator divides by zero or reads out of range", {}, values, true};
    writer.give(binding.results[0], std::move(demand));
    return true;
  }

  ArrayId with_false(BlockWriter& writer, ArrayId source) {
    ArrayType type = program_.array_types[source];
    RegionWriter code(program_);
    std::vector<Value> element = code.parameters(type.leaves);
    element.push_back(code.constant(boolean, {}));
    type.leaves.push_back(boolean);
    return writer.add(std::move(type), Map{code.take(std::move(element)), source});
  }

  // The operator with a flag: an operand has failed before, or the operator fails now.
  Region carrying(Region fn) {
    const std::size_t leaves = fn.params.size() / 2;
    const Value left = program_.new_value(boolean), right = program_.new_value(boolean);
    const Value either = program_.new_value(boolean);
    std::vector<Value> params = std::move(fn.params);
    params.insert(params.begin() + static_cast<std::ptrdiff_t>(leaves), left);
    params.push_back(right);
    Region result = with_failures(program_, std::move(fn), checks_, either);
    result.params = std::move(params);
    result.body.insert(result.body.begin(), {{either}, Prim{ScalarOp::or_, {left, right}}});
    return result;
  }

  Program& program_;
  Checks checks_;
};

}  // namespace

Program check_operators(Program program, Checks checks) {
  OperatorChecker(program, checks).run(program.body);
  return program;
}

}  // namespace hasten::passes
