// Operations on push arrays: each changes what the loops write, or where. Pull arrays and arrays
// (Acc) may stand beside push arrays.
#pragma once

#include <hasten/operations/shape_ops.hpp>
#include <hasten/operations/stencil.hpp>
#include <hasten/pull_push/push.hpp>

namespace hasten::detail {

template <class P>
inline constexpr bool is_pushable = is_push<P> || is_pull<P> || is_acc<P>;
/// Arguments that are only arrays, of which at least one is a push or pull array.
template <class... Ps>
concept PushesAmong = ((is_push<Ps> || is_pull<Ps>) || ...) && (is_pushable<Ps> && ...);

template <class P>
using PushOf = std::remove_cvref_t<decltype(as_push(std::declval<const P&>()))>;

/// f(index, x) of each element.
template <class R, std::size_t N, class T, class F>
Push<R, N> map_each(const Push<T, N>& p, F f) {
  return push_of_terms<R, N>(
      map_push(terms_of(p), element_type<R>(),
               [f = std::move(f)](std::span<const Term> index, const Term& x) mutable {
                 return term_of(Exp<R>(lift(f(index, exp_of<T>(x)))));
               }));
}

template <int D, class A, class... As>
auto concat_pushes(const Where& where, const A& a, const As&... rest) {
  using P = PushOf<A>;
  static_assert((std::is_same_v<P, PushOf<As>> && ...),
                "hasten::concat: the arrays must have one element type and one rank");
  if constexpr ((std::is_same_v<P, PushOf<As>> && ...)) {
    check_axis<P::rank>();
    return push_of_terms<typename P::element_type, P::rank>(
        concat(axis_of<D, P::rank>(), {terms_of(as_push(a)), terms_of(as_push(rest))...},
               {"concat", where}));
  } else {
    return P();
  }
}

template <class T, std::size_t N, class F>
Push<T, N> along(const Push<T, N>& p, F f) {
  return push_of_terms<T, N>(f(terms_of(p)));
}

}  // namespace hasten::detail

namespace hasten {

/// f of each element, applied when it is written.
template <class F, class T, std::size_t N>
auto map(F f, const Push<T, N>& p) {
  detail::check_function<F, Exp<T>>();
  using R = detail::ResultElement<F, Exp<T>>;
  return detail::map_each<R>(p, [f](std::span<const detail::Term>, const Exp<T>& x) mutable {
    return detail::call_with(f, x);
  });
}
/// f(ix, x) of each element and the index at which it is written.
template <class F, class T, std::size_t N>
auto imap(F f, const Push<T, N>& p) {
  using Index = Exp<detail::IndexElement<N>>;
  using R = detail::Lifted<std::remove_cvref_t<decltype(detail::call_with_all(
      f, std::declval<const Index&>(), std::declval<const Exp<T>&>()))>>;
  return detail::map_each<R>(p, [f](std::span<const detail::Term> index, const Exp<T>& x) mutable {
    return detail::call_with_all(f, detail::index_exp<N>(index), x);
  });
}

/// Concatenates two or more arrays along the innermost axis, push or pull arrays among them; throws
/// ShapeError at run time if the other extents differ. No element needs a test.
template <class A, class... As>
  requires detail::PushesAmong<A, As...>
auto concat(const A& a, const As&... rest) {
  return detail::concat_pushes<-1>(detail::Where{}, a, rest...);
}
/// Like concat, along axis Axis.
template <int Axis, class A, class... As>
  requires detail::PushesAmong<A, As...>
auto concat_on(const A& a, const As&... rest) {
  return detail::concat_pushes<Axis>(detail::Where{}, a, rest...);
}

/// Interleaves along the innermost axis: the elements of p at even positions, those of q at odd
/// ones; throws ShapeError at run time if the extents differ.
template <class P, class Q>
  requires detail::PushesAmong<P, Q>
auto interleave(const P& p, const Q& q, detail::Where where = detail::Where::current()) {
  using R = detail::PushOf<P>;
  static_assert(std::is_same_v<R, detail::PushOf<Q>>,
                "hasten::interleave: the arrays must have one element type and one rank");
  static_assert(R::rank > 0, "hasten::interleave: needs arrays with an axis");
  return detail::push_of_terms<typename R::element_type, R::rank>(
      detail::interleave(detail::terms_of(detail::as_push(p)), detail::terms_of(detail::as_push(q)),
                         {"interleave", where}));
}

/// Moves each element of p to f(ix) of the shape; f must return every index of the shape exactly
/// once.
template <detail::IndexLike S, class F, class P>
  requires detail::PushesAmong<P> || detail::is_acc<P>
auto permute_bijective(const S& shape, F f, const P& p,
                       detail::Where where = detail::Where::current()) {
  constexpr std::size_t M = detail::index_rank<S>;
  using R = detail::PushOf<P>;
  auto to = [f](std::span<const detail::Term> index) mutable {
    const auto target = detail::call_with(f, detail::index_exp<R::rank>(index));
    using X = std::remove_cvref_t<decltype(target)>;
    static_assert(detail::IndexLike<X>,
                  "hasten::permute_bijective: the function must return an index into the shape: an "
                  "Ix, an Exp<Ix<N>>, at rank 1 an integer");
    static_assert(detail::index_rank<X> == M,
                  "hasten::permute_bijective: the function returns an index of another rank than "
                  "the shape");
    return detail::index_terms(target);
  };
  return detail::push_of_terms<typename R::element_type, M>(detail::permute_push(
      detail::extents_from(detail::index_terms(shape, detail::LiteralMode::parameter, where)),
      detail::terms_of(detail::as_push(p)), to));
}

/// Swaps axes A and B.
template <int A, int B, class T, std::size_t N>
Push<T, N> transpose_on(const Push<T, N>& p) {
  return detail::along(p, [](const detail::PushTerms& terms) {
    return detail::swapped(terms, detail::axis_of<A, N>(), detail::axis_of<B, N>());
  });
}
/// Swaps the two innermost axes.
template <class T, std::size_t N>
Push<T, N> transpose(const Push<T, N>& p) {
  static_assert(N >= 2, "hasten::transpose: needs an array of rank 2 or more: it swaps two axes");
  return transpose_on<-2, -1>(p);
}
/// Reverses axis D.
template <int D, class T, std::size_t N>
Push<T, N> reverse_on(const Push<T, N>& p) {
  return detail::along(p, [](const detail::PushTerms& terms) {
    return detail::reversed(terms, detail::axis_of<D, N>());
  });
}
/// Reverses the innermost axis.
template <class T, std::size_t N>
Push<T, N> reverse(const Push<T, N>& p) {
  return reverse_on<-1>(p);
}

/// Elements that are f of their neighbourhood in a pull array, like stencil() of an array: f
/// receives an accessor with one offset per axis; with two parameters, the index comes first. If it
/// is forced by itself, the interior, which no border can affect, is computed without tests.
template <class F, class B, class T, std::size_t N>
auto stencil(F f, const B& boundary, const Pull<T, N>& p,
             detail::Where where = detail::Where::current()) {
  detail::check_stencil<N, B>();
  auto element = [f, boundary, source = detail::terms_of(p),
                  where](std::span<const detail::Term> components) mutable {
    std::array<detail::Term, N> index;
    std::copy_n(components.begin(), N, index.begin());
    return detail::call_at<N>(
        f, index, detail::Neighbours<T, N, B, detail::PullTerms>(source, boundary, index, where));
  };
  using Element = decltype(element);
  using R = detail::Lifted<std::remove_cvref_t<decltype(std::declval<Element>()({}))>>;
  return detail::push_of_terms<R, N>(
      detail::push_of({detail::terms_of(p).extent, detail::element_type<R>(),
                       [element](std::span<const detail::Term> index) mutable {
                         return detail::term_of(Exp<R>(detail::lift(element(index))));
                       }}));
}

}  // namespace hasten
