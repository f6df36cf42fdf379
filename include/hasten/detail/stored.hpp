// Sum types on the host, decomposed into tuples: std::optional<T> as (bool, T), std::variant<Ts...>
// as (uint8_t, Ts...). An absent value is T{}, so that equal values have equal tuples, and the
// order of values is that of their tuples.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

namespace hasten::detail {

/// `type`, the tuple, with conversions to and from it.
template <class T>
struct StoredOf {};

template <class T>
struct StoredOf<std::optional<T>> {
  using type = std::tuple<bool, T>;
  static type store(const std::optional<T>& value) {
    return {value.has_value(), value ? *value : T{}};
  }
  static std::optional<T> load(const type& stored) {
    return std::get<0>(stored) ? std::optional<T>(std::get<1>(stored)) : std::nullopt;
  }
};

template <class... Ts>
struct StoredOf<std::variant<Ts...>> {
  static_assert(sizeof...(Ts) < 256, "hasten: a std::variant has at most 255 alternatives");
  using type = std::tuple<std::uint8_t, Ts...>;
  using V = std::variant<Ts...>;

  static type store(const V& value) { return store(value, std::index_sequence_for<Ts...>{}); }
  static V load(const type& stored) { return load(stored, std::index_sequence_for<Ts...>{}); }

 private:
  template <std::size_t I>
  static auto alternative(const V& value) {
    const auto* there = std::get_if<I>(&value);
    return there ? *there : std::variant_alternative_t<I, V>{};
  }
  template <std::size_t... I>
  static type store(const V& value, std::index_sequence<I...>) {
    return {static_cast<std::uint8_t>(value.index()), alternative<I>(value)...};
  }
  template <std::size_t... I>
  static V load(const type& stored, std::index_sequence<I...>) {
    V value;
    ((std::get<0>(stored) == I ? void(value.template emplace<I>(std::get<I + 1>(stored))) : void()),
     ...);
    return value;
  }
};

/// std::optional and std::variant.
template <class T>
concept Sum = requires { typename StoredOf<T>::type; };
template <Sum T>
using Stored = typename StoredOf<T>::type;

template <Sum T>
Stored<T> stored(const T& value) {
  return StoredOf<T>::store(value);
}

}  // namespace hasten::detail
