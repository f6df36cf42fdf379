// Conversion to one Exp of what a user's function returns, or of an operand beside an Exp.
#pragma once

#include <hasten/scalar/exp.hpp>

namespace hasten::detail {

template <class T>
inline constexpr bool always_false = false;

/// The element type of a function's result: an Exp, a plain number (as its own C++ type), a host
/// value, or a group of these.
template <class X>
struct LiftedOf {};
template <class T>
struct LiftedOf<Exp<T>> {
  using type = T;
};
template <Number X>
  requires Leaf<Canonical<X>>
struct LiftedOf<X> {
  using type = Canonical<X>;
};
template <class X>
  requires(is_ix<X> || Registered<X> || Sum<X> || ComplexLeaf<X>)
struct LiftedOf<X> {
  using type = X;
};
template <class X>
using Lifted = typename LiftedOf<X>::type;
template <class X>
concept Liftable = requires { typename Lifted<X>; };

template <class G, class L>
struct LiftedGroup {};
template <class G, Liftable... Xs>
struct LiftedGroup<G, List<Xs...>> {
  using type = typename StdGroupOf<G>::template With<Lifted<Xs>...>;
};
template <StdGroup X>
struct LiftedOf<X> : LiftedGroup<X, Members<X>> {};

template <Liftable X>
Exp<Lifted<X>> lift(const X& x) {
  using T = Lifted<X>;
  if constexpr (is_exp<X>) {
    return x;
  } else if constexpr (Number<X>) {
    return exp_of<T>(literal(static_cast<T>(x)));
  } else if constexpr (StdGroup<X>) {
    return with_indices<member_count<T>>([&](auto... i) {
      const std::array<Term, sizeof...(i)> members{term_of(lift(std::get<i>(x)))...};
      return exp_of<T>(detail::make_tuple(element_type<T>(), members));
    });
  } else {
    return Exp<T>(x);
  }
}

/// The common element type of two operands: a plain number takes the type of the Exp; two plain
/// numbers must agree.
template <class X, class Y>
struct CommonOf {};
template <class X>
  requires Liftable<X>
struct CommonOf<X, X> {
  using type = Lifted<X>;
};
template <class T, class Y>
  requires(!std::is_same_v<Exp<T>, Y> && converts_to<Y, T>)
struct CommonOf<Exp<T>, Y> {
  using type = T;
};
template <class T, class X>
  requires(!is_exp<X> && converts_to<X, T>)
struct CommonOf<X, Exp<T>> {
  using type = T;
};
template <Number X, Number Y>
  requires(!std::is_same_v<X, Y> && std::is_same_v<Canonical<X>, Canonical<Y>>)
struct CommonOf<X, Y> {
  using type = Canonical<X>;
};
template <class G, class L, class M>
struct CommonGroup {};
template <class G, class... Xs, class... Ys>
  requires(requires { typename CommonOf<Xs, Ys>::type; } && ...)
struct CommonGroup<G, List<Xs...>, List<Ys...>> {
  using type = typename StdGroupOf<G>::template With<typename CommonOf<Xs, Ys>::type...>;
};
template <StdGroup X, StdGroup Y>
  requires(!std::is_same_v<X, Y> && Members<X>::size == Members<Y>::size)
struct CommonOf<X, Y> : CommonGroup<X, Members<X>, Members<Y>> {};

template <class X, class Y>
concept HaveCommon = requires { typename CommonOf<X, Y>::type; };
template <class X, class Y>
using Common = typename CommonOf<X, Y>::type;

/// Converts a value to an Exp<T>; groups of plain numbers too.
template <class T, class X>
Exp<T> exp_as(const X& x, const Where& where) {
  if constexpr (is_exp<X>) {
    return x;
  } else if constexpr (converts_to<X, T>) {
    return exp_of<T>(converted<T>(x, where));
  } else {
    return lift(x);
  }
}

// ---------------------------------------------------------------------------------------------
// Shapes and indices
// ---------------------------------------------------------------------------------------------

/// At rank 1, index functions receive a number.
template <std::size_t N>
using IndexElement = std::conditional_t<N == 1, std::int64_t, Ix<N>>;

template <std::size_t N>
Exp<IndexElement<N>> index_exp(std::span<const Term> components) {
  if constexpr (N == 1) {
    return exp_of<std::int64_t>(components[0]);
  } else {
    return exp_of<Ix<N>>(tuple_of_i64(components));
  }
}

/// The rank of a shape or index: of Ix<N>, Exp<Ix<N>>, a plain integer, an integral Exp, and of
/// std groups of integers.
template <class X>
struct IndexRank {};
template <IndexScalar X>
struct IndexRank<X> : std::integral_constant<std::size_t, 1> {};
template <std::size_t N>
  requires(N != 1)
struct IndexRank<Ix<N>> : std::integral_constant<std::size_t, N> {};
template <std::size_t N>
  requires(N != 1)
struct IndexRank<Exp<Ix<N>>> : std::integral_constant<std::size_t, N> {};
template <class L>
inline constexpr bool all_index_scalars = false;
template <class... Ts>
inline constexpr bool all_index_scalars<List<Ts...>> = (IndexScalar<Ts> && ...);
template <class L>
inline constexpr bool all_integral_leaves = false;
template <class... Ts>
inline constexpr bool all_integral_leaves<List<Ts...>> = (is_integral_leaf<Ts> && ...);
template <StdGroup G>
  requires all_index_scalars<Members<G>>
struct IndexRank<G> : std::integral_constant<std::size_t, member_count<G>> {};
template <StdGroup T>
  requires all_integral_leaves<Members<T>>
struct IndexRank<Exp<T>> : std::integral_constant<std::size_t, member_count<T>> {};

template <class X>
concept IndexLike = requires { IndexRank<X>::value; };
template <class X>
inline constexpr std::size_t index_rank = IndexRank<X>::value;

/// The components of an index or shape as i64 terms.
template <IndexLike X>
std::vector<Term> index_terms(const X& x, LiteralMode mode = LiteralMode::automatic,
                              const Where& where = {}) {
  if constexpr (IndexScalar<X>) {
    return {index_term(x, mode, where)};
  } else if constexpr (is_ix<X>) {
    std::vector<Term> terms;
    for (const std::int64_t component : x) terms.push_back(i64_term(component, mode));
    return terms;
  } else if constexpr (is_exp<X>) {
    std::vector<Term> terms = components_of(term_of(x));
    for (Term& term : terms) term = cast_term(term, ScalarType::i64);
    return terms;
  } else {
    return with_indices<index_rank<X>>(
        [&](auto... i) { return std::vector<Term>{index_term(std::get<i>(x), mode, where)...}; });
  }
}

/// An extent or a count. Plain integers are parameters of the program from the start.
class Extent {
 public:
  template <IndexScalar I>
  explicit(false) Extent(const I& i, Where where = Where::current())
      : term_(index_term(i, LiteralMode::parameter, where)) {}
  [[nodiscard]] const Term& term() const { return term_; }

 private:
  Term term_;
};

}  // namespace hasten::detail
