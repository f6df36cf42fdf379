// Scatters to computed positions: permute, scatter, histogram; and gathers from them: gather.
#pragma once

#include <hasten/detail/element_operator.hpp>
#include <hasten/detail/terms/permute.hpp>
#include <hasten/operations/elementwise.hpp>
#include <hasten/operations/folds.hpp>
#include <hasten/scalar/control.hpp>

#include <optional>

namespace hasten {

struct None;

}  // namespace hasten

namespace hasten::detail {

template <class L>
struct TargetOf;
template <class... Is>
struct TargetOf<List<Is...>> {
  using type = std::tuple<bool, Is...>;
};
/// The target of an element in an array of rank M, in the form that permute needs: whether there is
/// one, and its index.
template <std::size_t M>
using Target = typename TargetOf<Repeat<std::int64_t, M>>::type;

template <class X>
inline constexpr bool is_optional_exp = false;
template <class T>
inline constexpr bool is_optional_exp<Exp<std::optional<T>>> = true;

template <std::size_t M, class X>
Exp<Target<M>> target_at(const Exp<bool>& keep, const X& index) {
  static_assert(index_rank<X> == M,
                "hasten::permute: the function returns an index of another rank than the defaults");
  return exp_of<Target<M>>(target_term(term_of(keep), index_terms(index)));
}

template <std::size_t M, class X>
Exp<Target<M>> target_exp(const X& x) {
  if constexpr (std::is_same_v<X, None>) {
    return Exp<Target<M>>();  // keep is false
  } else if constexpr (is_optional_exp<X>) {
    using Index = Exp<typename X::value_type::value_type>;
    static_assert(IndexLike<Index>,
                  "hasten::permute: the function returns an optional, but not of an index");
    return target_at<M>(has_value(x), value_or(x, Index()));
  } else if constexpr (IndexLike<X>) {
    return target_at<M>(Exp<bool>(true), x);
  } else {
    static_assert(IndexLike<X> || std::is_same_v<X, NotCallable>,
                  "hasten::permute: the function must return an index into the defaults: an Ix, an "
                  "Exp<Ix<N>>, at rank 1 an integer; an optional of these, or none");
    return Exp<Target<M>>();
  }
}

template <std::size_t N, class T, class F>
inline constexpr bool takes_index = std::is_invocable_v<F&, const Exp<IndexElement<N>>&>;
template <std::size_t N, class T, class F>
inline constexpr bool takes_index_and_element =
    std::is_invocable_v<F&, const Exp<IndexElement<N>>&, const Exp<T>&>;

/// The targets f(ix), f(ix, x), or f of the index components, for each element of the source.
template <std::size_t M, class F, class T, std::size_t N>
Acc<Array<Target<M>, N>> permute_targets(const Call& call, F f, const Acc<Array<T, N>>& source) {
  const auto indices = indices_of<N>(term_of(source), call.where);
  if constexpr (!takes_index<N, T, F> && takes_index_and_element<N, T, F>) {
    const auto target = [&](const auto& ix, const Exp<T>& x) { return target_exp<M>(f(ix, x)); };
    return elementwise(call.operation, call.where, target, indices, source);
  } else {
    const auto target = [&](const auto& ix) { return target_exp<M>(call_with(f, ix)); };
    return elementwise(call.operation, call.where, target, indices);
  }
}

template <class F, class T, std::size_t M, std::size_t N>
Acc<Array<T, M>> permute_array(const Call& call, PermuteMode mode, Function combine,
                               const Acc<Array<T, M>>& defaults, F f,
                               const Acc<Array<T, N>>& source) {
  const auto targets = permute_targets<M>(call, std::move(f), source);
  return acc_of<T, M>(permute(std::move(combine), term_of(defaults),
                              {{term_of(targets), term_of(source)}}, mode, call.operation,
                              call.where));
}

template <class I, std::size_t M>
constexpr auto check_indices() {
  static_assert(IndexLike<Exp<I>>,
                "hasten: the indices must be integers, or Ix<N> into arrays of other ranks than 1");
  if constexpr (IndexLike<Exp<I>>) {
    static_assert(index_rank<Exp<I>> == M,
                  "hasten: the indices have another rank than the array they are for: use integers "
                  "at rank 1, else Ix<N>");
  }
}

template <class I, class T, std::size_t M, std::size_t N>
Acc<Array<T, M>> scatter_to(const Call& call, const Acc<Array<I, N>>& targets, const Term& mask,
                            const Acc<Array<T, M>>& defaults, const Acc<Array<T, N>>& values) {
  check_indices<I, M>();
  if constexpr (IndexLike<Exp<I>>) {
    return acc_of<T, M>(
        scatter_array(term_of(targets), mask, term_of(defaults), term_of(values), call));
  } else {
    return defaults;
  }
}

/// The bin of each element, flattened to a vector.
template <class F, class T, std::size_t N>
Term bins_of(const Call& call, F f, const Acc<Array<T, N>>& a) {
  auto traced = trace_element<T>(call.operation, call.where, f);
  using R = typename decltype(traced)::Result;
  static_assert(is_integral_leaf<R>,
                "hasten::histogram: the function of the bin must return an integer");
  return map(std::move(traced.fn), element_type<R>(), term_of(whole(a, call)), call.operation,
             call.where);
}

}  // namespace hasten::detail

namespace hasten {

/// Starts with the defaults and combines each element of the source with the old one at its target:
/// result[f(ix)] = combine(new, old). f receives the index, or the index and the element, and
/// returns an index into the defaults, an optional index, or none. Elements without a target and
/// those whose target is out of range are dropped. combine must be associative and commutative; it
/// is applied in row-major order of the source, but under Determinism::relaxed in any order for
/// operators on floats. The result has the shape of the defaults. Work: a copy of the defaults, and
/// one combine per element.
template <class C, class F, class T, std::size_t M, std::size_t N>
Acc<Array<T, M>> permute(C combine, const Acc<Array<T, M>>& defaults, F f,
                         const Acc<Array<T, N>>& source,
                         detail::Where where = detail::Where::current()) {
  const detail::Call call{"permute", where};
  return detail::permute_array(call, detail::PermuteMode::combine,
                               detail::element_operator<T>(call, std::move(combine)), defaults,
                               std::move(f), source);
}

/// Like permute, for sources of which no two elements have the same target, which the caller
/// guarantees: each element replaces the default.
template <class F, class T, std::size_t M, std::size_t N>
Acc<Array<T, M>> permute_unique(const Acc<Array<T, M>>& defaults, F f,
                                const Acc<Array<T, N>>& source,
                                detail::Where where = detail::Where::current()) {
  const detail::Call call{"permute_unique", where};
  return detail::permute_array(call, detail::PermuteMode::unique,
                               detail::new_element(detail::element_type<T>(), call), defaults,
                               std::move(f), source);
}

/// The defaults, with values[ix] at targets[ix] for every index. The extents of targets and values
/// intersect; targets out of range are dropped. If several values have the same target, the last
/// one in row-major order is kept.
template <class I, class T, std::size_t M, std::size_t N>
Acc<Array<T, M>> scatter(const Acc<Array<I, N>>& targets, const Acc<Array<T, M>>& defaults,
                         const Acc<Array<T, N>>& values,
                         detail::Where where = detail::Where::current()) {
  return detail::scatter_to({"scatter", where}, targets, detail::Term{}, defaults, values);
}
/// Like scatter, restricted to the indices with p(mask[ix]); the extents of all three intersect.
template <class I, class B, class P, class T, std::size_t M, std::size_t N>
Acc<Array<T, M>> scatter_if(const Acc<Array<I, N>>& targets, const Acc<Array<B, N>>& mask, P p,
                            const Acc<Array<T, M>>& defaults, const Acc<Array<T, N>>& values,
                            detail::Where where = detail::Where::current()) {
  const detail::Call call{"scatter_if", where};
  return detail::scatter_to(call, targets, detail::term_of(detail::tests<N>(call, p, mask)),
                            defaults, values);
}

/// a[indices[ix]] for every index: the result has the shape of the indices, which are integers if
/// the array has rank 1, else Ix<N>. An index out of range is an IndexError when checked, and
/// otherwise reads the last one.
template <class I, class T, std::size_t M, std::size_t N>
Acc<Array<T, N>> gather(const Acc<Array<I, N>>& indices, const Acc<Array<T, M>>& a,
                        detail::Where where = detail::Where::current()) {
  detail::check_indices<I, M>();
  return detail::elementwise("gather", where, [&](const Exp<I>& i) { return a[i]; }, indices);
}
/// Like gather where p(mask[ix]), else the default; the extents of indices, mask and defaults
/// intersect. Nothing is read where the test fails.
template <class I, class B, class P, class T, std::size_t M, std::size_t N>
Acc<Array<T, N>> gather_if(const Acc<Array<I, N>>& indices, const Acc<Array<B, N>>& mask, P p,
                           const Acc<Array<T, N>>& defaults, const Acc<Array<T, M>>& a,
                           detail::Where where = detail::Where::current()) {
  detail::check_indices<I, M>();
  const auto choose = [&](const Exp<I>& i, const Exp<B>& m, const Exp<T>& d) {
    return hasten::select(Exp<bool>(detail::call_with(p, m)), a[i], d);
  };
  return detail::elementwise("gather_if", where, choose, indices, mask, defaults);
}

/// The number of elements in each bin f(x), in 0..bins - 1; elements with any other bin are
/// dropped.
template <class F, class T, std::size_t N>
Acc<Vector<std::int64_t>> histogram(const detail::Extent& bins, F f, const Acc<Array<T, N>>& a,
                                    detail::Where where = detail::Where::current()) {
  const detail::Call call{"histogram", where};
  return detail::acc_of<std::int64_t, 1>(
      detail::count_bins(bins.term(), detail::bins_of(call, std::move(f), a), call));
}
/// The sum of weight(x) over the elements of each bin.
template <class F, class W, class T, std::size_t N>
auto histogram(const detail::Extent& bins, F f, W weight, const Acc<Array<T, N>>& a,
               detail::Where where = detail::Where::current()) {
  const detail::Call call{"histogram", where};
  const auto weights = detail::elementwise(
      "histogram", where, [&](const Exp<T>& x) { return detail::call_with(weight, x); },
      detail::whole(a, call));
  using R = detail::ElementOf<std::remove_const_t<decltype(weights)>>;
  detail::Function add =
      detail::element_operator<R>(call, [](const Exp<R>& x, const Exp<R>& y) { return x + y; });
  return detail::acc_of<R, 1>(detail::sum_bins(bins.term(), detail::bins_of(call, std::move(f), a),
                                               detail::term_of(weights), std::move(add),
                                               detail::term_of(Exp<R>()), call));
}

}  // namespace hasten
