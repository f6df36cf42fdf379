// Pull<T, N>: an array that is a function of the index. Operations on pull arrays always fuse,
// independently of the cost model; only force() stores them in memory.
#pragma once

#include <hasten/detail/lift_arrays.hpp>
#include <hasten/detail/terms/pull_push.hpp>

#include <utility>

namespace hasten {

/// An extent and a function of the index. Each element is computed once per use, together with the
/// computation that uses it; within one iteration, equal scalar code is shared. A regular value:
/// Pull<T, N>{} is empty, and T{} at rank 0. Any index may be read: beyond the extents, the
/// function determines the result.
template <class T, std::size_t N>
class Pull {
 public:
  using element_type = T;
  static constexpr std::size_t rank = N;

  Pull() : terms_(detail::pull_of(detail::term_of(Acc<Array<T, N>>{}))) {}

  /// The element at an index: an Ix<N> or Exp<Ix<N>>; at rank 1, also any integer.
  template <detail::IndexLike X>
  Exp<T> operator[](const X& index) const {
    static_assert(detail::index_rank<X> == N,
                  "hasten: the index has another rank than the array: give one component per axis");
    if constexpr (detail::index_rank<X> == N) {
      return detail::exp_of<T>(terms_.at(detail::index_terms(index)));
    } else {
      return Exp<T>();
    }
  }
  template <detail::IndexLike X>
    requires(detail::index_rank<X> == N)
  Exp<T> operator()(const X& index) const {
    return (*this)[index];
  }
  /// The element at an index whose components are passed one by one.
  template <detail::IndexScalar... Is>
    requires(N != 1 || sizeof...(Is) != 1)
  Exp<T> operator()(const Is&... index) const {
    static_assert(sizeof...(Is) == N,
                  "hasten: p(i, j, ...) takes one index per axis: the array has another rank");
    const std::array<detail::Term, sizeof...(Is)> terms{detail::index_term(index)...};
    return detail::exp_of<T>(terms_.at(terms));
  }

 private:
  friend struct detail::Access;
  explicit Pull(detail::PullTerms terms) : terms_(std::move(terms)) {}
  detail::PullTerms terms_;
};

}  // namespace hasten

namespace hasten::detail {

template <class T, std::size_t N>
Pull<T, N> pull_of_terms(PullTerms terms) {
  return Access::of_terms<Pull<T, N>>(std::move(terms));
}
template <class T, std::size_t N>
const PullTerms& terms_of(const Pull<T, N>& p) {
  return Access::terms(p);
}

/// The pull array itself, or a pull array of an array's elements.
template <class T, std::size_t N>
const Pull<T, N>& as_pull(const Pull<T, N>& p) {
  return p;
}
template <class T, std::size_t N>
Pull<T, N> as_pull(const Acc<Array<T, N>>& a) {
  return pull_of_terms<T, N>(pull_of(term_of(a)));
}

/// The element type that a function returns for an element or an index.
template <class F, class V>
using ResultElement =
    Lifted<std::remove_cvref_t<decltype(call_with(std::declval<F&>(), std::declval<const V&>()))>>;

/// The pull array of this extent with the elements f(ix).
template <std::size_t N, class F>
auto pull_function(std::vector<Term> extent, F f) {
  using T = ResultElement<F, Exp<IndexElement<N>>>;
  return pull_of_terms<T, N>({extents_from(std::move(extent)), element_type<T>(),
                              [f](std::span<const Term> index) mutable {
                                return term_of(Exp<T>(lift(call_with(f, index_exp<N>(index)))));
                              }});
}

/// A whole pull array in the form that array operations read.
template <class T, std::size_t N>
Acc<Array<T, N>> delayed(const Pull<T, N>& p, const Call& call) {
  return acc_of<T, N>(generate_pull(terms_of(p), call));
}

}  // namespace hasten::detail

namespace hasten {

/// A pull array of the elements of an array, wherever they are. The array itself is computed as its
/// own program says.
template <class T, std::size_t N>
Pull<T, N> pull(const Acc<Array<T, N>>& a) {
  return detail::as_pull(a);
}
/// The pull array of this shape whose element at ix is f(ix). At rank 1, f receives an
/// Exp<int64_t>.
template <detail::IndexLike S, class F>
auto pull(const S& shape, F f, detail::Where where = detail::Where::current()) {
  constexpr std::size_t N = detail::index_rank<S>;
  detail::check_function<F, Exp<detail::IndexElement<N>>>();
  return detail::pull_function<N>(detail::index_terms(shape, detail::LiteralMode::parameter, where),
                                  std::move(f));
}
template <class T, std::size_t N>
Pull<T, N> pull(const Pull<T, N>& p) {
  return p;
}

/// Stores the array in memory, by one kernel.
template <class T, std::size_t N>
Acc<Array<T, N>> force(const Pull<T, N>& p, detail::Where where = detail::Where::current()) {
  return detail::acc_of<T, N>(detail::force_pull(detail::terms_of(p), {"force", where}));
}
/// Computes an array and keeps it in memory, as compute() does.
template <class T, std::size_t N>
Acc<Array<T, N>> force(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  return detail::acc_of<T, N>(detail::compute(detail::term_of(a), where));
}

/// The shape of a pull array.
template <class T, std::size_t N>
Exp<Ix<N>> shape(const Pull<T, N>& p) {
  return detail::exp_of<Ix<N>>(detail::tuple_of_i64(detail::terms_of(p).extent));
}
/// The number of elements of a pull array.
template <class T, std::size_t N>
Exp<std::int64_t> size(const Pull<T, N>& p) {
  return detail::exp_of<std::int64_t>(detail::product_of(detail::terms_of(p).extent));
}

}  // namespace hasten
