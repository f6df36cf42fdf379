// Limits of indices cost much where they hide how reads move: the kernel is made without them, too,
// for launches whose extents show that all reads are in range.
//
// before: %2 = launch kernel 0, whose reads are limited
// after:  %2 = launch kernel 0, which has no limits, if the space lies inside of all arrays that it
//              reads, else kernel 1
// why:    indices that the program's own extents bound (a generate over the extents of one array
//         that reads another one) cannot be proved, and yet nearly every launch is in range; with
//         limits, products have no tiles, and columns are folded one by one
#include "kernels/lowering/lowering.hpp"

#include "core/traverse.hpp"
#include "kernels/analysis/interior.hpp"
#include "kernels/finish.hpp"
#include "kernels/stages.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace hasten::kernels {

using namespace core;

namespace {

// Larger than any extent: the end of an axis along which nothing is limited.
constexpr std::int64_t unlimited = std::int64_t{1} << 60;

bool limits_read(const Kernel& kernel, const Stmt& stmt) {
  const auto* prim = std::get_if<Prim>(&stmt.op);
  return prim && prim->op == ScalarOp::min &&
         kernel.value_types[stmt.results[0]] == ScalarType::u64;
}

// Whether a loop has limits, in each round.
bool limits_in_loops(const Kernel& kernel, const Region& region, bool is_loop) {
  return std::ranges::any_of(region.body, [&](const Stmt& stmt) {
    bool some = is_loop && limits_read(kernel, stmt);
    const bool loops = is_loop || std::holds_alternative<While>(stmt.op);
    visit_regions(
        stmt, [&](const Region& inner) { some = some || limits_in_loops(kernel, inner, loops); });
    return some;
  });
}

// Whether the code that each element repeats has limits.
bool limits_in_rows(const Kernel& kernel, const Region& element) {
  const std::vector<bool> varies = varies_inside_rows(kernel, element);
  return limits_in_loops(kernel, element, false) ||
         std::ranges::any_of(element.body, [&](const Stmt& stmt) {
           return limits_read(kernel, stmt) && varies[stmt.results[0]];
         });
}

// Limits of rows cost little, and borders are peeled; but folds of several rows have forms (tiles,
// lanes across, rows together) that limits rule out, and all other kernels test in each vector.
bool may_gain(const Kernel& kernel) {
  const bool peels = kernel.skeleton == Skeleton::map ||
                     (kernel.skeleton == Skeleton::scatter && kernel.unique) ||
                     (kernel.skeleton == Skeleton::fold && kernel.rank == 1);
  if (!peels) return true;
  return limits_in_rows(kernel, kernel.interior ? kernel.interior->element : kernel.element);
}

}  // namespace

// The kernel without limits, if it may be better; then the launch knows when to take it. Both have
// the same inputs and arguments.
std::optional<Kernel> Lowering::without_limits(Launch& launch, const KernelBuilder& limited) {
  const Kernel& kernel = limited.kernel;
  if (launch.into || kernel.collapsible || !kernel.loops.empty() || !may_gain(kernel))
    return std::nullopt;
  KernelBuilder builder = limited;
  auto inside = range_of_reads(builder.kernel);
  if (!inside) return std::nullopt;
  launch.in_range = covers(inside->bounds, builder, launch.space);
  builder.kernel.element = std::move(inside->element);
  finish_again(builder);
  return std::move(builder.kernel);
}

// Whether the bounds, code of the builder's kernel, hold the whole space.
Value Lowering::covers(const Region& bounds, const KernelBuilder& builder,
                       const std::vector<Value>& space) {
  const std::vector<Value> ends = on_host(bounds, builder);
  const auto known = [&](Value v) {
    const auto constant = env_.constants.find(v);
    return constant == env_.constants.end() ? std::optional<std::int64_t>()
                                            : static_cast<std::int64_t>(constant->second.lo);
  };
  Value all = none;
  const auto also = [&](ScalarOp op, Value a, Value b) {
    const Value holds = host(op, a, b, ScalarType::boolean);
    all = all == none ? holds : host(ScalarOp::and_, all, holds, ScalarType::boolean);
  };
  for (std::size_t axis = 0; axis < space.size(); ++axis) {
    const Value begin = ends[2 * axis], end = ends[2 * axis + 1];
    if (known(begin).value_or(1) > 0) also(ScalarOp::le, begin, number(0));
    if (known(end).value_or(0) < unlimited) also(ScalarOp::ge, end, space[axis]);
  }
  return all == none ? constant(ScalarType::boolean, {1, 0}) : all;
}

// The results of code that uses only the kernel's arguments, computed by the host.
std::vector<Value> Lowering::on_host(const Region& code, const KernelBuilder& builder) {
  std::unordered_map<Value, Value> known;
  const auto value = [&](Value v) {
    if (const auto it = known.find(v); it != known.end()) return it->second;
    const auto at = std::ranges::find(builder.kernel.scalars, v);
    const auto place = static_cast<std::size_t>(at - builder.kernel.scalars.begin());
    const ArgumentSource& argument = builder.arguments.at(place);
    return argument.host != none ? argument.host : extents(argument.array)[argument.axis];
  };
  for (const Stmt& stmt : code.body) {
    const ScalarType type = builder.kernel.value_types[stmt.results[0]];
    if (const auto* number = std::get_if<Constant>(&stmt.op)) {
      known[stmt.results[0]] = constant(type, number->bits);
      continue;
    }
    Prim prim = std::get<Prim>(stmt.op);
    for (Value& arg : prim.args) arg = value(arg);
    Value& result = known[stmt.results[0]];
    if (prim.args.size() == 2) {
      result = host(prim.op, prim.args[0], prim.args[1], type);
    } else {
      result = program_.new_value(type);
      push(HostScalars{{{result}, std::move(prim)}});
    }
  }
  std::vector<Value> results;
  for (const Value v : code.results) results.push_back(value(v));
  return results;
}

}  // namespace hasten::kernels
