// std::optional and std::variant in programs: some, none, has_value, value_or, variant_of, match.
#pragma once

#include <hasten/detail/lift_math.hpp>

namespace hasten {

/// An optional without a value; its type is that of the operand beside it.
struct None {};
inline constexpr None none{};

}  // namespace hasten

namespace hasten::detail {

template <class T>
inline constexpr bool converts_to<None, std::optional<T>> = true;

/// The number of alternatives of type X in a variant, and the position of the first.
template <class X, class... Ts>
constexpr std::size_t alternatives_of() {
  return (std::size_t{std::is_same_v<X, Ts> || std::is_same_v<X, Exp<Ts>>} + ... + 0);
}
template <class X, class... Ts>
constexpr std::size_t alternative_index() {
  const bool same[] = {std::is_same_v<X, Ts> || std::is_same_v<X, Exp<Ts>>...};
  std::size_t i = 0;
  while (!same[i]) ++i;
  return i;
}
template <class X, class... Ts>
  requires(alternatives_of<X, Ts...>() == 1)
inline constexpr bool converts_to<X, std::variant<Ts...>> = true;

/// Whether match of an X takes this many functions; for an optional, a source location may follow
/// them.
template <class X, std::size_t functions>
inline constexpr bool matches = false;
template <class T, std::size_t functions>
inline constexpr bool matches<Exp<std::optional<T>>, functions> = functions == 2 || functions == 3;
template <class... Ts, std::size_t functions>
inline constexpr bool matches<Exp<std::variant<Ts...>>, functions> = functions == sizeof...(Ts);

inline Term truth(bool value) { return literal(value, LiteralMode::baked); }

/// The term of a variant that holds `value` as alternative I.
template <std::size_t I, class... Ts>
Term variant_term(const Term& value) {
  std::vector<Term> members{literal(static_cast<std::uint8_t>(I), LiteralMode::baked),
                            literal(Ts{}, LiteralMode::baked)...};
  members[I + 1] = value;
  return detail::make_tuple(element_type<std::variant<Ts...>>(), members);
}

/// The result of a function of an alternative, as an Exp<T>.
template <class T, class X>
Term outcome(const X& x, const Where& where) {
  return term_of(exp_as<T>(x, where));
}

}  // namespace hasten::detail

namespace hasten {

/// A computation of a std::optional: take it apart with has_value, value_or or match.
template <class T>
  requires detail::is_element<T>
class Exp<std::optional<T>> : public detail::GroupOperators<std::optional<T>> {
 public:
  using value_type = std::optional<T>;

  Exp() = default;
  explicit(false) Exp(const std::optional<T>& value) : term_(detail::literal(value)) {}
  explicit(false) Exp(None) {}

 private:
  friend struct detail::Access;
  explicit Exp(detail::Term term) : term_(std::move(term)) {}
  detail::Term term_;  // null: none
};

/// A computation of a std::variant: take it apart with match.
template <class... Ts>
  requires(detail::is_element<Ts> && ...)
class Exp<std::variant<Ts...>> : public detail::GroupOperators<std::variant<Ts...>> {
 public:
  using value_type = std::variant<Ts...>;

  Exp() = default;
  explicit(false) Exp(const std::variant<Ts...>& value) : term_(detail::literal(value)) {}
  /// From an Exp or a host value of an alternative that occurs exactly once.
  template <class X>
    requires(detail::alternatives_of<X, Ts...>() == 1)
  explicit(false) Exp(const X& x)
      : term_(detail::variant_term<detail::alternative_index<X, Ts...>(), Ts...>(
            detail::term_of(detail::lift(x)))) {}
  template <class X, class Hint = hint::make_a_variant_of_one_of_its_types_cast_or_variant_of>
    requires(detail::alternatives_of<X, Ts...>() != 1 && (detail::is_exp<X> || detail::Number<X>) &&
             !std::is_same_v<X, Exp>)
  explicit(false) Exp(const X& x) = delete;  // hasten: cast<T>(e), or variant_of<V, I>(e)

 private:
  friend struct detail::Access;
  explicit Exp(detail::Term term) : term_(std::move(term)) {}
  detail::Term term_;  // null: the first alternative's T{}
};

/// An optional that holds x. Applies elementwise to arrays.
template <class X>
auto some(const X& x, detail::Where where = detail::Where::current()) {
  const auto apply = []<class T>(const Exp<T>& e) {
    const std::array<detail::Term, 2> members{detail::truth(true), detail::term_of(e)};
    return detail::exp_of<std::optional<T>>(
        detail::make_tuple(detail::element_type<std::optional<T>>(), members));
  };
  return detail::lifted("some", where, apply, x);
}

/// Whether an optional has a value. Applies elementwise to arrays.
template <class T>
Exp<bool> has_value(const Exp<std::optional<T>>& o) {
  return detail::exp_of<bool>(detail::project(detail::term_of(o), 0));
}
template <class T, std::size_t N>
auto has_value(const Acc<Array<std::optional<T>, N>>& a,
               detail::Where where = detail::Where::current()) {
  return detail::elementwise("has_value", where, [](const auto& o) { return has_value(o); }, a);
}

/// f(value) if an optional has a value, else g(); only one of them is evaluated. Both results must
/// have the same type.
template <class T, class F, class G>
auto match(const Exp<std::optional<T>>& o, F f, G g,
           detail::Where where = detail::Where::current()) {
  const detail::Term whole = detail::term_of(o);
  const auto some_result = detail::call_with(f, detail::exp_of<T>(detail::project(whole, 1)));
  const auto none_result = g();
  using A = std::remove_const_t<decltype(some_result)>;
  using B = std::remove_const_t<decltype(none_result)>;
  static_assert(detail::HaveCommon<A, B>,
                "hasten::match: the functions' results must have one type; say which with "
                "cast<T>(e)");
  if constexpr (detail::HaveCommon<A, B>) {
    using R = detail::Common<A, B>;
    return detail::exp_of<R>(detail::conditional(detail::project(whole, 0),
                                                 detail::outcome<R>(some_result, where),
                                                 detail::outcome<R>(none_result, where)));
  }
}

/// The value of an optional, or d if it has none. Applies elementwise to arrays.
template <class T, class D>
  requires(!detail::is_acc<D>)
Exp<T> value_or(const Exp<std::optional<T>>& o, const D& d,
                detail::Where where = detail::Where::current()) {
  static_assert(detail::converts_to<D, T>,
                "hasten::value_or: the other value must have the optional's type");
  if constexpr (detail::converts_to<D, T>) {
    return match(
        o, [](const Exp<T>& value) { return value; }, [&] { return detail::exp_as<T>(d, where); },
        where);
  } else {
    return {};
  }
}
template <class T, std::size_t N, class D>
auto value_or(const Acc<Array<std::optional<T>, N>>& a, const D& d,
              detail::Where where = detail::Where::current()) {
  return detail::elementwise(
      detail::Meet::equal, "value_or", where,
      [&](const auto& o, const auto& x) { return value_or(o, x, where); }, a, d);
}

/// A variant V that holds e as its alternative I, for variants with several alternatives of one
/// type.
template <class V, std::size_t I, class X>
Exp<V> variant_of(const X& e, detail::Where where = detail::Where::current()) {
  return [&]<class... Ts>(std::type_identity<std::variant<Ts...>>) {
    static_assert(I < sizeof...(Ts), "hasten::variant_of: the variant has fewer alternatives");
    using T = detail::At<I, detail::List<Ts...>>;
    static_assert(detail::converts_to<X, T>,
                  "hasten::variant_of: the value must have the alternative's type");
    return detail::exp_of<V>(
        detail::variant_term<I, Ts...>(detail::term_of(detail::exp_as<T>(e, where))));
  }(std::type_identity<V>{});
}

/// fi(value) for the alternative i that a variant holds, with one function per alternative, in
/// order; only one is evaluated. All results must have the same type.
template <class... Ts, class... Fs>
  requires(sizeof...(Ts) == sizeof...(Fs))
auto match(const Exp<std::variant<Ts...>>& v, Fs... fs) {
  const detail::Where where{};
  const detail::Term whole = detail::term_of(v);
  std::tuple<Fs&...> functions(fs...);
  return detail::with_indices<sizeof...(Ts)>([&](auto... i) {
    const std::tuple results{detail::call_with(
        std::get<i>(functions), detail::exp_of<Ts>(detail::project(whole, i + 1)))...};
    static_assert(
        detail::HaveCommonType<std::remove_cvref_t<decltype(std::get<i>(results))>...>,
        "hasten::match: the functions' results must have one type; say which with cast<T>(e)");
    using R =
        typename detail::CommonOfAll<std::remove_cvref_t<decltype(std::get<i>(results))>...>::type;
    const std::array<detail::Term, sizeof...(Ts)> terms{
        detail::outcome<R>(std::get<i>(results), where)...};
    return detail::exp_of<R>(detail::choose_alternative(detail::project(whole, 0), terms));
  });
}

// Other operands, and other numbers of functions.
template <
    class X, class... Fs,
    class Hint = hint::match_takes_an_optional_or_a_variant_and_a_function_for_each_alternative>
  requires(detail::is_exp<X> && !detail::matches<X, sizeof...(Fs)>)
void match(const X& x, const Fs&... fs) = delete;  // hasten: see docs/reference/sum_types.md

}  // namespace hasten
