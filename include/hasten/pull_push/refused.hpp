// Operations that push arrays do not have, declared so that compilers state the reason: the loops
// determine when an element is written, and no element can be read.
#pragma once

#include <hasten/detail/hints.hpp>
#include <hasten/pull_push/push_operations.hpp>

namespace hasten::detail {

template <class... Ps>
concept PushAmong = (is_push<Ps> || ...);

}  // namespace hasten::detail

namespace hasten {

// hasten: a Push is written, not read: force(p) gives an array
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto fold(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto fold_all(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto fold1(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto fold1_all(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto sum(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto sum_all(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto product(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto product_all(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto minimum(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto minimum_all(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto maximum(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto maximum_all(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto argmin(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto argmin_all(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto argmax(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto argmax_all(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto count(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto count_all(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto all_of(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto all_of_all(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto any_of(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto any_of_all(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto izip_with(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto backpermute(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto slice(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto replicate(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto reshape(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto flatten(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto take(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto drop(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto unzip(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto stencil(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto gather(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto pull(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto scanl(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto scanl1(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto scanr(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto sort(const As&... arguments) = delete;
template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto filter(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto fold_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto fold1_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto sum_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto product_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto minimum_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto maximum_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto argmin_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto argmax_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto count_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto all_of_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto any_of_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto take_on(const As&... arguments) = delete;
template <int D, class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... As>
  requires(detail::is_push<As> || ...)
auto drop_on(const As&... arguments) = delete;

template <class F, class A, class B, class C = detail::NotGiven, class D = detail::NotGiven,
          class E = detail::NotGiven, class G = detail::NotGiven, class H = detail::NotGiven,
          class I = detail::NotGiven, class J = detail::NotGiven,
          class Hint = hint::a_push_is_written_not_read_force_gives_an_array>
  requires detail::PushAmong<A, B, C, D, E, G, H, I, J>
auto zip_with(F f, const A& a, const B& b, const C& c = {}, const D& d = {}, const E& e = {},
              const G& g = {}, const H& h = {}, const I& i = {}, const J& j = {},
              detail::Where = detail::Where::current()) = delete;
template <class A, class B, class C = detail::NotGiven, class D = detail::NotGiven,
          class E = detail::NotGiven, class G = detail::NotGiven, class H = detail::NotGiven,
          class I = detail::NotGiven, class J = detail::NotGiven,
          class Hint = hint::a_push_is_written_not_read_force_gives_an_array>
  requires detail::PushAmong<A, B, C, D, E, G, H, I, J>
auto zip(const A& a, const B& b, const C& c = {}, const D& d = {}, const E& e = {}, const G& g = {},
         const H& h = {}, const I& i = {}, const J& j = {},
         detail::Where = detail::Where::current()) = delete;

// hasten: zip_with(f, p, q), or map(f, p)
template <class T, std::size_t N, class B,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
auto operator+(const Pull<T, N>& p, const B& b) = delete;
template <class A, class T, std::size_t N,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
  requires(!detail::is_pull<A>)
auto operator+(const A& a, const Pull<T, N>& p) = delete;
template <class T, std::size_t N, class B,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
auto operator-(const Pull<T, N>& p, const B& b) = delete;
template <class A, class T, std::size_t N,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
  requires(!detail::is_pull<A>)
auto operator-(const A& a, const Pull<T, N>& p) = delete;
template <class T, std::size_t N, class B,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
auto operator*(const Pull<T, N>& p, const B& b) = delete;
template <class A, class T, std::size_t N,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
  requires(!detail::is_pull<A>)
auto operator*(const A& a, const Pull<T, N>& p) = delete;
template <class T, std::size_t N, class B,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
auto operator/(const Pull<T, N>& p, const B& b) = delete;
template <class A, class T, std::size_t N,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
  requires(!detail::is_pull<A>)
auto operator/(const A& a, const Pull<T, N>& p) = delete;
template <class T, std::size_t N, class B,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
auto operator%(const Pull<T, N>& p, const B& b) = delete;
template <class A, class T, std::size_t N,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
  requires(!detail::is_pull<A>)
auto operator%(const A& a, const Pull<T, N>& p) = delete;
template <class T, std::size_t N, class B,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
auto operator==(const Pull<T, N>& p, const B& b) = delete;
template <class A, class T, std::size_t N,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
  requires(!detail::is_pull<A>)
auto operator==(const A& a, const Pull<T, N>& p) = delete;
template <class T, std::size_t N, class B,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
auto operator!=(const Pull<T, N>& p, const B& b) = delete;
template <class A, class T, std::size_t N,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
  requires(!detail::is_pull<A>)
auto operator!=(const A& a, const Pull<T, N>& p) = delete;
template <class T, std::size_t N, class B,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
auto operator<(const Pull<T, N>& p, const B& b) = delete;
template <class A, class T, std::size_t N,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
  requires(!detail::is_pull<A>)
auto operator<(const A& a, const Pull<T, N>& p) = delete;
template <class T, std::size_t N, class B,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
auto operator<=(const Pull<T, N>& p, const B& b) = delete;
template <class A, class T, std::size_t N,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
  requires(!detail::is_pull<A>)
auto operator<=(const A& a, const Pull<T, N>& p) = delete;
template <class T, std::size_t N, class B,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
auto operator>(const Pull<T, N>& p, const B& b) = delete;
template <class A, class T, std::size_t N,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
  requires(!detail::is_pull<A>)
auto operator>(const A& a, const Pull<T, N>& p) = delete;
template <class T, std::size_t N, class B,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
auto operator>=(const Pull<T, N>& p, const B& b) = delete;
template <class A, class T, std::size_t N,
          class Hint = hint::pull_arrays_have_no_operators_zip_with_or_map>
  requires(!detail::is_pull<A>)
auto operator>=(const A& a, const Pull<T, N>& p) = delete;

}  // namespace hasten
