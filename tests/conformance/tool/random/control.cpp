// Steps of array control flow: branches, loops, and stored arrays.
#include "tests/conformance/tool/random/operations.hpp"

#include <hasten/detail/terms/permute.hpp>

#include <array>

namespace hasten::conformance::random {
namespace {

using detail::Call;

Term i64(ScalarOp op, const Term& x, const Term& y) {
  return detail::prim_of(op, ScalarType::i64, {x, y});
}
Term below(const Term& x, const Term& y) {
  return detail::prim_of(ScalarOp::lt, ScalarType::boolean, {x, y});
}
Term each_changed(const Context& context, const Step& step, const Term& a) {
  return map_by(context, a, [&](const Terms& v) { return changed(step.number, v[0]); });
}

Made compute(const Context& context, const Step&, const Sized& a, const Sized&) {
  return {{detail::compute(a.term, context.where), a.size}};
}

/// A condition on the program's number, or on an extent.
Term condition_of(const Context& context, const Step& step, const Sized& b) {
  if (step.number % 2 == 0 || detail::rank_of(b.term) == 0) return below(context.amount, number(2));
  return below(detail::extent_of(b.term, 0), number(step.number % 7));
}

/// Branches with other values, or with another extent.
Made acond(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  Term other = each_changed(context, step, a.term);
  if (step.number % 3 == 0 && detail::rank_of(a.term) > 0)
    other = detail::drop_axis(other, 0, number(1), Call{"drop", context.where});
  return {{detail::array_if(condition_of(context, step, b), {a.term}, {other}, context.where)[0],
           a.size}};
}

/// Several arrays at once, in the same or another order.
Made acond_pair(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  const bool same = detail::rank_of(a.term) == detail::rank_of(b.term) &&
                    detail::type_of(a.term) == detail::type_of(b.term);
  const Term second = same ? b.term : each_changed(context, step, a.term);
  const Terms chosen = detail::array_if(condition_of(context, step, b), {a.term, second},
                                        {second, a.term}, context.where);
  const std::int64_t size = std::max(a.size, b.size);
  return {{chosen[0], size}, {chosen[1], size}};
}

/// Rounds counted by a scalar array; `next` computes the arrays of the next round.
Terms rounds(const Context& context, const Term& many, const Terms& init,
             const std::function<Terms(const Terms&)>& next) {
  std::vector<Scope::ArrayParam> state{{detail::leaf_type(ScalarType::i64), 0}};
  for (const Term& a : init) state.push_back({detail::type_of(a), detail::rank_of(a)});
  Scope condition(state, {});
  Function test = condition.close({below(detail::index_array(condition.param(0), {}), many)},
                                  "awhile", context.where);
  Scope body(state, {});
  Terms arrays;
  for (std::size_t i = 0; i < init.size(); ++i) arrays.push_back(body.param(i + 1));
  Terms after{detail::unit(i64(ScalarOp::add, detail::index_array(body.param(0), {}), number(1)),
                           context.where)};
  for (Term& a : next(arrays)) after.push_back(std::move(a));
  Function round = body.close(std::move(after), "awhile", context.where);
  Terms start{detail::unit(number(0), context.where)};
  start.insert(start.end(), init.begin(), init.end());
  Terms results =
      detail::array_while(std::move(test), std::move(round), std::move(start), context.where);
  results.erase(results.begin());
  return results;
}

Made aiterate(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const Terms made = rounds(context, number(step.number % 4), {a.term}, [&](const Terms& v) {
    return Terms{each_changed(context, step, v[0])};
  });
  return {{made[0], a.size}};
}

/// The array becomes shorter, or longer, in every round.
Made awhile(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const unsigned rank = detail::rank_of(a.term);
  if (rank == 0) return {};
  const unsigned axis = step.number % rank;
  const Terms made = rounds(context, context.amount, {a.term}, [&](const Terms& v) {
    const Term next = each_changed(context, step, v[0]);
    if (step.number % 2 == 0)
      return Terms{detail::drop_axis(next, axis, number(1), Call{"drop", context.where})};
    const Call call{"take", context.where};
    const Term two = detail::take_axis(v[0], axis, number(2), call);
    return Terms{detail::concat(axis, {two, next}, "concat", context.where)};
  });
  return {{made[0], a.size + 10 * a.size}};
}

/// Two arrays that are exchanged, the second computed from the first.
Made awhile_pair(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const Terms init{a.term, each_changed(context, step, a.term)};
  const Terms made = rounds(context, context.amount, init, [&](const Terms& v) {
    const Term joined = zip_by(context, v[0], v[1],
                               [&](const Terms& x) { return combine(step.number, x[0], x[1]); });
    return Terms{v[1], joined};
  });
  return {{made[0], a.size}, {made[1], a.size}};
}

/// Runs until the data ends it: halves the number of remaining elements.
Made awhile_halving(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (detail::rank_of(a.term) != 1) return {};
  const std::array<Scope::ArrayParam, 1> state{{{detail::type_of(a.term), 1}}};
  Scope condition(state, {});
  Function test = condition.close({below(number(3), detail::extent_of(condition.param(0), 0))},
                                  "awhile", context.where);
  Scope body(state, {});
  const Term x = body.param(0);
  const Term half = i64(ScalarOp::quot, detail::extent_of(x, 0), number(2));
  const Term front = detail::take_axis(x, 0, half, Call{"take", context.where});
  const Term back = detail::drop_axis(x, 0, half, Call{"drop", context.where});
  const Term joined = zip_by(context, front, back,
                             [&](const Terms& v) { return combine(step.number, v[0], v[1]); });
  Function round = body.close({joined}, "awhile", context.where);
  return {
      {detail::array_while(std::move(test), std::move(round), {a.term}, context.where)[0], a.size}};
}

/// Scatters some elements of the state, after a function, to places counted from its end.
Made awhile_scatter(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (detail::rank_of(a.term) == 0) return {};
  const Terms made = rounds(context, context.amount, {a.term}, [&](const Terms& v) {
    const Term last = i64(ScalarOp::sub, detail::extent_of(v[0], 0), number(1));
    const Call take{"take", context.where}, call{"permute_unique", context.where};
    const bool is_whole = step.number % 3 == 0;
    const Term some =
        is_whole ? v[0] : detail::take_axis(v[0], 0, number(step.number % 4 + 1), take);
    const Term fresh = each_changed(context, step, some);
    const Term targets = generate_by(context, detail::extents_of(some), [&](Terms at) {
      const Term keep = below(number(step.number % 2), i64(ScalarOp::add, at[0], number(1)));
      at[0] = i64(ScalarOp::sub, last, at[0]);
      return detail::target_term(keep, at);
    });
    return Terms{detail::permute(detail::new_element(detail::type_of(a.term), call), v[0],
                                 {{targets, fresh}}, detail::PermuteMode::unique, call.operation,
                                 call.where)};
  });
  return {{made[0], a.size}};
}

constexpr Operation table[] = {
    {"awhile_scatter", awhile_scatter},
    {"compute", compute},
    {"acond", acond},
    {"acond_pair", acond_pair},
    {"aiterate", aiterate},
    {"awhile", awhile},
    {"awhile_pair", awhile_pair},
    {"awhile_halving", awhile_halving},
};

}  // namespace

std::span<const Operation> control_operations() { return table; }

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> rows;
    for (const auto part :
         {elementwise_operations(), shape_operations(), fold_operations(), place_operations(),
          control_operations(), foreign_operations(), group_operations(), read_operations()})
      rows.insert(rows.end(), part.begin(), part.end());
    return rows;
  }();
  return all;
}

}  // namespace hasten::conformance::random
