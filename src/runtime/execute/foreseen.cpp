// One walk over the plan's own steps.
#include "runtime/execute/foreseen.hpp"

#include "core/scalar_ops.hpp"

#include <algorithm>
#include <variant>

namespace hasten::runtime {

using core::Bits;

ForeseenShapes::ForeseenShapes(const kernels::Plan& plan, const Arguments& arguments)
    : plan_(plan),
      given_(arguments),
      values_(plan.value_types.size()),
      shapes_(plan.array_types.size()) {
  std::size_t next = 0;
  for (const detail::LiteralBits& bits : given_.scalars)
    values_[plan.scalar_inputs[next++]] = Bits{bits.lo, bits.hi};
  for (const Bits& bits : given_.literals) values_[plan.scalar_inputs[next++]] = bits;
  for (const kernels::Step& step : plan.steps)
    std::visit([&](const auto& op) { see(op); }, step.op);
}

void ForeseenShapes::see(const kernels::HostScalars& step) {
  if (step.stmt.results.size() == 1) values_[step.stmt.results[0]] = value_of(step.stmt);
}

void ForeseenShapes::see(const kernels::View& step) {
  shapes_[step.array] = step.same ? shapes_[step.source] : shape_of(step.extents);
}

void ForeseenShapes::see(const kernels::Launch& step) {
  if (plan_.kernels[step.kernel].skeleton == kernels::Skeleton::compact) return;
  kernels::for_each_output(step, [&](core::ArrayId id, const std::vector<core::Value>& extents) {
    shapes_[id] = shape_of(extents);
  });
}

std::optional<ForeseenShapes::Shape> ForeseenShapes::shape_of(
    const std::vector<core::Value>& extents) const {
  Shape shape;
  for (const core::Value v : extents) {
    if (!values_[v]) return std::nullopt;
    shape.push_back(std::max<std::int64_t>(core::as_i64(*values_[v]), 0));
  }
  return shape;
}

std::optional<Bits> ForeseenShapes::value_of(const core::Stmt& stmt) const {
  if (const auto* constant = std::get_if<core::Constant>(&stmt.op)) return constant->bits;
  if (const auto* prim = std::get_if<core::Prim>(&stmt.op)) return value_of(*prim, stmt.results[0]);
  const auto* const extent = std::get_if<core::Extent>(&stmt.op);
  if (!extent || !shapes_[extent->array]) return std::nullopt;
  return core::bits_of((*shapes_[extent->array])[extent->axis]);
}

std::optional<Bits> ForeseenShapes::value_of(const core::Prim& op, core::Value result) const {
  std::vector<core::ScalarType> types;
  std::vector<Bits> args;
  for (const core::Value v : op.args) {
    if (!values_[v]) return std::nullopt;
    types.push_back(plan_.value_types[v]);
    args.push_back(*values_[v]);
  }
  return core::evaluate(op.op, plan_.value_types[result], types, args);
}

}  // namespace hasten::runtime
