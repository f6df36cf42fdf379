// Operations that change an array's shape or the order of its elements.
#pragma once

#include <hasten/detail/lift_arrays.hpp>
#include <hasten/detail/terms/array.hpp>

namespace hasten {

/// In over(...), keeps this axis.
struct Keep {};
inline constexpr Keep keep{};

}  // namespace hasten

namespace hasten::detail {

/// One entry per axis of the larger array.
template <class... Ps>
struct Over {
  std::tuple<Ps...> places;
  static constexpr std::size_t count = sizeof...(Ps);
  static constexpr std::size_t kept = (0 + ... + (std::is_same_v<Ps, Keep> ? 1 : 0));
};

template <class P>
Term place_term(const P& place, LiteralMode mode, const Where& where) {
  if constexpr (std::is_same_v<P, Keep>) {
    return Term{};
  } else {
    return index_term(place, mode, where);
  }
}
template <class... Ps>
std::vector<Term> place_terms(const Over<Ps...>& over, LiteralMode mode, const Where& where) {
  return std::apply(
      [&](const Ps&... places) { return std::vector<Term>{place_term(places, mode, where)...}; },
      over.places);
}

/// The axis that D denotes: counted from the outermost (0) or, if negative, from the innermost
/// (-1).
template <int D, std::size_t N>
constexpr unsigned axis_of() {
  static_assert(D < static_cast<int>(N) && D >= -static_cast<int>(N),
                "hasten: the array has no such axis: its rank is too small");
  return static_cast<unsigned>(D < 0 ? D + static_cast<int>(N) : D);
}

/// A function of a whole array term that preserves type and rank.
template <class T, std::size_t N, class F, class... As>
Acc<Array<T, N>> along(const Acc<Array<T, N>>& a, F f, const As&... args) {
  return acc_of<T, N>(f(term_of(a), args...));
}

}  // namespace hasten::detail

namespace hasten {

/// For replicate and slice: `keep` or a number for each axis of the larger array.
template <class... Ps>
detail::Over<Ps...> over(const Ps&... places) {
  static_assert(((std::is_same_v<Ps, Keep> || detail::IndexScalar<Ps>) && ...),
                "hasten::over: each place is hasten::keep, an integer or an integral Exp");
  return {std::tuple<Ps...>(places...)};
}

/// The same elements in row-major order under another shape; throws ShapeError at run time if the
/// sizes differ.
template <detail::IndexLike S, class T, std::size_t N>
auto reshape(const S& shape, const Acc<Array<T, N>>& a,
             detail::Where where = detail::Where::current()) {
  return detail::acc_of<T, detail::index_rank<S>>(
      detail::reshape(detail::index_terms(shape, detail::LiteralMode::parameter, where),
                      detail::term_of(a), where));
}

/// All elements in row-major order, as a vector.
template <class T, std::size_t N>
Acc<Vector<T>> flatten(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  return detail::acc_of<T, 1>(detail::flatten_array(detail::term_of(a), {"flatten", where}));
}

/// Adds axes of the given extents, along which the array repeats.
template <class... Ps, class T, std::size_t N>
auto replicate(const detail::Over<Ps...>& places, const Acc<Array<T, N>>& a,
               detail::Where where = detail::Where::current()) {
  static_assert(detail::Over<Ps...>::kept == N,
                "hasten::replicate: over(...) must say keep once for each axis of the array: the "
                "array has another rank");
  return detail::acc_of<T, sizeof...(Ps)>(
      detail::replicate(detail::place_terms(places, detail::LiteralMode::parameter, where),
                        detail::term_of(a), where));
}

/// The part of the array at which the given indices are fixed.
template <class... Ps, class T, std::size_t N>
auto slice(const detail::Over<Ps...>& places, const Acc<Array<T, N>>& a,
           detail::Where where = detail::Where::current()) {
  static_assert(sizeof...(Ps) == N,
                "hasten::slice: over(...) must have one place for each axis of the array: the "
                "array has another rank");
  return detail::acc_of<T, detail::Over<Ps...>::kept>(
      detail::slice(detail::place_terms(places, detail::LiteralMode::automatic, where),
                    detail::term_of(a), where));
}

/// The array of this shape whose element at ix is a[f(ix)].
template <detail::IndexLike S, class F, class T, std::size_t N>
auto backpermute(const S& shape, F f, const Acc<Array<T, N>>& a,
                 detail::Where where = detail::Where::current()) {
  constexpr std::size_t M = detail::index_rank<S>;
  const auto source_of = [&](const auto& target) {
    const auto source = detail::call_with(f, target);
    using X = std::remove_cvref_t<decltype(source)>;
    static_assert(detail::IndexLike<X>,
                  "hasten::backpermute: the function must return an index into the source: an "
                  "Ix, an Exp<Ix<N>>, at rank 1 an integer");
    if constexpr (detail::IndexLike<X>) {
      static_assert(detail::index_rank<X> == N,
                    "hasten::backpermute: the function returns an index of another rank than the "
                    "source array");
      if constexpr (detail::index_rank<X> == N) {
        return detail::index_exp<N>(detail::index_terms(source));
      }
    }
  };
  auto traced = detail::trace_index<M>("backpermute", where, source_of);
  return detail::acc_of<T, M>(
      detail::backpermute(detail::index_terms(shape, detail::LiteralMode::parameter, where),
                          std::move(traced.fn), detail::term_of(a), "backpermute", where));
}

/// Swaps axes A and B.
template <int A, int B, class T, std::size_t N>
Acc<Array<T, N>> transpose_on(const Acc<Array<T, N>>& a,
                              detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::swap_axes, detail::axis_of<A, N>(), detail::axis_of<B, N>(),
                       detail::Call{"transpose_on", where});
}
/// Swaps the two innermost axes.
template <class T, std::size_t N>
Acc<Array<T, N>> transpose(const Acc<Array<T, N>>& a,
                           detail::Where where = detail::Where::current()) {
  static_assert(N >= 2, "hasten::transpose: needs an array of rank 2 or more: it swaps two axes");
  return detail::along(a, detail::swap_axes, detail::axis_of<-2, N>(), detail::axis_of<-1, N>(),
                       detail::Call{"transpose", where});
}

/// Reverses axis D.
template <int D, class T, std::size_t N>
Acc<Array<T, N>> reverse_on(const Acc<Array<T, N>>& a,
                            detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::reverse_axis, detail::axis_of<D, N>(),
                       detail::Call{"reverse_on", where});
}
/// Reverses the innermost axis.
template <class T, std::size_t N>
Acc<Array<T, N>> reverse(const Acc<Array<T, N>>& a,
                         detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::reverse_axis, detail::axis_of<-1, N>(),
                       detail::Call{"reverse", where});
}

/// result[i] = a[(i + n) mod extent], along axis D.
template <int D, class T, std::size_t N>
Acc<Array<T, N>> rotate_on(const detail::Extent& n, const Acc<Array<T, N>>& a,
                           detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::rotate_axis, detail::axis_of<D, N>(), n.term(),
                       detail::Call{"rotate_on", where});
}
/// result[i] = a[(i + n) mod extent], along the innermost axis.
template <class T, std::size_t N>
Acc<Array<T, N>> rotate(const detail::Extent& n, const Acc<Array<T, N>>& a,
                        detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::rotate_axis, detail::axis_of<-1, N>(), n.term(),
                       detail::Call{"rotate", where});
}

/// The first n elements along axis D; all of them if there are fewer.
template <int D, class T, std::size_t N>
Acc<Array<T, N>> take_on(const detail::Extent& n, const Acc<Array<T, N>>& a,
                         detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::take_axis, detail::axis_of<D, N>(), n.term(),
                       detail::Call{"take_on", where});
}
/// The first n elements along the innermost axis; all of them if there are fewer.
template <class T, std::size_t N>
Acc<Array<T, N>> take(const detail::Extent& n, const Acc<Array<T, N>>& a,
                      detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::take_axis, detail::axis_of<-1, N>(), n.term(),
                       detail::Call{"take", where});
}

/// All but the first n elements, along axis D.
template <int D, class T, std::size_t N>
Acc<Array<T, N>> drop_on(const detail::Extent& n, const Acc<Array<T, N>>& a,
                         detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::drop_axis, detail::axis_of<D, N>(), n.term(),
                       detail::Call{"drop_on", where});
}
/// All but the first n elements, along the innermost axis.
template <class T, std::size_t N>
Acc<Array<T, N>> drop(const detail::Extent& n, const Acc<Array<T, N>>& a,
                      detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::drop_axis, detail::axis_of<-1, N>(), n.term(),
                       detail::Call{"drop", where});
}

/// All but the last element, along axis D.
template <int D, class T, std::size_t N>
Acc<Array<T, N>> init_on(const Acc<Array<T, N>>& a,
                         detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::init_axis, detail::axis_of<D, N>(),
                       detail::Call{"init_on", where});
}
/// All but the last element, along the innermost axis.
template <class T, std::size_t N>
Acc<Array<T, N>> init(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::init_axis, detail::axis_of<-1, N>(), detail::Call{"init", where});
}

/// All but the first element, along axis D.
template <int D, class T, std::size_t N>
Acc<Array<T, N>> tail_on(const Acc<Array<T, N>>& a,
                         detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::tail_axis, detail::axis_of<D, N>(),
                       detail::Call{"tail_on", where});
}
/// All but the first element, along the innermost axis.
template <class T, std::size_t N>
Acc<Array<T, N>> tail(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::tail_axis, detail::axis_of<-1, N>(), detail::Call{"tail", where});
}

/// `length` elements from `start` on along axis D, or as many as there are.
template <int D, class T, std::size_t N>
Acc<Array<T, N>> slit_on(const detail::Extent& start, const detail::Extent& length,
                         const Acc<Array<T, N>>& a,
                         detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::slit_axis, detail::axis_of<D, N>(), start.term(), length.term(),
                       detail::Call{"slit_on", where});
}
/// `length` elements from `start` on along the innermost axis, or as many as there are.
template <class T, std::size_t N>
Acc<Array<T, N>> slit(const detail::Extent& start, const detail::Extent& length,
                      const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  return detail::along(a, detail::slit_axis, detail::axis_of<-1, N>(), start.term(), length.term(),
                       detail::Call{"slit", where});
}

}  // namespace hasten
