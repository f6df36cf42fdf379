// Repetition of an array to a shape.
#pragma once

#include <hasten/array/acc.hpp>
#include <hasten/detail/terms/product.hpp>

namespace hasten {

/// The array repeated to a shape of its rank or more, by NumPy's rule: axes are matched from the
/// innermost outwards. An axis of extent 1 repeats; any other must have the shape's extent, or the
/// run throws a ShapeError. Outer axes that the array lacks are added. Nothing is stored.
template <detail::IndexLike S, class T, std::size_t N>
auto broadcast(const S& shape, const Acc<Array<T, N>>& a,
               detail::Where where = detail::Where::current()) {
  constexpr std::size_t M = detail::index_rank<S>;
  static_assert(M >= N, "hasten::broadcast: the array has more axes than the shape");
  if constexpr (M >= N) {
    return detail::acc_of<T, M>(
        detail::broadcast_array(detail::index_terms(shape, detail::LiteralMode::parameter, where),
                                detail::term_of(a), {"broadcast", where}));
  }
}

}  // namespace hasten
