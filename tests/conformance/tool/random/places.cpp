// Steps that scatter elements to computed places or select them: permutations, filters, sorts,
// stencils.
#include "tests/conformance/tool/random/operations.hpp"

#include <hasten/detail/terms/permute.hpp>
#include <hasten/detail/terms/sort.hpp>
#include <hasten/detail/terms/stencil.hpp>
#include <hasten/operations/choose.hpp>
#include <hasten/scalar/control.hpp>
#include <hasten/scalar/element_arrays.hpp>

#include <array>

namespace hasten::conformance::random {
namespace {

using detail::Call;

unsigned rank_of(const Sized& a) { return detail::rank_of(a.term); }
Term i64(ScalarOp op, const Term& x, const Term& y) {
  return detail::prim_of(op, ScalarType::i64, {x, y});
}
Term odd(const Term& x) {
  const Term rest = i64(ScalarOp::rem, x, number(2));
  return detail::prim_of(ScalarOp::ne, ScalarType::boolean, {rest, number(0)});
}

// --- permutations -------------------------------------------------------------------------------

/// Each element of a goes to a place in `defaults` that depends on the element, or to none.
Made permute(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  const Type type = detail::type_of(a.term);
  const bool same = detail::type_of(b.term) == type && rank_of(b) > 0;
  const Term defaults =
      same ? b.term
           : map_by(context, detail::flatten_array(a.term, {"flatten", context.where}),
                    [&](const Terms& v) { return changed(step.number, v[0]); });
  const Terms extents = detail::extents_of(defaults);
  const Term targets = map_by(context, a.term, [&](const Terms& v) {
    const Term n = as_number(step.number, v[0]);
    Terms index;
    for (const Term& extent : extents)
      index.push_back(i64(ScalarOp::mod, n, i64(ScalarOp::add, extent, number(2))));
    return detail::target_term(odd(i64(ScalarOp::add, n, number(step.number % 2))), index);
  });
  Function fn = function(
      {type, type}, [&](const Terms& v) { return meet(step.number / 2, v[0], v[1]); },
      context.where);
  return {{detail::permute(std::move(fn), defaults, {{targets, a.term}},
                           detail::PermuteMode::combine, "permute", context.where),
           std::max(a.size, b.size)}};
}

/// Places are counted from the end of the outermost axis, with an offset: one source per target.
Made permute_unique(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Type type = detail::type_of(a.term);
  const Term defaults =
      map_by(context, a.term, [&](const Terms& v) { return changed(step.number, v[0]); });
  const Term extent = detail::extent_of(a.term, 0);
  const Terms extents = detail::extents_of(a.term);
  const Term targets = generate_by(context, extents, [&](Terms at) {
    at[0] = i64(ScalarOp::sub, extent, i64(ScalarOp::add, at[0], number(step.number % 3)));
    return detail::target_term(odd(number(1)), at);
  });
  return {{detail::permute(detail::new_element(type, {"permute_unique", context.where}), defaults,
                           {{targets, a.term}}, detail::PermuteMode::unique, "permute_unique",
                           context.where),
           a.size}};
}

Made scatter(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (rank_of(a) != rank_of(b)) return {};
  const Term targets = numbers_of(context, step, b.term);
  const Term mask = step.number % 2 == 0 ? Term{} : map_by(context, b.term, [&](const Terms& v) {
    return odd(as_number(step.number / 2, v[0]));
  });
  const Term defaults = map_by(context, detail::flatten_array(a.term, {"flatten", context.where}),
                               [&](const Terms& v) { return changed(step.number, v[0]); });
  return {
      {detail::scatter_array(targets, mask, defaults, a.term, {"scatter", context.where}), a.size}};
}

Made histogram(const Context& context, const Step& step, const Sized& a, const Sized&) {
  return {{detail::count_bins(number(step.number), numbers_of(context, step, a.term),
                              {"histogram", context.where}),
           36}};
}

// --- choices ------------------------------------------------------------------------------------

Made filter(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const Term flat = detail::flatten_array(a.term, {"flatten", context.where});
  const Term mask =
      map_by(context, flat, [&](const Terms& v) { return odd(as_number(step.number, v[0])); });
  const Call call{"filter", context.where};
  if (step.number % 3 != 0) return {{detail::kept_elements(mask, flat, call), a.size}};
  const auto [kept, others] = detail::parted_elements(mask, flat, call);
  return {{kept, a.size}, {others, a.size}};
}

Made compact(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (rank_of(a) != 1 || rank_of(b) != 1) return {};
  const Term mask =
      map_by(context, b.term, [&](const Terms& v) { return odd(as_number(step.number, v[0])); });
  const Call call{"compact", context.where};
  return {{detail::kept_elements(mask, a.term, call), std::min(a.size, b.size)}};
}

Made runs(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) != 1) return {};
  const auto numbers = map([](const Exp<std::int64_t>& x) { return x / 4; },
                           detail::acc_of<std::int64_t, 1>(numbers_of(context, step, a.term)));
  if (step.number % 2 == 0) return {{detail::term_of(unique(numbers)), a.size}};
  const auto [values, counts] = run_lengths(numbers);
  return {{detail::term_of(values), a.size}, {detail::term_of(counts), a.size}};
}

// --- sorts --------------------------------------------------------------------------------------

Order order_of(const Step& step) {
  return step.number % 2 == 0 ? Order::ascending : Order::descending;
}

Term sort_keys(const Context& context, const Step& step, const Term& keys) {
  return map_by(context, keys,
                [&](const Terms& v) { return detail::sort_key(v[0], order_of(step)); });
}

Term positions(const Context& context, const Step& step, const Term& keys) {
  return detail::sort_positions(sort_keys(context, step, keys), "sort", context.where);
}

Made sort(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0 || has_complex(detail::type_of(a.term))) return {};
  return {{detail::at_positions(a.term, positions(context, step, a.term), {"sort", context.where}),
           a.size}};
}

/// One of the leaves, or a number computed from it that is often equal.
Term keys_of(const Context& context, const Step& step, const Sized& a) {
  return map_by(context, a.term, [&](const Terms& v) {
    const Terms leaves = real_leaves(v[0]);
    if (leaves.empty()) return number(0);
    if (step.number % 4 < 2) return leaves[step.number % leaves.size()];
    return i64(ScalarOp::rem, as_number(step.number, v[0]), number(4));
  });
}

Made sort_by(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Term keys = keys_of(context, step, a);
  return {{detail::at_positions(a.term, positions(context, step, keys), {"sort_by", context.where}),
           a.size}};
}

Made group_by(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) != 1) return {};
  const Call call{"group_by", context.where};
  const Term keys = keys_of(context, step, a);
  const detail::SortedRuns runs = detail::sorted_runs(keys, {a.term}, call);
  const Term offsets = detail::run_offsets(runs.heads, call);
  const Term distinct = detail::first_of_runs(runs, keys, offsets, call);
  return {{distinct, a.size}, {offsets, a.size + 1}, {runs.carried[0], a.size}};
}

Made top_k(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0 || has_complex(detail::type_of(a.term))) return {};
  const Call call{"top_k", context.where};
  const Term found = detail::sort_first_positions(sort_keys(context, step, a.term), context.amount,
                                                  call.operation, call.where);
  const Term first = detail::take_axis(found, rank_of(a) - 1, context.amount, call);
  return {{detail::at_positions(a.term, first, call), a.size}, {first, a.size}};
}

// --- small arrays in scalar code ----------------------------------------------------------------

/// One of four ways to change an array of a few elements by a number.
template <std::size_t K>
auto small_round(std::uint32_t way, const Exp<std::array<std::int64_t, K>>& b,
                 const Exp<std::int64_t>& s) {
  constexpr auto size = static_cast<std::int64_t>(K);
  const auto changed = update(b, s % size, b[(s / 3) % size] + s);
  switch (way % 4) {
    case 0: return changed;
    case 1: return select(s % 2 == 0, changed, b);
    case 2: return update(update(b, 1, s), b[2] % size, b[s % size]);
    default:
      return fold_range(size, select(s % 3 == 1, update(b, 0, s), changed), [&](auto k, auto c) {
        return update(c, k, min(c[k], c[size - 1 - k] + b[k]));
      });
  }
}

template <std::size_t K>
Term small_loop(std::uint32_t way, const Term& start) {
  using Array = std::array<std::int64_t, K>;
  const auto x = detail::exp_of<std::int64_t>(start);
  Array first{};
  for (std::size_t k = 0; k < K; ++k) first[k] = static_cast<std::int64_t>(7 * k + way);
  const auto [end, s, left] = while_loop(
      [](const auto& state) { return get<2>(state) > std::int64_t{0}; },
      [&](const auto& state) {
        const auto& [b, seed, rounds] = state;
        return std::tuple{small_round<K>(way, b, seed), (seed * 37 + 11) % 1009, rounds - 1};
      },
      std::tuple{Exp<Array>(first), abs(x % 1009), x % 7});
  return detail::term_of(end[s % static_cast<std::int64_t>(K)] * 3 + end[2] - s);
}

/// Runs each element through a loop in scalar code whose state is an array of 4 to 20 elements.
Made small_arrays(const Context& context, const Step& step, const Sized& a, const Sized&) {
  return {{map_by(context, a.term,
                  [&](const Terms& v) {
                    const Term start = as_number(step.number, v[0]);
                    const std::uint32_t way = step.number / 4;
                    switch (step.number % 4) {
                      case 0: return small_loop<4>(way, start);
                      case 1: return small_loop<7>(way, start);
                      case 2: return small_loop<13>(way, start);
                      default: return small_loop<20>(way, start);
                    }
                  }),
           a.size}};
}

// --- stencils -----------------------------------------------------------------------------------

/// An element near an index, with one of five boundaries.
Term neighbour(std::uint32_t choice, const Term& a, const Terms& at,
               const std::vector<std::int64_t>& offsets) {
  if (choice % 4 < 3)
    return detail::read_neighbour(a, at, offsets, static_cast<detail::Border>(choice % 4));
  return detail::read_inside(a, detail::moved_index(at, offsets), offsets,
                             changed(1, zero_like(detail::type_of(a))));
}

/// Two neighbours and the element itself.
void append_neighbours(Terms& out, const Step& step, const Term& a, const Terms& at) {
  std::vector<std::int64_t> offsets(at.size(), 0);
  out.push_back(neighbour(step.number, a, at, offsets));
  offsets[step.number % at.size()] = static_cast<std::int64_t>(step.number % 7) - 3;
  out.push_back(neighbour(step.number, a, at, offsets));
  offsets.back() = 1;
  out.push_back(neighbour(step.number, a, at, offsets));
}

Made stencil(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const auto tree = tree_of(context, step);
  return {{generate_by(context, detail::extents_of(a.term),
                       [&](const Terms& at) {
                         Terms near;
                         append_neighbours(near, step, a.term, at);
                         return tree(near);
                       }),
           a.size}};
}

Made stencil2(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (rank_of(a) == 0 || rank_of(a) != rank_of(b)) return {};
  const auto tree = tree_of(context, step);
  Step other = step;
  other.number = step.number / 2 + 1;
  const detail::Call call{"stencil2", context.where};
  return {{generate_by(context, detail::intersect_extents(a.term, b.term, call),
                       [&](const Terms& at) {
                         Terms near;
                         append_neighbours(near, step, a.term, at);
                         append_neighbours(near, other, b.term, at);
                         return tree(near);
                       }),
           std::min(a.size, b.size)}};
}

constexpr Operation table[] = {
    {"permute", permute},   {"permute_unique", permute_unique},
    {"scatter", scatter},   {"histogram", histogram},
    {"filter", filter},     {"compact", compact},
    {"runs", runs},         {"sort", sort},
    {"sort_by", sort_by},   {"group_by", group_by},
    {"top_k", top_k},       {"stencil", stencil},
    {"stencil2", stencil2}, {"small_arrays", small_arrays},
};

}  // namespace

std::span<const Operation> place_operations() { return table; }

}  // namespace hasten::conformance::random
