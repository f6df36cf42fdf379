// match(variant, functions...): calls the function for the alternative that a variant holds.
//
// Every alternative must be covered, so a new one makes the compiler list the places to extend.
// Own dispatch, one table per use, because std::visit costs two to three times the compile time.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace hasten {

/// Several lambdas as one function object.
template <class... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
overloaded(Functions...) -> overloaded<Functions...>;

/// "const OneOf<Map, ZipWith> auto& node" takes either alternative.
template <class T, class... Alternatives>
concept OneOf = (std::is_same_v<std::remove_const_t<T>, Alternatives> || ...);

/// Whether a variant holds one of these alternatives.
template <class... Alternatives, class Variant>
bool is_one_of(const Variant& variant) {
  return (std::holds_alternative<Alternatives>(variant) || ...);
}

namespace support_detail {

template <class Result, std::size_t I, class Variant, class Function>
Result call_case(Variant& variant, Function& function) {
  return function(*std::get_if<I>(&variant));
}

template <class Result, class Variant, class Function, std::size_t... I>
Result dispatch(Variant& variant, Function& function, std::index_sequence<I...>) {
  using Case = Result (*)(Variant&, Function&);
  static constexpr Case cases[] = {&call_case<Result, I, Variant, Function>...};
  return cases[variant.index()](variant, function);
}

}  // namespace support_detail

/// The functions take the alternative by reference (const if the variant is). All must return the
/// type that the first alternative's function returns, or something that converts to it.
template <class Variant, class... Functions>
decltype(auto) match(Variant&& variant, Functions&&... functions) {
  overloaded function{std::forward<Functions>(functions)...};
  using Held = std::remove_reference_t<Variant>;
  using Result = decltype(function(*std::get_if<0>(&variant)));
  constexpr std::size_t count = std::variant_size_v<std::remove_cv_t<Held>>;
  return support_detail::dispatch<Result, Held>(variant, function,
                                                std::make_index_sequence<count>());
}

}  // namespace hasten
