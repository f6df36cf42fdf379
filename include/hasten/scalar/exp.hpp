// Exp<T>: a scalar computation that yields a T.
#pragma once

#include <hasten/detail/exp_operators.hpp>
#include <hasten/detail/hints.hpp>

namespace hasten::detail {

template <class X, class T>
inline constexpr bool both_complex = false;
template <ComplexLeaf X, ComplexLeaf T>
inline constexpr bool both_complex<X, T> = true;
template <class X, class T>
inline constexpr bool converts_to = std::is_same_v<X, Exp<T>> || std::is_same_v<X, T> ||
                                    (Number<X> && Leaf<T>) || both_complex<X, T>;
template <class L, class M>
inline constexpr bool all_convert = false;
template <class... Xs, class... Ts>
  requires(sizeof...(Xs) == sizeof...(Ts))
inline constexpr bool all_convert<List<Xs...>, List<Ts...>> = (converts_to<Xs, Ts> && ...);
/// Whether a group of Exps, plain numbers and groups can become an Exp<T>.
template <StdGroup X, StdGroup T>
inline constexpr bool converts_to<X, T> =
    std::is_same_v<X, T> || all_convert<Members<X>, Members<T>>;

/// The term of a value that converts to an Exp<T>.
template <class T, class X>
Term converted(const X& x, const Where& where) {
  if constexpr (std::is_same_v<X, Exp<T>>) {
    return term_of(x);
  } else if constexpr (std::is_same_v<X, T>) {
    return literal(x);
  } else if constexpr (Number<X>) {
    return literal(number_as<T>(x, where));
  } else if constexpr (is_complex_leaf<X>) {
    return literal(complex_as<T>(x, where));
  } else if constexpr (Sum<T>) {
    return term_of(Exp<T>(x));
  } else {
    return with_indices<member_count<T>>([&](auto... i) {
      const std::array<Term, sizeof...(i)> members{
          converted<At<i, Members<T>>>(std::get<i>(x), where)...};
      return detail::make_tuple(element_type<T>(), members);
    });
  }
}

template <class T, class L>
struct ExpGroupOf;
template <class T, class... Ms>
struct ExpGroupOf<T, List<Ms...>> {
  using type = typename StdGroupOf<T>::template With<Exp<Ms>...>;
};
/// The std group of the Exps of a group's members.
template <StdGroup T>
using ExpGroup = typename ExpGroupOf<T, Members<T>>::type;

/// An index component, a count or an extent as an i64 term.
template <IndexScalar I>
Term index_term(const I& i, LiteralMode mode = LiteralMode::automatic, const Where& where = {}) {
  if constexpr (Integer<I>) {
    return i64_term(number_as<std::int64_t>(i, where), mode);
  } else if constexpr (is_ix<I>) {
    return i64_term(i[0], mode);
  } else if constexpr (is_integral_exp<I>) {
    return cast_term(term_of(i), ScalarType::i64);
  } else {
    return project(term_of(i), 0);
  }
}

/// A plain integer in brackets, with its source location: operators have none of their own.
class KnownIndex {
 public:
  template <class K>
    requires(std::is_convertible_v<K, std::int64_t> && !std::is_floating_point_v<K>)
  explicit(false) KnownIndex(const K& k, Where where = Where::current())
      : k_(static_cast<std::int64_t>(k)),
        where_(where) {}
  [[nodiscard]] Term of(const Term& group) const { return known_member(group, k_, where_); }

 private:
  std::int64_t k_;
  Where where_;
};

template <class T, class L>
class GroupParts;
/// Constructs a group from its parts.
template <class T, class... Ms>
class GroupParts<T, List<Ms...>> {
 public:
  GroupParts() = default;
  explicit(sizeof...(Ms) == 1) GroupParts(const Exp<Ms>&... parts) {
    const std::array<Term, sizeof...(Ms)> members{term_of(parts)...};
    term_ = detail::make_tuple(element_type<T>(), members);
  }

 protected:
  explicit GroupParts(Term term) : term_(std::move(term)) {}
  Term term_;  // null: T{}
};

template <class S, class L>
class StructParts;
/// Constructs a registered struct from its parts; the parts are the members of its base.
template <class S, class... Ms>
class StructParts<S, List<Ms...>> : public Descriptor<S>::Exps {
 public:
  StructParts() = default;
  explicit(sizeof...(Ms) == 1) StructParts(const Exp<Ms>&... parts)
      : Descriptor<S>::Exps{parts...} {}
};

}  // namespace hasten::detail

namespace hasten {

/// A scalar computation: a regular value. Exp<T>{} is T{}.
template <class T>
class Exp {
  static_assert(detail::is_element<T>,
                "hasten: Exp<T> needs an element type: bool, char, integers of 8 to 64 bits, "
                "half, bfloat16, float, double, std::complex, hasten::Ix, and std::tuple, "
                "std::pair, std::array, std::optional, std::variant and structs registered with "
                "HASTEN_STRUCT of these");
};

template <detail::Leaf T>
class Exp<T> : public detail::LeafOperators<T> {
 public:
  using value_type = T;

  Exp() = default;
  /// A plain number becomes a T; a number that overflows or changes sign is a BuildError.
  template <detail::Number N>
  explicit(false) Exp(N number, detail::Where where = detail::Where::current())
      : term_(detail::literal(detail::number_as<T>(number, where))) {}

  template <class B>
    requires std::is_same_v<B, bool>
  explicit operator B() const {
    static_assert(!std::is_same_v<B, bool>,
                  "hasten: an Exp has no value while the program is built, so `if (e)`, "
                  "`e ? a : b` and `while (e)` cannot work: write select(e, a, b) or "
                  "while_loop(condition, body, init)");
    return false;
  }
  template <class B, class Hint = hint::programs_have_no_values_use_what_run_gives>
    requires(std::is_arithmetic_v<B> && !std::is_same_v<B, bool>)
  explicit operator B() const = delete;  // hasten: run(e) gives the value

  Exp(const Exp&) = default;
  Exp(Exp&&) noexcept = default;
  Exp& operator=(const Exp&) & = default;
  Exp& operator=(Exp&&) & noexcept = default;
  template <class B, class Hint = hint::elements_are_not_assigned_make_an_array_with_generate>
  Exp& operator=(const B&) && = delete;  // hasten: a[i] = x changes nothing, arrays are values
  ~Exp() = default;

  Exp& operator+=(const Exp& b) & { return *this = *this + b; }
  Exp& operator-=(const Exp& b) & { return *this = *this - b; }
  Exp& operator*=(const Exp& b) & { return *this = *this * b; }
  Exp& operator/=(const Exp& b) & { return *this = *this / b; }
  Exp& operator%=(const Exp& b) & { return *this = *this % b; }
  Exp& operator&=(const Exp& b) & { return *this = *this & b; }
  Exp& operator|=(const Exp& b) & { return *this = *this | b; }
  Exp& operator^=(const Exp& b) & { return *this = *this ^ b; }
  Exp& operator<<=(const detail::ShiftCount& n) & { return *this = *this << n; }
  Exp& operator>>=(const detail::ShiftCount& n) & { return *this = *this >> n; }

 private:
  friend struct detail::Access;
  explicit Exp(detail::Term term) : term_(std::move(term)) {}
  detail::Term term_;  // null: T{}
};

/// A computation that yields a complex number.
template <detail::ComplexLeaf T>
class Exp<T> : public detail::ComplexOperators<T> {
  using Part = Exp<typename T::value_type>;

 public:
  using value_type = T;

  Exp() = default;
  explicit(false) Exp(const T& value) : term_(detail::literal(value)) {}
  /// A plain number is the real part.
  template <detail::Number N>
  explicit(false) Exp(N number, detail::Where where = detail::Where::current())
      : term_(detail::literal(detail::number_as<T>(number, where))) {}
  template <detail::ComplexLeaf C>
    requires(!std::is_same_v<C, T>)
  explicit(false) Exp(const C& value, detail::Where where = detail::Where::current())
      : term_(detail::literal(detail::complex_as<T>(value, where))) {}
  /// From the real and the imaginary part.
  Exp(const Part& re, const Part& im)
      : term_(detail::complex_of(detail::term_of(re), detail::term_of(im))) {}

  Exp(const Exp&) = default;
  Exp(Exp&&) noexcept = default;
  Exp& operator=(const Exp&) & = default;
  Exp& operator=(Exp&&) & noexcept = default;
  template <class B, class Hint = hint::elements_are_not_assigned_make_an_array_with_generate>
  Exp& operator=(const B&) && = delete;  // hasten: a[i] = x changes nothing, arrays are values
  ~Exp() = default;

  Exp& operator+=(const Exp& b) & { return *this = *this + b; }
  Exp& operator-=(const Exp& b) & { return *this = *this - b; }
  Exp& operator*=(const Exp& b) & { return *this = *this * b; }
  Exp& operator/=(const Exp& b) & { return *this = *this / b; }

 private:
  friend struct detail::Access;
  explicit Exp(detail::Term term) : term_(std::move(term)) {}
  detail::Term term_;  // null: 0
};

/// A computation of a std::tuple, std::pair or std::array. Take it apart by structured bindings, by
/// hs::get<I>(e), or by conversion to a tuple of Exps.
template <class T>
  requires(detail::StdGroup<T> && detail::is_element<T>)
class Exp<T> : public detail::GroupParts<T, detail::Members<T>>, public detail::GroupOperators<T> {
  using Parts = detail::GroupParts<T, detail::Members<T>>;

 public:
  using value_type = T;
  using Parts::Parts;

  Exp() = default;
  explicit(false) Exp(const T& value) : Parts(detail::literal(value)) {}
  /// From the only part of a group of one; the part may be a plain number.
  template <class X>
    requires(detail::member_count<T> == 1 && !detail::is_exp<X> &&
             detail::all_convert<detail::List<X>, detail::Members<T>>)
  explicit Exp(const X& part, detail::Where where = detail::Where::current())
      : Parts(detail::make_tuple(
            detail::element_type<T>(),
            std::array{detail::converted<detail::At<0, detail::Members<T>>>(part, where)})) {}
  /// From a group of Exps and plain numbers.
  template <class G>
    requires(detail::StdGroup<G> && !std::is_same_v<G, T> && detail::converts_to<G, T>)
  explicit(false) Exp(const G& group, detail::Where where = detail::Where::current())
      : Parts(detail::converted<T>(group, where)) {}
  operator detail::ExpGroup<T>() const {  // NOLINT(google-explicit-constructor)
    return detail::with_indices<detail::member_count<T>>(
        [&](auto... i) { return detail::ExpGroup<T>{get<i>(*this)...}; });
  }
  /// Element k of a std::array. k is a plain integer, or an Exp, which is clamped into range.
  auto operator[](const detail::KnownIndex& k) const {
    return element(k.of(detail::term_of(*this)));
  }
  template <detail::IndexScalar K>
    requires(!detail::Integer<K>)
  auto operator[](const K& k) const {
    return element(detail::choose_member(detail::term_of(*this), detail::index_term(k)));
  }

 private:
  friend struct detail::Access;
  explicit Exp(detail::Term term) : Parts(std::move(term)) {}
  static auto element(const detail::Term& term) {
    using M = detail::At<0, detail::Members<T>>;
    static_assert(std::is_same_v<detail::Members<T>, detail::Repeat<M, detail::member_count<T>>>,
                  "hasten: [k] needs a std::array: use hs::get<I>(e)");
    return detail::exp_of<M>(term);
  }
};

/// A computation of an index or a shape.
template <std::size_t N>
class Exp<Ix<N>> : public detail::GroupOperators<Ix<N>> {
 public:
  using value_type = Ix<N>;

  Exp() = default;
  explicit(false) Exp(const Ix<N>& ix) : term_(detail::literal(ix)) {}
  /// One argument per component: plain integers and Exps of any integral type.
  template <class... Is>
    requires(N > 0 && sizeof...(Is) == N && (detail::IndexScalar<Is> && ...))
  explicit(false) Exp(const Is&... components) {
    const std::array<detail::Term, N> terms{detail::index_term(components)...};
    term_ = detail::tuple_of_i64(terms);
  }
  /// At rank 1, an index is a number.
  operator Exp<std::int64_t>() const  // NOLINT(google-explicit-constructor)
    requires(N == 1)
  {
    return (*this)[0];
  }

  Exp<std::int64_t> operator[](const detail::KnownIndex& k) const {
    return detail::exp_of<std::int64_t>(k.of(detail::term_of(*this)));
  }
  static constexpr std::size_t size() { return N; }

  friend Exp operator+(const Exp& a, const Exp& b) { return zip(detail::ScalarOp::add, a, b); }
  friend Exp operator-(const Exp& a, const Exp& b) { return zip(detail::ScalarOp::sub, a, b); }
  friend Exp operator*(const Exp& a, const Exp& b) { return zip(detail::ScalarOp::mul, a, b); }
  Exp& operator+=(const Exp& b) & { return *this = *this + b; }
  Exp& operator-=(const Exp& b) & { return *this = *this - b; }
  Exp& operator*=(const Exp& b) & { return *this = *this * b; }

 private:
  friend struct detail::Access;
  explicit Exp(detail::Term term) : term_(std::move(term)) {}
  static Exp zip(detail::ScalarOp op, const Exp& a, const Exp& b) {
    return Exp(detail::zip_leaves(op, detail::term_of(a), detail::term_of(b)));
  }
  detail::Term term_;  // null: zeros
};

// Beside a plain bool, the built-in && and || would be viable too; these are better matches.
template <class T>
  requires std::is_same_v<T, bool>
Exp<T> operator&&(const Exp<T>& a, bool b) {
  return a && Exp<T>(b);
}
template <class T>
  requires std::is_same_v<T, bool>
Exp<T> operator&&(bool a, const Exp<T>& b) {
  return Exp<T>(a) && b;
}
template <class T>
  requires std::is_same_v<T, bool>
Exp<T> operator||(const Exp<T>& a, bool b) {
  return a || Exp<T>(b);
}
template <class T>
  requires std::is_same_v<T, bool>
Exp<T> operator||(bool a, const Exp<T>& b) {
  return Exp<T>(a) || b;
}

// At rank 1, beside integers: the conversion is explicit, to avoid ambiguity.
template <std::size_t N, detail::IndexScalar I>
  requires(N == 1)
Exp<Ix<N>> operator+(const Exp<Ix<N>>& a, const I& b) {
  return a + Exp<Ix<N>>(b);
}
template <std::size_t N, detail::IndexScalar I>
  requires(N == 1)
Exp<Ix<N>> operator+(const I& a, const Exp<Ix<N>>& b) {
  return Exp<Ix<N>>(a) + b;
}
template <std::size_t N, detail::IndexScalar I>
  requires(N == 1)
Exp<Ix<N>> operator-(const Exp<Ix<N>>& a, const I& b) {
  return a - Exp<Ix<N>>(b);
}
template <std::size_t N, detail::IndexScalar I>
  requires(N == 1)
Exp<Ix<N>> operator-(const I& a, const Exp<Ix<N>>& b) {
  return Exp<Ix<N>>(a) - b;
}
template <std::size_t N, detail::IndexScalar I>
  requires(N == 1)
Exp<Ix<N>> operator*(const Exp<Ix<N>>& a, const I& b) {
  return a * Exp<Ix<N>>(b);
}
template <std::size_t N, detail::IndexScalar I>
  requires(N == 1)
Exp<Ix<N>> operator*(const I& a, const Exp<Ix<N>>& b) {
  return Exp<Ix<N>>(a) * b;
}
template <std::size_t N, detail::IndexScalar I>
  requires(N == 1)
Exp<bool> operator==(const Exp<Ix<N>>& a, const I& b) {
  return a == Exp<Ix<N>>(b);
}
template <std::size_t N, detail::IndexScalar I>
  requires(N == 1)
Exp<bool> operator!=(const Exp<Ix<N>>& a, const I& b) {
  return a != Exp<Ix<N>>(b);
}

// Multiplies each component by a number.
template <std::size_t N, class I>
  requires(N != 1 && (detail::Integer<I> || detail::is_integral_exp<I>))
Exp<Ix<N>> operator*(const Exp<Ix<N>>& a, const I& b) {
  const detail::Term factor = detail::index_term(b);
  return detail::with_indices<N>([&](auto... k) {
    const std::array<detail::Term, N> factors{((void)k, factor)...};
    return a * detail::exp_of<Ix<N>>(detail::tuple_of_i64(factors));
  });
}
template <class I, std::size_t N>
  requires(N != 1 && (detail::Integer<I> || detail::is_integral_exp<I>))
Exp<Ix<N>> operator*(const I& a, const Exp<Ix<N>>& b) {
  return b * a;
}
template <std::size_t N, class I>
  requires detail::is_integral_exp<I>
Exp<Ix<N>> operator*(const Ix<N>& a, const I& b) {
  return Exp<Ix<N>>(a) * b;
}
template <class I, std::size_t N>
  requires detail::is_integral_exp<I>
Exp<Ix<N>> operator*(const I& a, const Ix<N>& b) {
  return Exp<Ix<N>>(b) * a;
}

/// A computation of a registered struct. Its members are Exps with the struct's names, which can be
/// read and assigned.
template <class S>
  requires(detail::Registered<S> && detail::is_element<S>)
class Exp<S> : public detail::StructParts<S, detail::Members<S>>, public detail::GroupOperators<S> {
 public:
  using detail::StructParts<S, detail::Members<S>>::StructParts;

  Exp() = default;
  explicit(false) Exp(const S& value) : Exp(detail::literal(value)) {}

 private:
  friend struct detail::Access;
  explicit Exp(detail::Term whole) {
    detail::with_indices<detail::member_count<S>>([&](auto... i) {
      ((this->*std::get<i>(detail::Descriptor<S>::exps()) =
            detail::exp_of<detail::At<i, detail::Members<S>>>(detail::project(whole, i))),
       ...);
    });
  }
};

/// Member I of a group.
template <std::size_t I, class T>
  requires detail::CompoundElement<T>
auto get(const Exp<T>& e) {
  static_assert(I < detail::member_count<T>, "hasten::get: the group has fewer members");
  if constexpr (detail::Registered<T>) {
    return e.*std::get<I>(detail::Descriptor<T>::exps());
  } else {
    return detail::exp_of<detail::At<I, detail::Members<T>>>(
        detail::project(detail::term_of(e), static_cast<unsigned>(I)));
  }
}

/// An index or a shape: an Ix<N> if all components are plain integers, else an Exp<Ix<N>>.
template <detail::IndexScalar... Is>
auto ix(const Is&... components) {
  if constexpr ((detail::Integer<Is> && ...)) {
    return Ix<sizeof...(Is)>(components...);
  } else {
    return Exp<Ix<sizeof...(Is)>>(components...);
  }
}

}  // namespace hasten

namespace hasten::detail {

template <class T>
Term term_of(const Exp<T>& e) {
  if constexpr (Registered<T>) {
    return with_indices<member_count<T>>([&](auto... i) {
      const std::array<Term, sizeof...(i)> members{
          term_of(e.*std::get<i>(Descriptor<T>::exps()))...};
      return detail::make_tuple(element_type<T>(), members);
    });
  } else {
    const Term& term = Access::term(e);
    return term ? term : literal(T{});
  }
}

}  // namespace hasten::detail

template <class T>
  requires hasten::detail::CompoundElement<T>
struct std::tuple_size<hasten::Exp<T>>
    : std::integral_constant<std::size_t, hasten::detail::member_count<T>> {};
template <std::size_t I, class T>
  requires hasten::detail::CompoundElement<T>
struct std::tuple_element<I, hasten::Exp<T>> {
  using type = hasten::Exp<hasten::detail::At<I, hasten::detail::Members<T>>>;
};
