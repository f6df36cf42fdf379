// Counter-based random numbers: a key selects a sequence, a counter a position in it, and the
// number is a function of both. The bits are the same on every target; those of normal are as far
// as log and cos are.
#pragma once

#include <hasten/detail/lift_math.hpp>
#include <hasten/detail/terms/random.hpp>

namespace hasten::detail {

/// An integer of any type as a 64-bit word.
template <class X>
Term word_term(const X& x) {
  static_assert(Integer<X> || is_integral_exp<X>,
                "hasten: keys and counters of random numbers are integers");
  if constexpr (Integer<X>) {
    return literal(static_cast<std::uint64_t>(x));
  } else {
    return cast_term(term_of(x), ScalarType::u64);
  }
}

/// f(the four words); key and counter may be arrays.
template <class R, class F, class K, class X>
auto random_number(const char* name, const Where& where, F f, const K& key, const X& counter) {
  if constexpr (is_acc<K> || is_acc<X>) {
    return elementwise(
        Meet::equal, name, where,
        [&](const auto& k, const auto& c) { return random_number<R>(name, where, f, k, c); }, key,
        counter);
  } else {
    return exp_of<R>(f(philox_words(word_term(key), word_term(counter))));
  }
}

template <class T>
constexpr auto check_random_type() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "hasten: random numbers are float or double: uniform<float>(key, counter)");
}

/// The numbers that f computes from the four words, as a std::array.
template <class T, class F, class K, class X>
auto four_numbers(const char* name, const Where& where, F f, const K& key, const X& counter) {
  using Four = std::array<T, 4>;
  const auto numbers = [f](const std::array<Term, 4>& words) {
    return detail::make_tuple(element_type<Four>(), f(words, LeafOf<T>::value));
  };
  return random_number<Four>(name, where, numbers, key, counter);
}

}  // namespace hasten::detail

namespace hasten {

/// Philox4x32-10 of a 64-bit key and a 64-bit counter, low half first; returns the four words r0 to
/// r3. Keys and counters are integers of any type; arrays of them are mapped elementwise.
template <class K, class X>
auto philox(const K& key, const X& counter, detail::Where where = detail::Where::current()) {
  using Words = std::array<std::uint32_t, 4>;
  return detail::random_number<Words>(
      "philox", where,
      [](const std::array<detail::Term, 4>& words) {
        return detail::make_tuple(detail::element_type<Words>(), words);
      },
      key, counter);
}

/// A number in [0, 1): for float (r0 >> 8) * 2^-24, for double ((r1:r0) >> 11) * 2^-53.
template <class T, class K, class X>
auto uniform(const K& key, const X& counter, detail::Where where = detail::Where::current()) {
  detail::check_random_type<T>();
  return detail::random_number<T>(
      "uniform", where,
      [](const std::array<detail::Term, 4>& words) {
        return detail::uniform_term(words, 0, detail::LeafOf<T>::value);
      },
      key, counter);
}

/// A normally distributed number with mean 0 and variance 1, computed from two uniform ones.
template <class T, class K, class X>
auto normal(const K& key, const X& counter, detail::Where where = detail::Where::current()) {
  detail::check_random_type<T>();
  return detail::random_number<T>(
      "normal", where,
      [](const std::array<detail::Term, 4>& words) {
        return detail::normal_term(words, detail::LeafOf<T>::value);
      },
      key, counter);
}

/// Four numbers in [0, 1), one from each word of one Philox call: for float the upper 24 bits times
/// 2^-24, for double r * 2^-32. The first is uniform<float>(key, counter). Arrays of keys or
/// counters are mapped elementwise.
template <class T = float, class K, class X>
auto uniform4(const K& key, const X& counter, detail::Where where = detail::Where::current()) {
  detail::check_random_type<T>();
  return detail::four_numbers<T>("uniform4", where, detail::uniform4_terms, key, counter);
}

/// Four normally distributed numbers with mean 0 and variance 1 from one Philox call: two from the
/// first two numbers of uniform4, two from the last two. The first is normal<float>(key, counter).
template <class T = float, class K, class X>
auto normal4(const K& key, const X& counter, detail::Where where = detail::Where::current()) {
  detail::check_random_type<T>();
  return detail::four_numbers<T>("normal4", where, detail::normal4_terms, key, counter);
}

}  // namespace hasten
