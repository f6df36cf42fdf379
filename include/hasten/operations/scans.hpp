// Scans: an operator applied to all prefixes of an axis, from the left or from the right.
//
// The operator must be associative and need not commute; order is kept. A seed converts to the
// element type, is used once and need not be neutral. Work: n calls of the operator per row.
#pragma once

#include <hasten/detail/terms/scan.hpp>
#include <hasten/operations/shape_ops.hpp>

namespace hasten::detail {

template <int D, class F, class T, std::size_t N>
Acc<Array<T, N>> scan_array(const Call& call, ScanForm form, F f, const Term& seed,
                            const Acc<Array<T, N>>& a) {
  check_axis<N>();
  return acc_of<T, N>(scan_axis(element_operator<T>(call, std::move(f), form.from), seed,
                                term_of(a), axis_of<D, N>(), form, call));
}

template <class F, class T, std::size_t N>
auto scan_split_array(const Call& call, Side from, F f, const Term& seed,
                      const Acc<Array<T, N>>& a) {
  check_axis<N>();
  const SplitScan split =
      scan_split(element_operator<T>(call, std::move(f), from), seed, term_of(a), from, call);
  return std::pair{acc_of<T, N>(split.before), acc_of<T, N - 1>(split.total)};
}

}  // namespace hasten::detail

namespace hasten {

/// z, z f x0, z f x0 f x1, ... along the innermost axis: n + 1 elements; for an empty axis, z.
template <class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> scanl(F f, const Z& z, const Acc<Array<T, N>>& a,
                       detail::Where where = detail::Where::current()) {
  return detail::scan_array<-1>({"scanl", where}, {detail::Side::left, detail::Prefixes::all},
                                std::move(f), detail::seed_term<T>(z, where), a);
}

/// Like scanl, along axis D.
template <int D, class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> scanl_on(F f, const Z& z, const Acc<Array<T, N>>& a,
                          detail::Where where = detail::Where::current()) {
  return detail::scan_array<D>({"scanl_on", where}, {detail::Side::left, detail::Prefixes::all},
                               std::move(f), detail::seed_term<T>(z, where), a);
}

/// z, z f x0, ... along the innermost axis: n elements, each excluding its own (exclusive scan).
template <class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> prescanl(F f, const Z& z, const Acc<Array<T, N>>& a,
                          detail::Where where = detail::Where::current()) {
  return detail::scan_array<-1>({"prescanl", where}, {detail::Side::left, detail::Prefixes::before},
                                std::move(f), detail::seed_term<T>(z, where), a);
}

/// Like prescanl, along axis D.
template <int D, class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> prescanl_on(F f, const Z& z, const Acc<Array<T, N>>& a,
                             detail::Where where = detail::Where::current()) {
  return detail::scan_array<D>({"prescanl_on", where},
                               {detail::Side::left, detail::Prefixes::before}, std::move(f),
                               detail::seed_term<T>(z, where), a);
}

/// z f x0, z f x0 f x1, ... along the innermost axis: n elements (inclusive scan).
template <class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> postscanl(F f, const Z& z, const Acc<Array<T, N>>& a,
                           detail::Where where = detail::Where::current()) {
  return detail::scan_array<-1>({"postscanl", where}, {detail::Side::left, detail::Prefixes::with},
                                std::move(f), detail::seed_term<T>(z, where), a);
}

/// Like postscanl, along axis D.
template <int D, class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> postscanl_on(F f, const Z& z, const Acc<Array<T, N>>& a,
                              detail::Where where = detail::Where::current()) {
  return detail::scan_array<D>({"postscanl_on", where},
                               {detail::Side::left, detail::Prefixes::with}, std::move(f),
                               detail::seed_term<T>(z, where), a);
}

/// x0, x0 f x1, ... along the innermost axis: n elements.
template <class F, class T, std::size_t N>
Acc<Array<T, N>> scanl1(F f, const Acc<Array<T, N>>& a,
                        detail::Where where = detail::Where::current()) {
  return detail::scan_array<-1>({"scanl1", where}, {detail::Side::left, detail::Prefixes::all},
                                std::move(f), detail::Term{}, a);
}

/// Like scanl1, along axis D.
template <int D, class F, class T, std::size_t N>
Acc<Array<T, N>> scanl1_on(F f, const Acc<Array<T, N>>& a,
                           detail::Where where = detail::Where::current()) {
  return detail::scan_array<D>({"scanl1_on", where}, {detail::Side::left, detail::Prefixes::all},
                               std::move(f), detail::Term{}, a);
}

/// The pair (prescanl, the total of each row including the seed).
template <class F, class Z, class T, std::size_t N>
auto scanl_split(F f, const Z& z, const Acc<Array<T, N>>& a,
                 detail::Where where = detail::Where::current()) {
  return detail::scan_split_array({"scanl_split", where}, detail::Side::left, std::move(f),
                                  detail::seed_term<T>(z, where), a);
}

/// ..., x(n-1) f z, z along the innermost axis: n + 1 elements; for an empty axis, z.
template <class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> scanr(F f, const Z& z, const Acc<Array<T, N>>& a,
                       detail::Where where = detail::Where::current()) {
  return detail::scan_array<-1>({"scanr", where}, {detail::Side::right, detail::Prefixes::all},
                                std::move(f), detail::seed_term<T>(z, where), a);
}

/// Like scanr, along axis D.
template <int D, class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> scanr_on(F f, const Z& z, const Acc<Array<T, N>>& a,
                          detail::Where where = detail::Where::current()) {
  return detail::scan_array<D>({"scanr_on", where}, {detail::Side::right, detail::Prefixes::all},
                               std::move(f), detail::seed_term<T>(z, where), a);
}

/// ..., x(n-1) f z, z along the innermost axis: n elements, each excluding its own.
template <class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> prescanr(F f, const Z& z, const Acc<Array<T, N>>& a,
                          detail::Where where = detail::Where::current()) {
  return detail::scan_array<-1>({"prescanr", where},
                                {detail::Side::right, detail::Prefixes::before}, std::move(f),
                                detail::seed_term<T>(z, where), a);
}

/// Like prescanr, along axis D.
template <int D, class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> prescanr_on(F f, const Z& z, const Acc<Array<T, N>>& a,
                             detail::Where where = detail::Where::current()) {
  return detail::scan_array<D>({"prescanr_on", where},
                               {detail::Side::right, detail::Prefixes::before}, std::move(f),
                               detail::seed_term<T>(z, where), a);
}

/// ..., x(n-2) f x(n-1) f z, x(n-1) f z along the innermost axis: n elements; the seed is on the
/// right.
template <class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> postscanr(F f, const Z& z, const Acc<Array<T, N>>& a,
                           detail::Where where = detail::Where::current()) {
  return detail::scan_array<-1>({"postscanr", where}, {detail::Side::right, detail::Prefixes::with},
                                std::move(f), detail::seed_term<T>(z, where), a);
}

/// Like postscanr, along axis D.
template <int D, class F, class Z, class T, std::size_t N>
Acc<Array<T, N>> postscanr_on(F f, const Z& z, const Acc<Array<T, N>>& a,
                              detail::Where where = detail::Where::current()) {
  return detail::scan_array<D>({"postscanr_on", where},
                               {detail::Side::right, detail::Prefixes::with}, std::move(f),
                               detail::seed_term<T>(z, where), a);
}

/// ..., x(n-2) f x(n-1), x(n-1) along the innermost axis: n elements.
template <class F, class T, std::size_t N>
Acc<Array<T, N>> scanr1(F f, const Acc<Array<T, N>>& a,
                        detail::Where where = detail::Where::current()) {
  return detail::scan_array<-1>({"scanr1", where}, {detail::Side::right, detail::Prefixes::all},
                                std::move(f), detail::Term{}, a);
}

/// Like scanr1, along axis D.
template <int D, class F, class T, std::size_t N>
Acc<Array<T, N>> scanr1_on(F f, const Acc<Array<T, N>>& a,
                           detail::Where where = detail::Where::current()) {
  return detail::scan_array<D>({"scanr1_on", where}, {detail::Side::right, detail::Prefixes::all},
                               std::move(f), detail::Term{}, a);
}

/// The pair (prescanr, the total of each row including the seed).
template <class F, class Z, class T, std::size_t N>
auto scanr_split(F f, const Z& z, const Acc<Array<T, N>>& a,
                 detail::Where where = detail::Where::current()) {
  return detail::scan_split_array({"scanr_split", where}, detail::Side::right, std::move(f),
                                  detail::seed_term<T>(z, where), a);
}

}  // namespace hasten
