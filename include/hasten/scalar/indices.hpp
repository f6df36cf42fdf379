// Functions on shapes and indices in scalar code.
#pragma once

#include <hasten/detail/lift_math.hpp>

namespace hasten::detail {

template <class X, class Y>
constexpr auto check_one_rank() {
  static_assert(index_rank<X> == index_rank<Y>,
                "hasten: a shape and an index that belong together have one rank");
}
template <class X, class Y>
auto zip_shapes(ScalarOp op, const X& a, const Y& b) {
  check_one_rank<X, Y>();
  constexpr std::size_t N = index_rank<X>;
  return exp_of<Ix<N>>(zip_leaves(op, tuple_of_i64(index_terms(a)), tuple_of_i64(index_terms(b))));
}

}  // namespace hasten::detail

namespace hasten {

/// The row-major position of an index in a shape.
template <detail::IndexLike S, detail::IndexLike X>
Exp<std::int64_t> to_index(const S& shape, const X& ix) {
  detail::check_one_rank<S, X>();
  return detail::exp_of<std::int64_t>(
      detail::linear_index(detail::index_terms(shape), detail::index_terms(ix)));
}
/// The index at a row-major position.
template <detail::IndexLike S, detail::IndexScalar I>
auto from_index(const S& shape, const I& i) {
  return detail::index_exp<detail::index_rank<S>>(
      detail::index_at(detail::index_terms(shape), detail::index_term(i)));
}
/// The smaller extent of each axis.
template <detail::IndexLike S, detail::IndexLike T>
auto intersect(const S& a, const T& b) {
  return detail::zip_shapes(detail::ScalarOp::min, a, b);
}
/// The larger extent of each axis.
template <detail::IndexLike S, detail::IndexLike T>
auto union_(const S& a, const T& b) {
  return detail::zip_shapes(detail::ScalarOp::max, a, b);
}
/// Whether an index lies within a shape.
template <detail::IndexLike S, detail::IndexLike X>
Exp<bool> in_range(const S& shape, const X& ix) {
  detail::check_one_rank<S, X>();
  return detail::exp_of<bool>(
      detail::index_in_range(detail::index_terms(shape), detail::index_terms(ix)));
}

}  // namespace hasten
