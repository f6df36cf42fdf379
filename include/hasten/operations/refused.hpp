// Calls that beginners write of operations on arrays, declared so that compilers state the reason:
// host arrays that were not brought in, and arrays before functions or numbers.
#pragma once

#include <hasten/array/acc.hpp>
#include <hasten/detail/array_groups.hpp>
#include <hasten/detail/hints.hpp>
#include <hasten/detail/lift.hpp>

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <vector>

namespace hasten::detail {

template <class X>
inline constexpr bool is_vector_of_elements = false;
template <class T, class Allocator>
inline constexpr bool is_vector_of_elements<std::vector<T, Allocator>> = is_element<T>;

template <class... As>
concept HostArrayAmong = ((is_host_array<As> || is_vector_of_elements<As>) || ...);

/// Whether an array comes first, or something else last; orders of sorts do come last.
template <class... As>
constexpr bool is_array_misplaced() {
  constexpr bool is_array[] = {is_acc<As>...};
  constexpr bool is_order[] = {std::is_enum_v<As>...};
  constexpr std::size_t last = sizeof...(As) - 1;
  return is_array[0] || (!is_array[last] && !is_order[last] && (is_acc<As> || ...));
}
/// Wrong calls of operations that take functions and numbers first, and arrays last.
template <class... As>
concept WrongCall = HostArrayAmong<As...> || is_array_misplaced<As...>();

/// What is wrong with such a call.
template <class... As>
using WrongCallHint = std::conditional_t<HostArrayAmong<As...>, hint::bring_host_arrays_in_with_use,
                                         hint::functions_and_numbers_come_first_arrays_last>;

/// With elements in memory, as those of std::vector.
template <class R>
concept RangeOfOthers = !HostArrays<R> && requires(const R& range) {
  std::data(range);
  std::size(range);
};

}  // namespace hasten::detail

namespace hasten {

// hasten: use(array), or another order of the arguments: map(f, a), fold(f, z, a), take(n, a)
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto map(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto imap(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto filter(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto partition(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto stencil(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto fold(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto fold_all(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto fold1(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto fold1_all(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto scanl(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto scanl1(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto prescanl(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto postscanl(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto scanl_split(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto scanr(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto scanr1(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto prescanr(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto postscanr(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto scanr_split(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto fold_seg(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto fold1_seg(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto take(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto drop(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto slit(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto rotate(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto reshape(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto replicate(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto slice(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto backpermute(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto broadcast(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto sort_by(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto top_k(const As&... arguments) = delete;
template <class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto expand(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto fold_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto fold1_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto scanl_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto scanl1_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto prescanl_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto postscanl_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto scanr_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto scanr1_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto prescanr_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto postscanr_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto take_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto drop_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto slit_on(const As&... arguments) = delete;
template <int D, class... As, class Hint = detail::WrongCallHint<As...>>
  requires detail::WrongCall<As...>
auto rotate_on(const As&... arguments) = delete;
template <class F, class S, class Hint = hint::functions_and_numbers_come_first_arrays_last>
  requires(detail::IndexLike<S> && !detail::IndexLike<F>)
auto generate(const F& f, const S& shape) = delete;  // hasten: generate(shape, f)

// hasten: use(array)
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto sum(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto sum_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto product(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto product_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto minimum(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto minimum_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto maximum(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto maximum_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto argmin(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto argmin_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto argmax(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto argmax_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto count(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto count_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto all_of(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto all_of_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto any_of(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto any_of_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto mean(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto mean_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto variance(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto variance_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto softmax(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto log_softmax(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto matmul(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto dot(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto outer(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto norm2(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto norm2_all(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto transpose(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto reverse(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto flatten(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto init(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto tail(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto unzip(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto indexed(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto zip_with(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto izip_with(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto permute(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto permute_unique(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto scatter(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto gather(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto compact(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto unique(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto run_lengths(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto sort(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto sort_by_key(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto group_by(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto sum_by_key(const As&... arrays) = delete;
template <class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto count_by_key(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto sum_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto product_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto minimum_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto maximum_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto argmin_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto argmax_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto count_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto all_of_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto any_of_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto mean_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto variance_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto norm2_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto reverse_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto init_on(const As&... arrays) = delete;
template <int D, class... As, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayAmong<As...>
auto tail_on(const As&... arrays) = delete;

// Ranges of other libraries become arrays first.
template <class R, class Hint = hint::make_an_array_of_it_by_copy_or_with_borrow>
  requires detail::RangeOfOthers<R>
auto use(const R& range) = delete;  // hasten: Vector<T>(size, range), Vector<T>::borrow(...)
template <class T, class Hint = hint::make_an_array_of_it_by_copy_or_with_borrow>
auto use(std::initializer_list<T> elements) = delete;  // hasten: use(Vector<T>{...})

// Arrays of programs are no ranges.
template <class A, class Hint = hint::programs_have_no_values_use_what_run_gives>
  requires(detail::is_acc<A> || detail::is_exp<A>)
auto begin(const A& program) = delete;  // hasten: map(f, a); the array that run gives is a range
template <class A, class Hint = hint::programs_have_no_values_use_what_run_gives>
  requires(detail::is_acc<A> || detail::is_exp<A>)
auto end(const A& program) = delete;  // hasten: map(f, a); the array that run gives is a range

}  // namespace hasten
