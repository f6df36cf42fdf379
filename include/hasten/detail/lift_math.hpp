// Scalar functions of several arguments, on Exps, numbers and arrays alike: the basis of math.hpp
// and bits.hpp.
#pragma once

#include <hasten/operations/operators.hpp>

namespace hasten::detail {

/// The common element type of all arguments; plain numbers take the type of the Exps.
template <class... Xs>
struct CommonOfAll {};
template <class X>
  requires Liftable<X>
struct CommonOfAll<X> {
  using type = Lifted<X>;
};
template <class X, class Y, class... Zs>
  requires HaveCommon<X, Y>
struct CommonOfAll<X, Y, Zs...>
    : CommonOfAll<std::conditional_t<Number<X> && Number<Y>, X, Exp<Common<X, Y>>>, Zs...> {};
template <class... Xs>
concept HaveCommonType = requires { typename CommonOfAll<Xs...>::type; };

/// f(x...) with all arguments converted to their common type; elementwise if any is an array.
template <class F, class... Xs>
auto lifted(const char* name, const Where& where, F f, const Xs&... xs) {
  if constexpr ((is_acc<Xs> || ...)) {
    return elementwise(
        Meet::equal, name, where, [&](const auto&... es) { return lifted(name, where, f, es...); },
        xs...);
  } else {
    static_assert(HaveCommonType<Xs...>,
                  "hasten: the arguments of this function must have one type; different types "
                  "never mix silently: say which type you mean with cast<T>(e)");
    if constexpr (HaveCommonType<Xs...>) {
      using T = typename CommonOfAll<Xs...>::type;
      return f(exp_as<T>(xs, where)...);
    }
  }
}

// The operand types of functions. Each check is one sentence, which the compiler shows.
template <class T>
constexpr auto check_floating() {
  static_assert(is_floating_leaf<T>,
                "hasten: this function works on floating numbers: cast<float>(e) or "
                "cast<double>(e) first");
}
template <class T>
constexpr auto check_integral() {
  static_assert(is_integral_leaf<T>, "hasten: this function works on integers");
}
template <class T>
constexpr auto check_numeric() {
  static_assert(is_numeric_leaf<T>, "hasten: this function works on integers and floating numbers");
}

template <class T, class... Ts>
Exp<T> prim_exp(ScalarOp op, const Exp<T>& x, const Ts&... xs) {
  return exp_of<T>(prim_of(op, LeafOf<T>::value, {term_of(x), term_of(xs)...}));
}

/// Exps and arrays that a floating function rejects. Host arrays are not arrays of a program.
template <class X>
inline constexpr bool is_not_floating = false;
template <class T>
inline constexpr bool is_not_floating<Exp<T>> = !is_floating_leaf<T>;
template <class T, std::size_t N>
inline constexpr bool is_not_floating<Acc<Array<T, N>>> = !is_floating_leaf<T>;
template <class T, std::size_t N>
inline constexpr bool is_not_floating<Array<T, N>> = true;

/// A floating-point function.
template <class... Xs>
auto floating(ScalarOp op, const char* name, const Where& where, const Xs&... xs) {
  static_assert(!(is_not_floating<Xs> || ...),
                "hasten: this function works on floating numbers and arrays of these in programs: "
                "cast<float>(e) or cast<double>(e) first; bring a host array in with use(array)");
  const auto apply = [op]<class T, class... Ts>(const Exp<T>& x, const Ts&... rest) {
    check_floating<T>();
    return prim_exp(op, x, rest...);
  };
  return lifted(name, where, apply, xs...);
}
/// A test of a floating-point number.
template <class X>
auto floating_test(ScalarOp op, const char* name, const Where& where, const X& x) {
  const auto apply = [op]<class T>(const Exp<T>& e) {
    check_floating<T>();
    return exp_of<bool>(prim_of(op, ScalarType::boolean, {term_of(e)}));
  };
  return lifted(name, where, apply, x);
}
/// A function of integers.
template <class... Xs>
auto integral(ScalarOp op, const char* name, const Where& where, const Xs&... xs) {
  const auto apply = [op]<class T, class... Ts>(const Exp<T>& x, const Ts&... rest) {
    check_integral<T>();
    return prim_exp(op, x, rest...);
  };
  return lifted(name, where, apply, xs...);
}
/// A function of any numbers.
template <class... Xs>
auto numeric(ScalarOp op, const char* name, const Where& where, const Xs&... xs) {
  const auto apply = [op]<class T, class... Ts>(const Exp<T>& x, const Ts&... rest) {
    check_numeric<T>();
    return prim_exp(op, x, rest...);
  };
  return lifted(name, where, apply, xs...);
}
/// min and max; compound values compare by their order.
template <class T>
Exp<T> extremum(ScalarOp op, const Exp<T>& a, const Exp<T>& b) {
  if constexpr (is_numeric_leaf<T>) {
    return prim_exp(op, a, b);
  } else {
    static_assert(is_ordered<T>, "hasten: complex numbers have no order, hence no min and max");
    const ScalarOp before = op == ScalarOp::min ? ScalarOp::lt : ScalarOp::gt;
    const Term left = term_of(a), right = term_of(b);
    return exp_of<T>(conditional(compare_terms(before, right, left), right, left));
  }
}

}  // namespace hasten::detail
