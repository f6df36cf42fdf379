// Folds along an axis or over a whole array, and the reductions built on them.
#pragma once

#include <hasten/detail/element_operator.hpp>
#include <hasten/operations/elementwise.hpp>
#include <hasten/operations/shape_ops.hpp>
#include <hasten/scalar/indices.hpp>
#include <hasten/scalar/math.hpp>

namespace hasten::detail {

/// Folds the innermost axis; `seed` may be null (fold1).
template <class F, class T, std::size_t N>
Acc<Array<T, N - 1>> fold_rows(const Call& call, F f, const Term& seed, const Acc<Array<T, N>>& a) {
  return acc_of<T, N - 1>(
      fold(element_operator<T>(call, std::move(f)), seed, term_of(a), call.operation, call.where));
}

// The array with axis D moved innermost, where it is folded.
template <int D, class T, std::size_t N>
Acc<Array<T, N>> folded_on(const Acc<Array<T, N>>& a, const Call& call) {
  return acc_of<T, N>(move_innermost(term_of(a), axis_of<D, N>(), call));
}
template <class T, std::size_t N>
Acc<Vector<T>> whole(const Acc<Array<T, N>>& a, const Call& call) {
  return acc_of<T, 1>(flatten_array(term_of(a), call));
}

/// sum<T>(a) adds in T, sum(a) in the element type.
struct OwnType {};
template <class T, class S, std::size_t N>
auto widened(const Acc<Array<S, N>>& a, const Call& call) {
  if constexpr (std::is_same_v<T, OwnType>) {
    return a;
  } else {
    static_assert(Leaf<T> && Leaf<S> && (is_complex_leaf<T> || !is_complex_leaf<S>),
                  "hasten: sum<T> widens numbers to a primitive type T; complex ones to a complex "
                  "type");
    return acc_of<T, N>(cast_each(term_of(a), LeafOf<T>::value, call));
  }
}

template <class T, class S, std::size_t N>
auto sum_rows(const Call& call, const Acc<Array<S, N>>& a) {
  const auto wide = widened<T>(a, call);
  using R = ElementOf<std::remove_const_t<decltype(wide)>>;
  return fold_rows(
      call, [](const Exp<R>& x, const Exp<R>& y) { return x + y; },
      literal(R{}, LiteralMode::baked), wide);
}
template <class T, class S, std::size_t N>
auto product_rows(const Call& call, const Acc<Array<S, N>>& a) {
  const auto wide = widened<T>(a, call);
  using R = ElementOf<std::remove_const_t<decltype(wide)>>;
  static_assert(is_numeric_leaf<R> || is_complex_leaf<R>,
                "hasten::product: needs an array of numbers");
  return fold_rows(
      call, [](const Exp<R>& x, const Exp<R>& y) { return x * y; },
      literal(R(1), LiteralMode::baked), wide);
}
template <class T, std::size_t N>
auto extremum_rows(ScalarOp op, const Call& call, const Acc<Array<T, N>>& a) {
  return fold_rows(
      call, [op](const Exp<T>& x, const Exp<T>& y) { return extremum(op, x, y); }, Term{}, a);
}

/// Whether y replaces the earlier x: y comes before x, or is the first NaN.
template <class T>
Exp<bool> displaces(ScalarOp before, const Exp<T>& x, const Exp<T>& y) {
  const Exp<bool> better = compare(before, y, x);
  if constexpr (is_floating_leaf<T>) {
    return (better & (x == x)) | ((y != y) & (x == x));
  } else {
    return better;
  }
}
/// The position along the innermost axis of the first least (lt) or greatest (gt) element.
template <class T, std::size_t N>
Acc<Array<std::int64_t, N - 1>> arg_rows(ScalarOp before, const Call& call,
                                         const Acc<Array<T, N>>& a) {
  using Placed = std::pair<std::int64_t, T>;
  const auto placed = elementwise(
      call.operation, call.where,
      [](const auto& ix, const Exp<T>& x) {
        if constexpr (N == 1) {
          return Exp<Placed>(ix, x);
        } else {
          return Exp<Placed>(ix[N - 1], x);
        }
      },
      indices_of<N>(term_of(a), call.where), a);
  const auto best = fold_rows(
      call,
      [before](const Exp<Placed>& x, const Exp<Placed>& y) {
        return hasten::select(displaces(before, get<1>(x), get<1>(y)), y, x);
      },
      Term{}, placed);
  return elementwise(
      call.operation, call.where, [](const Exp<Placed>& x) { return get<0>(x); }, best);
}
template <class T, std::size_t N>
Acc<Scalar<Ix<N>>> arg_all(ScalarOp before, const Call& call, const Acc<Array<T, N>>& a) {
  const auto position = arg_rows(before, call, whole(a, call));
  const Exp<Ix<N>> extents = shape(a);
  return elementwise(
      call.operation, call.where,
      [extents](const Exp<std::int64_t>& i) { return Exp<Ix<N>>(from_index(extents, i)); },
      position);
}

template <std::size_t N, class P, class T>
Acc<Array<bool, N>> tests(const Call& call, P p, const Acc<Array<T, N>>& a) {
  auto traced = trace_element<T>(call.operation, call.where, p);
  condition_must_be_bool<typename decltype(traced)::Result>();
  return acc_of<bool, N>(
      map(std::move(traced.fn), element_type<bool>(), term_of(a), call.operation, call.where));
}
/// The predicate for arrays of bool.
inline constexpr auto itself = [](const auto& x) { return x; };

template <class P, class T, std::size_t N>
auto count_rows(const Call& call, P p, const Acc<Array<T, N>>& a) {
  return sum_rows<std::int64_t>(call, tests<N>(call, p, a));
}
/// Combines the tests with & (from true) or | (from false).
template <class P, class T, std::size_t N>
auto join_rows(ScalarOp op, const Call& call, P p, const Acc<Array<T, N>>& a) {
  return fold_rows(
      call, [op](const Exp<bool>& x, const Exp<bool>& y) { return prim2(op, x, y); },
      literal(op == ScalarOp::and_, LiteralMode::baked), tests<N>(call, p, a));
}

}  // namespace hasten::detail

namespace hasten {
/// Folds the innermost axis with an associative f, in order. The seed is used once, on the left.
template <class F, class Z, class T, std::size_t N>
auto fold(F f, const Z& z, const Acc<Array<T, N>>& a,
          detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  detail::check_operator<F, T>();
  const detail::Call call{"fold", where};
  return detail::fold_rows(call, std::move(f), detail::seed_term<T>(z, where), a);
}
/// Like fold, along axis D.
template <int D, class F, class Z, class T, std::size_t N>
auto fold_on(F f, const Z& z, const Acc<Array<T, N>>& a,
             detail::Where where = detail::Where::current()) {
  detail::check_operator<F, T>();
  const detail::Call call{"fold_on", where};
  return detail::fold_rows(call, std::move(f), detail::seed_term<T>(z, where),
                           detail::folded_on<D>(a, call));
}
/// Folds all elements, in row-major order.
template <class F, class Z, class T, std::size_t N>
auto fold_all(F f, const Z& z, const Acc<Array<T, N>>& a,
              detail::Where where = detail::Where::current()) {
  detail::check_operator<F, T>();
  const detail::Call call{"fold_all", where};
  return detail::fold_rows(call, std::move(f), detail::seed_term<T>(z, where),
                           detail::whole(a, call));
}
/// Folds the innermost axis without a seed; an empty axis is a ShapeError.
template <class F, class T, std::size_t N>
auto fold1(F f, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  detail::check_operator<F, T>();
  const detail::Call call{"fold1", where};
  return detail::fold_rows(call, std::move(f), detail::Term{}, a);
}
/// Like fold1, along axis D.
template <int D, class F, class T, std::size_t N>
auto fold1_on(F f, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_operator<F, T>();
  const detail::Call call{"fold1_on", where};
  return detail::fold_rows(call, std::move(f), detail::Term{}, detail::folded_on<D>(a, call));
}
/// Folds all elements in row-major order, without a seed; an empty array is a ShapeError.
template <class F, class T, std::size_t N>
auto fold1_all(F f, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_operator<F, T>();
  const detail::Call call{"fold1_all", where};
  return detail::fold_rows(call, std::move(f), detail::Term{}, detail::whole(a, call));
}

/// The sum along the innermost axis; sum<R>(a) adds in the type R.
template <class R = detail::OwnType, class T, std::size_t N>
auto sum(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"sum", where};
  return detail::sum_rows<R>(call, a);
}
/// Like sum, along axis D.
template <int D, class R = detail::OwnType, class T, std::size_t N>
auto sum_on(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"sum_on", where};
  return detail::sum_rows<R>(call, detail::folded_on<D>(a, call));
}
/// The sum of all elements.
template <class R = detail::OwnType, class T, std::size_t N>
auto sum_all(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"sum_all", where};
  return detail::sum_rows<R>(call, detail::whole(a, call));
}
/// The product along the innermost axis; product<R>(a) multiplies in the type R.
template <class R = detail::OwnType, class T, std::size_t N>
auto product(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"product", where};
  return detail::product_rows<R>(call, a);
}
/// Like product, along axis D.
template <int D, class R = detail::OwnType, class T, std::size_t N>
auto product_on(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"product_on", where};
  return detail::product_rows<R>(call, detail::folded_on<D>(a, call));
}
/// The product of all elements.
template <class R = detail::OwnType, class T, std::size_t N>
auto product_all(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"product_all", where};
  return detail::product_rows<R>(call, detail::whole(a, call));
}
/// The smallest element along the innermost axis; an empty axis is a ShapeError.
template <class T, std::size_t N>
auto minimum(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"minimum", where};
  return detail::extremum_rows(detail::ScalarOp::min, call, a);
}
/// Like minimum, along axis D.
template <int D, class T, std::size_t N>
auto minimum_on(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"minimum_on", where};
  return detail::extremum_rows(detail::ScalarOp::min, call, detail::folded_on<D>(a, call));
}
/// The smallest of all elements; an empty array is a ShapeError.
template <class T, std::size_t N>
auto minimum_all(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"minimum_all", where};
  return detail::extremum_rows(detail::ScalarOp::min, call, detail::whole(a, call));
}
/// The largest element along the innermost axis; an empty axis is a ShapeError.
template <class T, std::size_t N>
auto maximum(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"maximum", where};
  return detail::extremum_rows(detail::ScalarOp::max, call, a);
}
/// Like maximum, along axis D.
template <int D, class T, std::size_t N>
auto maximum_on(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"maximum_on", where};
  return detail::extremum_rows(detail::ScalarOp::max, call, detail::folded_on<D>(a, call));
}
/// The largest of all elements; an empty array is a ShapeError.
template <class T, std::size_t N>
auto maximum_all(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"maximum_all", where};
  return detail::extremum_rows(detail::ScalarOp::max, call, detail::whole(a, call));
}
/// The position of the first smallest element along the innermost axis.
template <class T, std::size_t N>
auto argmin(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"argmin", where};
  return detail::arg_rows(detail::ScalarOp::lt, call, a);
}
/// Like argmin, along axis D.
template <int D, class T, std::size_t N>
auto argmin_on(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"argmin_on", where};
  return detail::arg_rows(detail::ScalarOp::lt, call, detail::folded_on<D>(a, call));
}
/// The index of the first smallest element in the whole array.
template <class T, std::size_t N>
Acc<Scalar<Ix<N>>> argmin_all(const Acc<Array<T, N>>& a,
                              detail::Where where = detail::Where::current()) {
  return detail::arg_all(detail::ScalarOp::lt, detail::Call{"argmin_all", where}, a);
}
/// The position of the first largest element along the innermost axis.
template <class T, std::size_t N>
auto argmax(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"argmax", where};
  return detail::arg_rows(detail::ScalarOp::gt, call, a);
}
/// Like argmax, along axis D.
template <int D, class T, std::size_t N>
auto argmax_on(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"argmax_on", where};
  return detail::arg_rows(detail::ScalarOp::gt, call, detail::folded_on<D>(a, call));
}
/// The index of the first largest element in the whole array.
template <class T, std::size_t N>
Acc<Scalar<Ix<N>>> argmax_all(const Acc<Array<T, N>>& a,
                              detail::Where where = detail::Where::current()) {
  return detail::arg_all(detail::ScalarOp::gt, detail::Call{"argmax_all", where}, a);
}

// With a predicate, and on arrays of bool.

/// The number of elements along the innermost axis that satisfy p.
template <class P, class T, std::size_t N>
auto count(P p, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"count", where};
  return detail::count_rows(call, p, a);
}
/// Like count, along axis D.
template <int D, class P, class T, std::size_t N>
auto count_on(P p, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"count_on", where};
  return detail::count_rows(call, p, detail::folded_on<D>(a, call));
}
/// The number of all elements that satisfy p.
template <class P, class T, std::size_t N>
auto count_all(P p, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"count_all", where};
  return detail::count_rows(call, p, detail::whole(a, call));
}
/// The number of true elements along the innermost axis.
template <std::size_t N>
auto count(const Acc<Array<bool, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"count", where};
  return detail::count_rows(call, detail::itself, a);
}
/// Like count of an array of bool, along axis D.
template <int D, std::size_t N>
auto count_on(const Acc<Array<bool, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"count_on", where};
  return detail::count_rows(call, detail::itself, detail::folded_on<D>(a, call));
}
/// The number of all true elements.
template <std::size_t N>
auto count_all(const Acc<Array<bool, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"count_all", where};
  return detail::count_rows(call, detail::itself, detail::whole(a, call));
}
/// Whether all elements along the innermost axis satisfy p; true for an empty axis.
template <class P, class T, std::size_t N>
auto all_of(P p, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"all_of", where};
  return detail::join_rows(detail::ScalarOp::and_, call, p, a);
}
/// Like all_of, along axis D.
template <int D, class P, class T, std::size_t N>
auto all_of_on(P p, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"all_of_on", where};
  return detail::join_rows(detail::ScalarOp::and_, call, p, detail::folded_on<D>(a, call));
}
/// Whether all elements of the array satisfy p.
template <class P, class T, std::size_t N>
auto all_of_all(P p, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"all_of_all", where};
  return detail::join_rows(detail::ScalarOp::and_, call, p, detail::whole(a, call));
}
/// Whether all elements along the innermost axis are true.
template <std::size_t N>
auto all_of(const Acc<Array<bool, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"all_of", where};
  return detail::join_rows(detail::ScalarOp::and_, call, detail::itself, a);
}
/// Like all_of of an array of bool, along axis D.
template <int D, std::size_t N>
auto all_of_on(const Acc<Array<bool, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"all_of_on", where};
  return detail::join_rows(detail::ScalarOp::and_, call, detail::itself,
                           detail::folded_on<D>(a, call));
}
/// Whether all elements of the array are true.
template <std::size_t N>
auto all_of_all(const Acc<Array<bool, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"all_of_all", where};
  return detail::join_rows(detail::ScalarOp::and_, call, detail::itself, detail::whole(a, call));
}
/// Whether any element along the innermost axis satisfies p; false for an empty axis.
template <class P, class T, std::size_t N>
auto any_of(P p, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"any_of", where};
  return detail::join_rows(detail::ScalarOp::or_, call, p, a);
}
/// Like any_of, along axis D.
template <int D, class P, class T, std::size_t N>
auto any_of_on(P p, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"any_of_on", where};
  return detail::join_rows(detail::ScalarOp::or_, call, p, detail::folded_on<D>(a, call));
}
/// Whether any element of the array satisfies p.
template <class P, class T, std::size_t N>
auto any_of_all(P p, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"any_of_all", where};
  return detail::join_rows(detail::ScalarOp::or_, call, p, detail::whole(a, call));
}
/// Whether any element along the innermost axis is true.
template <std::size_t N>
auto any_of(const Acc<Array<bool, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  const detail::Call call{"any_of", where};
  return detail::join_rows(detail::ScalarOp::or_, call, detail::itself, a);
}
/// Like any_of of an array of bool, along axis D.
template <int D, std::size_t N>
auto any_of_on(const Acc<Array<bool, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"any_of_on", where};
  return detail::join_rows(detail::ScalarOp::or_, call, detail::itself,
                           detail::folded_on<D>(a, call));
}
/// Whether any element of the array is true.
template <std::size_t N>
auto any_of_all(const Acc<Array<bool, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"any_of_all", where};
  return detail::join_rows(detail::ScalarOp::or_, call, detail::itself, detail::whole(a, call));
}

}  // namespace hasten
