// Constructors of arrays in programs: use, unit, fill, generate, iota, enum_from_n.
#pragma once

#include <hasten/detail/array_groups.hpp>
#include <hasten/detail/lift_arrays.hpp>
#include <hasten/detail/terms/array.hpp>

namespace hasten {

/// A host array, or a group of host arrays, with its present elements.
template <detail::HostArrays H>
auto use(const H& arrays, detail::Where where = detail::Where::current()) {
  return detail::use_arrays(arrays, where);
}

/// A rank-0 array of this element.
template <class X>
  requires detail::Liftable<X>
Acc<Scalar<detail::Lifted<X>>> unit(const X& element,
                                    detail::Where where = detail::Where::current()) {
  return detail::acc_of<detail::Lifted<X>, 0>(
      detail::unit(detail::term_of(detail::lift(element)), where));
}

/// An array of this shape whose elements all equal `element`.
template <detail::IndexLike S, class X>
  requires detail::Liftable<X>
auto fill(const S& shape, const X& element, detail::Where where = detail::Where::current()) {
  return detail::acc_of<detail::Lifted<X>, detail::index_rank<S>>(
      detail::fill_array(detail::index_terms(shape, detail::LiteralMode::parameter, where),
                         detail::term_of(detail::lift(element)), where));
}

/// The array of this shape whose element at ix is f(ix). At rank 1, f receives an Exp<int64_t>.
template <detail::IndexLike S, class F>
auto generate(const S& shape, F f, detail::Where where = detail::Where::current()) {
  constexpr std::size_t N = detail::index_rank<S>;
  detail::check_function<F, Exp<detail::IndexElement<N>>>();
  auto traced = detail::trace_index<N>("generate", where, f);
  using T = typename decltype(traced)::Result;
  return detail::acc_of<T, N>(
      detail::generate(detail::index_terms(shape, detail::LiteralMode::parameter, where),
                       std::move(traced.fn), detail::element_type<T>(), where));
}

/// An array of this shape with the elements start, start + step, ... in row-major order.
template <detail::IndexLike S, detail::Liftable X, detail::Liftable Y>
auto enum_from_step_n(const S& shape, const X& start, const Y& step,
                      detail::Where where = detail::Where::current()) {
  // Beside an Exp, a number takes its type. If both are plain, the step takes the type of the
  // start.
  using T = detail::Lifted<std::conditional_t<detail::is_exp<Y>, Y, X>>;
  static_assert(detail::converts_to<X, T> && detail::converts_to<Y, T>,
                "hasten::enum_from_step_n: start and step must have one type: cast<T>(e) one");
  static_assert(detail::is_numeric_leaf<T>, "hasten: counting needs integers or floating numbers");
  return detail::acc_of<T, detail::index_rank<S>>(
      detail::enumerate(detail::index_terms(shape, detail::LiteralMode::parameter, where),
                        detail::term_of(detail::exp_as<T>(start, where)),
                        detail::term_of(detail::exp_as<T>(step, where)), where));
}

/// An array of this shape with the elements start, start + 1, ... in row-major order.
template <detail::IndexLike S, class X>
  requires detail::Liftable<X>
auto enum_from_n(const S& shape, const X& start, detail::Where where = detail::Where::current()) {
  using T = detail::Lifted<X>;
  static_assert(detail::is_numeric_leaf<T>, "hasten: counting needs integers or floating numbers");
  return detail::acc_of<T, detail::index_rank<S>>(
      detail::enumerate(detail::index_terms(shape, detail::LiteralMode::parameter, where),
                        detail::term_of(detail::lift(start)), detail::Term{}, where));
}

/// The vector 0, 1, ..., n - 1.
template <class T = std::int64_t>
Acc<Vector<T>> iota(const detail::Extent& n, detail::Where where = detail::Where::current()) {
  static_assert(detail::is_numeric_leaf<T>, "hasten: counting needs integers or floating numbers");
  const detail::Term zero = detail::literal(T(0), detail::LiteralMode::baked);
  return detail::acc_of<T, 1>(detail::enumerate({n.term()}, zero, detail::Term{}, where));
}

}  // namespace hasten
