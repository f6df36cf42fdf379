// Operations on pull arrays: each returns a pull array and costs nothing until an element is read.
// Arrays (Acc) may stand beside pull arrays.
#pragma once

#include <hasten/operations/elementwise.hpp>
#include <hasten/operations/shape_ops.hpp>
#include <hasten/pull_push/pull.hpp>

#include <tuple>

namespace hasten::detail {

template <class P>
inline constexpr bool is_pull_or_acc = is_pull<P> || is_acc<P>;
/// Arguments of an elementwise operation: only arrays, of which at least one is a pull array.
template <class... Ps>
concept PullsAmong =
    (is_pull<Ps> || ...) && ((is_pull_or_acc<Ps> || std::is_same_v<Ps, NotGiven>) && ...);

template <class A, class... Ps>
constexpr auto check_one_rank_of_pulls() {
  constexpr bool is_one = [] {
    constexpr auto fits = []<class P>(const P*) {
      if constexpr (std::is_same_v<P, NotGiven>) {
        return true;
      } else {
        return P::rank == A::rank;
      }
    };
    return (fits(static_cast<const Ps*>(nullptr)) && ...);
  }();
  static_assert(is_one,
                "hasten: arrays of different ranks never broadcast: replicate the one of lower "
                "rank");
}

/// The elements f(x, y, ...), with the index first if `Indexed`; extents intersect, and under
/// Checks::extents must be equal.
template <bool Indexed, std::size_t N, class F, class... Ts>
auto zip_pulls(const Call& call, F f, const Pull<Ts, N>&... ps) {
  std::vector<Term> extent;
  const auto meet = [&](const PullTerms& p) {
    extent = extent.empty() ? p.extent : intersect_extents(std::move(extent), p.extent, call);
  };
  (meet(terms_of(ps)), ...);
  const auto element = [](F& g, std::span<const Term> index, const auto&... pulls) {
    if constexpr (Indexed) {
      return call_with_all(g, index_exp<N>(index), exp_of<Ts>(terms_of(pulls).at(index))...);
    } else {
      return call_with_all(g, exp_of<Ts>(terms_of(pulls).at(index))...);
    }
  };
  using T = Lifted<std::remove_cvref_t<decltype(element(f, std::span<const Term>(), ps...))>>;
  return pull_of_terms<T, N>({std::move(extent), element_type<T>(),
                              [f, element, ps...](std::span<const Term> index) mutable {
                                return term_of(Exp<T>(lift(element(f, index, ps...))));
                              }});
}

template <bool Indexed, class F, class... As>
auto zip_given(const Call& call, F f, const As&... arrays) {
  const std::tuple<const As&...> all(arrays...);
  return with_indices<given<As...>>([&](auto... i) {
    const auto zip_all = [&]<class T, std::size_t N, class... Ps>(const Pull<T, N>& first,
                                                                  const Ps&... rest) {
      if constexpr (((Ps::rank == N) && ...)) {
        return zip_pulls<Indexed, N>(call, std::move(f), first, rest...);
      }
    };
    return zip_all(as_pull(std::get<i>(all))...);
  });
}

template <class T, std::size_t N, class F, class... As>
Pull<T, N> along(const Pull<T, N>& p, F f, const As&... args) {
  return pull_of_terms<T, N>(f(terms_of(p), args...));
}

}  // namespace hasten::detail

namespace hasten {

/// f of each element.
template <class F, class T, std::size_t N>
auto map(F f, const Pull<T, N>& p) {
  detail::check_function<F, Exp<T>>();
  using R = detail::ResultElement<F, Exp<T>>;
  return detail::pull_of_terms<R, N>(
      {detail::terms_of(p).extent, detail::element_type<R>(),
       [f, p](std::span<const detail::Term> index) mutable {
         return detail::term_of(Exp<R>(
             detail::lift(detail::call_with(f, detail::exp_of<T>(detail::terms_of(p).at(index))))));
       }});
}
/// f(ix, x) of each index and element.
template <class F, class T, std::size_t N>
auto imap(F f, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return detail::zip_given<true>({"imap", where}, std::move(f), p);
}

/// f of corresponding elements of 2 to 9 arrays of one rank, pull arrays among them; extents
/// intersect, and under Checks::extents must be equal.
template <class F, class A, class B, class C = detail::NotGiven, class D = detail::NotGiven,
          class E = detail::NotGiven, class G = detail::NotGiven, class H = detail::NotGiven,
          class I = detail::NotGiven, class J = detail::NotGiven>
  requires detail::PullsAmong<A, B, C, D, E, G, H, I, J>
auto zip_with(F f, const A& a, const B& b, const C& c = {}, const D& d = {}, const E& e = {},
              const G& g = {}, const H& h = {}, const I& i = {}, const J& j = {},
              detail::Where where = detail::Where::current()) {
  detail::check_one_rank_of_pulls<A, B, C, D, E, G, H, I, J>();
  return detail::zip_given<false>({"zip_with", where}, std::move(f), a, b, c, d, e, g, h, i, j);
}
/// f(ix, x, y, ...) of each index and the elements of 2 to 9 arrays of one rank; extents intersect,
/// and under Checks::extents must be equal.
template <class F, class A, class B, class C = detail::NotGiven, class D = detail::NotGiven,
          class E = detail::NotGiven, class G = detail::NotGiven, class H = detail::NotGiven,
          class I = detail::NotGiven, class J = detail::NotGiven>
  requires detail::PullsAmong<A, B, C, D, E, G, H, I, J>
auto izip_with(F f, const A& a, const B& b, const C& c = {}, const D& d = {}, const E& e = {},
               const G& g = {}, const H& h = {}, const I& i = {}, const J& j = {},
               detail::Where where = detail::Where::current()) {
  detail::check_one_rank_of_pulls<A, B, C, D, E, G, H, I, J>();
  return detail::zip_given<true>({"izip_with", where}, std::move(f), a, b, c, d, e, g, h, i, j);
}
/// Tuples of corresponding elements of 2 to 9 arrays of one rank; extents intersect, and under
/// Checks::extents must be equal.
template <class A, class B, class C = detail::NotGiven, class D = detail::NotGiven,
          class E = detail::NotGiven, class G = detail::NotGiven, class H = detail::NotGiven,
          class I = detail::NotGiven, class J = detail::NotGiven>
  requires detail::PullsAmong<A, B, C, D, E, G, H, I, J>
auto zip(const A& a, const B& b, const C& c = {}, const D& d = {}, const E& e = {}, const G& g = {},
         const H& h = {}, const I& i = {}, const J& j = {},
         detail::Where where = detail::Where::current()) {
  const auto tuple = []<class... Ts>(const Exp<Ts>&... xs) {
    return Exp<std::tuple<Ts...>>(xs...);
  };
  detail::check_one_rank_of_pulls<A, B, C, D, E, G, H, I, J>();
  return detail::zip_given<false>({"zip", where}, tuple, a, b, c, d, e, g, h, i, j);
}
/// One pull array per member of the elements, in a std::tuple; for pairs and std::arrays, in a
/// std::pair or std::array.
template <class T, std::size_t N>
auto unzip(const Pull<T, N>& p) {
  static_assert(detail::CompoundElement<T>,
                "hasten::unzip: needs an array of groups: tuples, pairs, std::arrays, structs");
  return detail::with_indices<detail::member_count<T>>([&](auto... i) {
    using Group = std::conditional_t<detail::StdGroup<T>, T, std::tuple<>>;
    using Pulls = typename detail::StdGroupOf<Group>::template With<
        Pull<detail::At<i, detail::Members<T>>, N>...>;
    return Pulls{map([i](const Exp<T>& x) { return get<i>(x); }, p)...};
  });
}

/// The pull array of this shape whose element at ix is p[f(ix)].
template <detail::IndexLike S, class F, class T, std::size_t N>
auto backpermute(const S& shape, F f, const Pull<T, N>& p,
                 detail::Where where = detail::Where::current()) {
  constexpr std::size_t M = detail::index_rank<S>;
  auto element = [f, p](const Exp<detail::IndexElement<M>>& target) mutable {
    const auto source = detail::call_with(f, target);
    using X = std::remove_cvref_t<decltype(source)>;
    static_assert(detail::IndexLike<X>,
                  "hasten::backpermute: the function must return an index into the source: an "
                  "Ix, an Exp<Ix<N>>, at rank 1 an integer");
    if constexpr (detail::IndexLike<X>) {
      static_assert(detail::index_rank<X> == N,
                    "hasten::backpermute: the function returns an index of another rank than the "
                    "source array");
      return p[source];
    } else {
      return Exp<T>();
    }
  };
  return detail::pull_function<M>(detail::index_terms(shape, detail::LiteralMode::parameter, where),
                                  element);
}

/// The same elements in row-major order under another shape; throws ShapeError at run time if the
/// sizes differ.
template <detail::IndexLike S, class T, std::size_t N>
auto reshape(const S& shape, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return detail::pull_of_terms<T, detail::index_rank<S>>(
      detail::reshape(detail::index_terms(shape, detail::LiteralMode::parameter, where),
                      detail::terms_of(p), {"reshape", where}));
}
/// All elements in row-major order, at rank 1.
template <class T, std::size_t N>
Pull<T, 1> flatten(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return reshape(size(p), p, where);
}
/// Adds axes of the given extents, along which the array repeats.
template <class... Ps, class T, std::size_t N>
auto replicate(const detail::Over<Ps...>& places, const Pull<T, N>& p,
               detail::Where where = detail::Where::current()) {
  static_assert(detail::Over<Ps...>::kept == N,
                "hasten::replicate: over(...) must say keep once for each axis of the array: the "
                "array has another rank");
  return detail::pull_of_terms<T, sizeof...(Ps)>(detail::replicate(
      detail::place_terms(places, detail::LiteralMode::parameter, where), detail::terms_of(p)));
}
/// The part of the array at which the given indices are fixed.
template <class... Ps, class T, std::size_t N>
auto slice(const detail::Over<Ps...>& places, const Pull<T, N>& p,
           detail::Where where = detail::Where::current()) {
  static_assert(sizeof...(Ps) == N,
                "hasten::slice: over(...) must have one place for each axis of the array: the "
                "array has another rank");
  return detail::pull_of_terms<T, detail::Over<Ps...>::kept>(detail::slice(
      detail::place_terms(places, detail::LiteralMode::automatic, where), detail::terms_of(p)));
}

/// Swaps axes A and B.
template <int A, int B, class T, std::size_t N>
Pull<T, N> transpose_on(const Pull<T, N>& p) {
  return detail::along(p, [](const detail::PullTerms& terms) {
    return detail::swapped(terms, detail::axis_of<A, N>(), detail::axis_of<B, N>());
  });
}
/// Swaps the two innermost axes.
template <class T, std::size_t N>
Pull<T, N> transpose(const Pull<T, N>& p) {
  static_assert(N >= 2, "hasten::transpose: needs an array of rank 2 or more: it swaps two axes");
  return transpose_on<-2, -1>(p);
}
/// Reverses axis D.
template <int D, class T, std::size_t N>
Pull<T, N> reverse_on(const Pull<T, N>& p) {
  return detail::along(p, [](const detail::PullTerms& terms) {
    return detail::reversed(terms, detail::axis_of<D, N>());
  });
}
/// Reverses the innermost axis.
template <class T, std::size_t N>
Pull<T, N> reverse(const Pull<T, N>& p) {
  return reverse_on<-1>(p);
}
/// The first n elements along axis D; all of them if there are fewer.
template <int D, class T, std::size_t N>
Pull<T, N> take_on(const detail::Extent& n, const Pull<T, N>& p) {
  return detail::along(p, [&](const detail::PullTerms& terms) {
    return detail::taken(terms, detail::axis_of<D, N>(), n.term());
  });
}
/// The first n elements along the innermost axis; all of them if there are fewer.
template <class T, std::size_t N>
Pull<T, N> take(const detail::Extent& n, const Pull<T, N>& p) {
  return take_on<-1>(n, p);
}
/// All but the first n elements, along axis D.
template <int D, class T, std::size_t N>
Pull<T, N> drop_on(const detail::Extent& n, const Pull<T, N>& p) {
  return detail::along(p, [&](const detail::PullTerms& terms) {
    return detail::dropped(terms, detail::axis_of<D, N>(), n.term());
  });
}
/// All but the first n elements, along the innermost axis.
template <class T, std::size_t N>
Pull<T, N> drop(const detail::Extent& n, const Pull<T, N>& p) {
  return drop_on<-1>(n, p);
}

}  // namespace hasten
