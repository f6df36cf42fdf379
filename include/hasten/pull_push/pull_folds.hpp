// Folds of pull arrays. Each is one kernel, as force is, and returns an array. Elements are
// computed where they are folded.
#pragma once

#include <hasten/operations/folds.hpp>
#include <hasten/pull_push/pull.hpp>

namespace hasten {

/// Folds as of arrays: along the innermost axis, along axis D, and over all elements.
template <class F, class Z, class T, std::size_t N>
auto fold(F f, const Z& z, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return fold(std::move(f), z, detail::delayed(p, {"fold", where}), where);
}
template <int D, class F, class Z, class T, std::size_t N>
auto fold_on(F f, const Z& z, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return fold_on<D>(std::move(f), z, detail::delayed(p, {"fold_on", where}), where);
}
template <class F, class Z, class T, std::size_t N>
auto fold_all(F f, const Z& z, const Pull<T, N>& p,
              detail::Where where = detail::Where::current()) {
  return fold_all(std::move(f), z, detail::delayed(p, {"fold_all", where}), where);
}

/// Folds without a seed; an empty axis is a ShapeError.
template <class F, class T, std::size_t N>
auto fold1(F f, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return fold1(std::move(f), detail::delayed(p, {"fold1", where}), where);
}
template <int D, class F, class T, std::size_t N>
auto fold1_on(F f, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return fold1_on<D>(std::move(f), detail::delayed(p, {"fold1_on", where}), where);
}
template <class F, class T, std::size_t N>
auto fold1_all(F f, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return fold1_all(std::move(f), detail::delayed(p, {"fold1_all", where}), where);
}

/// The sum; sum<R>(p) adds in the type R.
template <class R = detail::OwnType, class T, std::size_t N>
auto sum(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return sum<R>(detail::delayed(p, {"sum", where}), where);
}
template <int D, class R = detail::OwnType, class T, std::size_t N>
auto sum_on(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return sum_on<D, R>(detail::delayed(p, {"sum_on", where}), where);
}
template <class R = detail::OwnType, class T, std::size_t N>
auto sum_all(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return sum_all<R>(detail::delayed(p, {"sum_all", where}), where);
}

/// The product; product<R>(p) multiplies in the type R.
template <class R = detail::OwnType, class T, std::size_t N>
auto product(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return product<R>(detail::delayed(p, {"product", where}), where);
}
template <int D, class R = detail::OwnType, class T, std::size_t N>
auto product_on(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return product_on<D, R>(detail::delayed(p, {"product_on", where}), where);
}
template <class R = detail::OwnType, class T, std::size_t N>
auto product_all(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return product_all<R>(detail::delayed(p, {"product_all", where}), where);
}

/// The least element; an empty axis is a ShapeError.
template <class T, std::size_t N>
auto minimum(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return minimum(detail::delayed(p, {"minimum", where}), where);
}
template <int D, class T, std::size_t N>
auto minimum_on(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return minimum_on<D>(detail::delayed(p, {"minimum_on", where}), where);
}
template <class T, std::size_t N>
auto minimum_all(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return minimum_all(detail::delayed(p, {"minimum_all", where}), where);
}

/// The greatest element; an empty axis is a ShapeError.
template <class T, std::size_t N>
auto maximum(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return maximum(detail::delayed(p, {"maximum", where}), where);
}
template <int D, class T, std::size_t N>
auto maximum_on(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return maximum_on<D>(detail::delayed(p, {"maximum_on", where}), where);
}
template <class T, std::size_t N>
auto maximum_all(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return maximum_all(detail::delayed(p, {"maximum_all", where}), where);
}

/// The position of the first least element.
template <class T, std::size_t N>
auto argmin(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return argmin(detail::delayed(p, {"argmin", where}), where);
}
template <int D, class T, std::size_t N>
auto argmin_on(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return argmin_on<D>(detail::delayed(p, {"argmin_on", where}), where);
}
template <class T, std::size_t N>
auto argmin_all(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return argmin_all(detail::delayed(p, {"argmin_all", where}), where);
}

/// The position of the first greatest element.
template <class T, std::size_t N>
auto argmax(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return argmax(detail::delayed(p, {"argmax", where}), where);
}
template <int D, class T, std::size_t N>
auto argmax_on(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return argmax_on<D>(detail::delayed(p, {"argmax_on", where}), where);
}
template <class T, std::size_t N>
auto argmax_all(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return argmax_all(detail::delayed(p, {"argmax_all", where}), where);
}

/// The number of elements that satisfy the predicate.
template <class P, class T, std::size_t N>
auto count(P test, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return count(std::move(test), detail::delayed(p, {"count", where}), where);
}
template <int D, class P, class T, std::size_t N>
auto count_on(P test, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return count_on<D>(std::move(test), detail::delayed(p, {"count_on", where}), where);
}
template <class P, class T, std::size_t N>
auto count_all(P test, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return count_all(std::move(test), detail::delayed(p, {"count_all", where}), where);
}

/// Whether all elements satisfy the predicate.
template <class P, class T, std::size_t N>
auto all_of(P test, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return all_of(std::move(test), detail::delayed(p, {"all_of", where}), where);
}
template <int D, class P, class T, std::size_t N>
auto all_of_on(P test, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return all_of_on<D>(std::move(test), detail::delayed(p, {"all_of_on", where}), where);
}
template <class P, class T, std::size_t N>
auto all_of_all(P test, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return all_of_all(std::move(test), detail::delayed(p, {"all_of_all", where}), where);
}

/// Whether any element satisfies the predicate.
template <class P, class T, std::size_t N>
auto any_of(P test, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return any_of(std::move(test), detail::delayed(p, {"any_of", where}), where);
}
template <int D, class P, class T, std::size_t N>
auto any_of_on(P test, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return any_of_on<D>(std::move(test), detail::delayed(p, {"any_of_on", where}), where);
}
template <class P, class T, std::size_t N>
auto any_of_all(P test, const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return any_of_all(std::move(test), detail::delayed(p, {"any_of_all", where}), where);
}

}  // namespace hasten
