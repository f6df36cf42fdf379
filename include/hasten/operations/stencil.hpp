// Stencils, which compute each element from its neighbourhood.
#pragma once

#include <hasten/detail/lift_arrays.hpp>
#include <hasten/detail/terms/stencil.hpp>

/// What a stencil reads beyond the border of an array.
namespace hasten::boundary {

struct Clamp {};
struct Mirror {};
struct Wrap {};
template <class V>
struct Outside {
  V value;
};
template <class F>
struct Function {
  F f;
};

/// The nearest element, axis by axis.
inline constexpr Clamp clamp{};
/// The array reflected at its edges, without repeating them: ... 2 1 0 1 2 ...; repeated as often
/// as needed.
inline constexpr Mirror mirror{};
/// The array repeated periodically, as often as needed.
inline constexpr Wrap wrap{};
/// This value.
template <class V>
Outside<V> outside(const V& value) {
  return {value};
}
/// f of the unmodified index, which is out of range on at least one axis: an Exp<int64_t> at rank
/// 1, else an Exp<Ix<N>>.
template <class F>
Function<F> function(F f) {
  return {std::move(f)};
}

}  // namespace hasten::boundary

namespace hasten::detail {

template <class B>
inline constexpr bool is_boundary = false;
template <>
inline constexpr bool is_boundary<boundary::Clamp> = true;
template <>
inline constexpr bool is_boundary<boundary::Mirror> = true;
template <>
inline constexpr bool is_boundary<boundary::Wrap> = true;
template <class V>
inline constexpr bool is_boundary<boundary::Outside<V>> = true;
template <class F>
inline constexpr bool is_boundary<boundary::Function<F>> = true;

/// The value of an element beyond the border: a constant or a function of the raw index.
template <class T, std::size_t N, class V>
Term beyond_border(const boundary::Outside<V>& boundary, std::span<const Term>,
                   const Where& where) {
  static_assert(converts_to<V, T>,
                "hasten: the value of boundary::outside must convert to the element type of the "
                "array: cast<T>(value)");
  if constexpr (converts_to<V, T>) {
    return converted<T>(boundary.value, where);
  } else {
    return Term{};
  }
}
template <class T, std::size_t N, class F>
Term beyond_border(const boundary::Function<F>& boundary, std::span<const Term> index,
                   const Where& where) {
  F f = boundary.f;
  const auto result = call_with(f, index_exp<N>(index));
  using R = std::remove_cvref_t<decltype(result)>;
  static_assert(converts_to<R, T>,
                "hasten: the result of boundary::function must have the element type of the array: "
                "cast<T>(result)");
  if constexpr (converts_to<R, T>) {
    return converted<T>(result, where);
  } else {
    return Term{};
  }
}

constexpr Border border_of(boundary::Clamp) { return Border::clamp; }
constexpr Border border_of(boundary::Mirror) { return Border::mirror; }
constexpr Border border_of(boundary::Wrap) { return Border::wrap; }

/// The accessor that a stencil's function receives: at(-1, 0) is the element one row above. The
/// index on each axis is that of the result plus the offset.
template <class T, std::size_t N, class B, class Source = Term>
class Neighbours {
 public:
  Neighbours(Source array, B boundary, const std::array<Term, N>& index, const Where& where)
      : array_(std::move(array)),
        boundary_(std::move(boundary)),
        index_(index),
        where_(where) {}

  template <class... Is>
  Exp<T> operator()(const Is&... offsets) const {
    static_assert(sizeof...(Is) == N,
                  "hasten: a stencil's accessor takes one offset per axis of its array");
    static_assert((Integer<Is> && ...),
                  "hasten: the offsets of a stencil are plain integers, known while the program is "
                  "built: to read at computed places index the array");
    if constexpr (sizeof...(Is) == N && (Integer<Is> && ...)) {
      return exp_of<T>(read({number_as<std::int64_t>(offsets, where_)...}));
    } else {
      return Exp<T>();
    }
  }

 private:
  [[nodiscard]] Term read(const std::array<std::int64_t, N>& offsets) const {
    if constexpr (requires { border_of(boundary_); }) {
      return read_neighbour(array_, index_, offsets, border_of(boundary_));
    } else {
      const std::vector<Term> moved = moved_index(index_, offsets);
      return read_inside(array_, moved, offsets, beyond_border<T, N>(boundary_, moved, where_));
    }
  }

  Source array_;  // the functions of a pull array, or an array
  B boundary_;
  std::array<Term, N> index_;
  Where where_;
};

template <std::size_t N, class... Bs>
constexpr auto check_stencil() {
  static_assert(N > 0, "hasten: a stencil needs an array with an axis: rank 1 or more");
  static_assert(
      (is_boundary<Bs> && ...),
      "hasten: the boundary of a stencil is boundary::clamp, mirror, wrap, outside(value) "
      "or function(f), and stands before its array");
}

/// f(index, accessors...) or, if f cannot be called so, f(accessors...).
template <std::size_t N, class F, class... Ats>
decltype(auto) call_at(F& f, const std::array<Term, N>& index, const Ats&... accessors) {
  using Index = Exp<IndexElement<N>>;
  // A test whether a generic lambda takes that many parameters instantiates the lambda and hides
  // the errors in it; therefore the more common form is not tested.
  if constexpr (std::is_invocable_v<F&, const Index&, const Ats&...>) {
    return f(index_exp<N>(index), accessors...);
  } else {
    return call_with_all(f, accessors...);
  }
}

/// The array of this extent with f(at(index)...) at each index.
template <std::size_t N, class F, class... Ats>
auto stencil_array(const Call& call, std::vector<Term> extent, F f, Ats... accessors) {
  auto traced =
      trace(Repeat<std::int64_t, N>{}, call.operation, call.where, [&](const auto&... axes) {
        const std::array<Term, N> index{term_of(axes)...};
        return call_at<N>(f, index, accessors(index)...);
      });
  using R = typename decltype(traced)::Result;
  return acc_of<R, N>(generate(std::move(extent), std::move(traced.fn), element_type<R>(),
                               call.operation, call.where));
}

/// Makes a function from an index to the accessor of an array.
template <class T, std::size_t N, class B>
auto neighbours_of(const Acc<Array<T, N>>& a, const B& boundary, const Where& where) {
  return [array = term_of(a), boundary, where](const std::array<Term, N>& index) {
    return Neighbours<T, N, B>(array, boundary, index, where);
  };
}

}  // namespace hasten::detail

namespace hasten {

/// The array of the same shape whose elements are f of their neighbourhood. f receives an accessor,
/// [](auto at) { return at(-1, 0) + at(1, 0); }, with one offset per axis, which is known while
/// building; an f with two parameters receives the index (at rank 1 an Exp<int64_t>) and then the
/// accessor. An empty array yields an empty one. Work: one f per element.
template <class F, class B, class T, std::size_t N>
auto stencil(F f, const B& boundary, const Acc<Array<T, N>>& a,
             detail::Where where = detail::Where::current()) {
  detail::check_stencil<N, B>();
  return detail::stencil_array<N>({"stencil", where}, detail::extents_of(detail::term_of(a)),
                                  std::move(f), detail::neighbours_of(a, boundary, where));
}

/// Like stencil, on two arrays: f receives an accessor for each; with three parameters, the index
/// comes first. Extents intersect, but each array's boundary applies at its own border.
template <class F, class B, class T, class C, class U, std::size_t N>
auto stencil2(F f, const B& boundary1, const Acc<Array<T, N>>& a1, const C& boundary2,
              const Acc<Array<U, N>>& a2, detail::Where where = detail::Where::current()) {
  detail::check_stencil<N, B, C>();
  const detail::Call call{"stencil2", where};
  return detail::stencil_array<N>(
      call, detail::intersect_extents(detail::term_of(a1), detail::term_of(a2), call), std::move(f),
      detail::neighbours_of(a1, boundary1, where), detail::neighbours_of(a2, boundary2, where));
}

}  // namespace hasten
