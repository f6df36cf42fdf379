// Steps that call foreign functions whose fallbacks do the same.
#include "tests/conformance/tool/random/operations.hpp"

#include <hasten/detail/terms/foreign.hpp>

#include <array>

namespace hasten::conformance::random {
namespace {

std::int64_t mixed(std::int64_t x, std::int64_t y) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * 31 ^
                                   static_cast<std::uint64_t>(y));
}

void call_mixed(const void*, const std::uint64_t* arguments, std::uint64_t* result) {
  *result = static_cast<std::uint64_t>(
      mixed(static_cast<std::int64_t>(arguments[0]), static_cast<std::int64_t>(arguments[1])));
}

Term mix(const Context& context, const Term& x, const Term& y) {
  const std::array types{detail::leaf_type(ScalarType::i64), detail::leaf_type(ScalarType::i64)};
  Function fallback = function(
      {types[0], types[1]},
      [](const Terms& v) {
        const Term product = detail::prim_of(ScalarOp::mul, ScalarType::i64, {v[0], number(31)});
        return detail::prim_of(ScalarOp::xor_, ScalarType::i64, {product, v[1]});
      },
      context.where);
  const detail::ForeignFunction* mine =
      detail::foreign_function({.target = detail::ForeignTarget::cpu,
                                .name = "random::mixed",
                                .params = {ScalarType::i64, ScalarType::i64},
                                .result = ScalarType::i64,
                                .address = reinterpret_cast<const void*>(&mixed),
                                .call = call_mixed},
                               context.where);
  return detail::foreign_call({mine}, std::move(fallback), {x, y}, context.where);
}

/// For each element, or only for small elements, in a branch.
Made foreign_exp(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const auto call = [&](const Terms& v) {
    const Term x = as_number(step.number, v[0]);
    const Term called = mix(context, x, context.amount);
    if (step.number % 3 == 0) return called;
    const Term small = detail::prim_of(ScalarOp::lt, ScalarType::boolean, {x, number(3)});
    return detail::conditional(small, called, mix(context, called, x));
  };
  return {{map_by(context, a.term, call), a.size}};
}

/// Returns two arrays in the other order.
Made foreign_acc(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  const std::array<Scope::ArrayParam, 2> params{
      {{detail::type_of(a.term), detail::rank_of(a.term)},
       {detail::type_of(b.term), detail::rank_of(b.term)}}};
  Scope scope(params, {});
  Function fallback = scope.close({scope.param(1), scope.param(0)}, "foreign_acc", context.where);
  auto swap = std::make_shared<detail::ForeignArrayFunction>();
  swap->name = "random::swap";
  swap->call = [](const auto& given) { return std::vector{given[1], given[0]}; };
  std::vector<std::shared_ptr<const detail::ForeignArrayFunction>> functions;
  if (step.number % 4 != 0) functions.push_back(std::move(swap));
  const Terms made = detail::foreign_arrays(std::move(functions), std::move(fallback),
                                            {a.term, b.term}, context.where);
  return {{made[0], b.size}, {made[1], a.size}};
}

constexpr Operation table[] = {{"foreign_exp", foreign_exp}, {"foreign_acc", foreign_acc}};

}  // namespace

std::span<const Operation> foreign_operations() { return table; }

}  // namespace hasten::conformance::random
