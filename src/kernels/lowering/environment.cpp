// What lowering knows of the arrays and host values in scope.
#include "kernels/kernel_builder.hpp"

namespace hasten::kernels {

using namespace core;

void Environment::survey(const Block& block) {
  for (const Binding& binding : block.bindings) {
    for (ArrayId a : binding.results) producer[a] = &binding;
    if (auto* scalar = std::get_if<HostScalar>(&binding.op))
      if (auto* constant = std::get_if<Constant>(&scalar->stmt.op))
        constants[scalar->stmt.results[0]] = constant->bits;
    visit_blocks(binding.op, [&](const Block& inner) { survey(inner); });
  }
}

// max(x, x) is a copy.
void Environment::replace_extents(Stmt& stmt) const {
  if (auto* extent = std::get_if<Extent>(&stmt.op)) {
    if (!is_delayed(extent->array)) return;
    const Value value = extents[extent->array][extent->axis];
    stmt.op = Prim{ScalarOp::max, {value, value}};
  } else if (auto* branch = std::get_if<If>(&stmt.op)) {
    for (Stmt& inner : branch->then_.body) replace_extents(inner);
    for (Stmt& inner : branch->else_.body) replace_extents(inner);
  } else if (auto* loop = std::get_if<While>(&stmt.op)) {
    for (Stmt& inner : loop->condition.body) replace_extents(inner);
    for (Stmt& inner : loop->body.body) replace_extents(inner);
  }
}

}  // namespace hasten::kernels
