// Acc<Array<T, N>>: an array computation.
#pragma once

#include <hasten/array/array.hpp>
#include <hasten/detail/array_operators.hpp>
#include <hasten/detail/hints.hpp>
#include <hasten/detail/lift.hpp>

namespace hasten::detail {

/// The T and N of an array type.
template <class A>
struct ArrayOf;
template <class T, std::size_t N>
struct ArrayOf<Array<T, N>> {
  using Element = T;
  static constexpr std::size_t rank = N;
};
template <class A>
struct ArrayOf<Acc<A>> : ArrayOf<A> {};
template <class A>
using ElementOf = typename ArrayOf<A>::Element;
template <class A>
inline constexpr std::size_t rank_of_array = ArrayOf<A>::rank;

template <class T, std::size_t N>
Acc<Array<T, N>> acc_of(Term term) {
  return Access::make<Acc<Array<T, N>>>(std::move(term));
}
template <class T, std::size_t N>
Term term_of(const Acc<Array<T, N>>& a) {
  const Term& term = Access::term(a);
  return term ? term : use_array(element_type<T>(), Access::host(Array<T, N>{}), Where{});
}

}  // namespace hasten::detail

namespace hasten {

/// An array computation: a regular value. Acc<A>{} is A{}.
template <class A>
class Acc {
  static_assert(detail::always_false<A>,
                "hasten: Acc<A> needs an array type: Acc<Array<T, N>>, Acc<Vector<T>>, "
                "Acc<Matrix<T>>, Acc<Scalar<T>>");
};

template <class T, std::size_t N>
class Acc<Array<T, N>> : public detail::ArrayOperators<T, N> {
 public:
  using value_type = Array<T, N>;
  using element_type = T;
  static constexpr std::size_t rank = N;

  Acc() = default;
  template <class S, std::size_t M,
            class Hint = hint::types_and_ranks_never_mix_cast_elements_or_reshape>
    requires(M != N || !std::is_same_v<S, T>)
  explicit(false) Acc(const Acc<Array<S, M>>& other) = delete;  // hasten: cast, reshape, replicate
  template <class S, std::size_t M, class Hint = hint::bring_host_arrays_in_with_use>
  explicit(false) Acc(const Array<S, M>& array) = delete;  // hasten: use(array)

  template <class B>
    requires std::is_same_v<B, bool>
  explicit operator B() const {
    static_assert(!std::is_same_v<B, bool>,
                  "hasten: an Acc has no value while the program is built, so `if (a == b)` cannot "
                  "work: compare what run gives, choose elements with select or arrays with acond, "
                  "or loop with awhile");
    return false;
  }
  template <class B, class Hint = hint::programs_have_no_values_use_what_run_gives>
    requires(std::is_arithmetic_v<B> && !std::is_same_v<B, bool>)
  explicit operator B() const = delete;  // hasten: run(a) gives the array

  /// The element at an index: an Ix<N> or Exp<Ix<N>>; at rank 1, also any integer.
  template <detail::IndexLike X>
  Exp<T> operator[](const X& index) const {
    static_assert(detail::index_rank<X> == N,
                  "hasten: the index has another rank than the array: give one component per axis");
    if constexpr (detail::index_rank<X> == N) {
      return detail::exp_of<T>(
          detail::index_array(detail::term_of(*this), detail::index_terms(index)));
    } else {
      return Exp<T>();
    }
  }
  /// The element at an index whose components are passed one by one.
  template <detail::IndexScalar... Is>
  Exp<T> operator()(const Is&... index) const {
    static_assert(sizeof...(Is) == N,
                  "hasten: a(i, j, ...) takes one index per axis: the array has another rank");
    const std::array<detail::Term, sizeof...(Is)> terms{detail::index_term(index)...};
    return detail::exp_of<T>(detail::index_array(detail::term_of(*this), terms));
  }
  /// The element at a row-major position.
  template <detail::IndexScalar I>
  [[nodiscard]] Exp<T> linear(const I& i) const {
    return detail::exp_of<T>(detail::index_linear(detail::term_of(*this), detail::index_term(i)));
  }

  // Elementwise; each rebinds this C++ variable only.
  template <class B>
  Acc& operator+=(const B& b) {
    return *this = *this + b;
  }
  template <class B>
  Acc& operator-=(const B& b) {
    return *this = *this - b;
  }
  template <class B>
  Acc& operator*=(const B& b) {
    return *this = *this * b;
  }
  template <class B>
  Acc& operator/=(const B& b) {
    return *this = *this / b;
  }
  template <class B>
  Acc& operator%=(const B& b) {
    return *this = *this % b;
  }
  template <class B>
  Acc& operator&=(const B& b) {
    return *this = *this & b;
  }
  template <class B>
  Acc& operator|=(const B& b) {
    return *this = *this | b;
  }
  template <class B>
  Acc& operator^=(const B& b) {
    return *this = *this ^ b;
  }
  template <class B>
  Acc& operator<<=(const B& b) {
    return *this = *this << b;
  }
  template <class B>
  Acc& operator>>=(const B& b) {
    return *this = *this >> b;
  }

 private:
  friend struct detail::Access;
  explicit Acc(detail::Term term) : term_(std::move(term)) {}
  detail::Term term_;  // null: an empty array, at rank 0 T{}
};

template <class E, class Hint = hint::programs_have_no_values_print_what_run_gives>
  requires(detail::is_acc<E> || detail::is_exp<E>)
std::ostream& operator<<(std::ostream& out, const E& program) = delete;  // hasten: print run(...)

/// The only element of a rank-0 array.
template <class T, std::size_t N>
Exp<T> the(const Acc<Array<T, N>>& a) {
  static_assert(N == 0, "hasten::the: needs an array of rank 0, an Acc<Scalar<T>>: index a[ix]");
  return detail::exp_of<T>(detail::index_array(detail::term_of(a), {}));
}

/// The shape of an array.
template <class T, std::size_t N>
Exp<Ix<N>> shape(const Acc<Array<T, N>>& a) {
  return detail::exp_of<Ix<N>>(detail::tuple_of_i64(detail::extents_of(detail::term_of(a))));
}

/// The number of elements of an array.
template <class T, std::size_t N>
Exp<std::int64_t> size(const Acc<Array<T, N>>& a) {
  return detail::exp_of<std::int64_t>(detail::product_of(detail::extents_of(detail::term_of(a))));
}

}  // namespace hasten
