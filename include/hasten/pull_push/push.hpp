// Push<T, N>: an array that is a list of parallel loops, each of which writes a part of it.
// Operations on push arrays change what the loops write, and where; only force() runs them.
#pragma once

#include <hasten/detail/hints.hpp>
#include <hasten/pull_push/pull.hpp>

#include <tuple>

namespace hasten {

/// An extent and loops that write elements at indices; every index must be written exactly once.
/// Elements cannot be read before force(). A regular value: Push<T, N>{} is empty, and T{} at rank
/// 0.
template <class T, std::size_t N>
class Push {
 public:
  using element_type = T;
  static constexpr std::size_t rank = N;

  Push() : terms_(detail::push_of(detail::terms_of(Pull<T, N>{}))) {}

  template <class X, class Hint = hint::a_push_is_written_not_read_force_gives_an_array>
  Exp<T> operator[](const X& index) const = delete;  // hasten: force(p)[index]
  template <class Hint = hint::a_push_is_written_not_read_force_gives_an_array, class... Is>
  Exp<T> operator()(const Is&... index) const = delete;  // hasten: force(p)(index...)

 private:
  friend struct detail::Access;
  explicit Push(detail::PushTerms terms) : terms_(std::move(terms)) {}
  detail::PushTerms terms_;
};

}  // namespace hasten

namespace hasten::detail {

template <class T, std::size_t N>
Push<T, N> push_of_terms(PushTerms terms) {
  return Access::of_terms<Push<T, N>>(std::move(terms));
}
template <class T, std::size_t N>
const PushTerms& terms_of(const Push<T, N>& p) {
  return Access::terms(p);
}

/// The push array itself, or a push array of the elements of an array or a pull array.
template <class T, std::size_t N>
const Push<T, N>& as_push(const Push<T, N>& p) {
  return p;
}
template <class T, std::size_t N>
Push<T, N> as_push(const Pull<T, N>& p) {
  return push_of_terms<T, N>(push_of(terms_of(p)));
}
template <class T, std::size_t N>
Push<T, N> as_push(const Acc<Array<T, N>>& a) {
  return as_push(as_pull(a));
}

/// A pair of an index and a value.
template <class W>
concept IndexAndValue = requires(const W& write) {
  requires std::tuple_size<W>::value == 2;
  requires IndexLike<std::remove_cvref_t<decltype(std::get<0>(write))>>;
  requires Liftable<std::remove_cvref_t<decltype(std::get<1>(write))>>;
};
template <class W>
using WrittenElement = Lifted<std::remove_cvref_t<decltype(std::get<1>(std::declval<W>()))>>;

/// The writes of an iteration as a tuple or std::array; a single write may stand alone.
template <std::size_t K, class Ws>
decltype(auto) as_writes(const Ws& results) {
  if constexpr (K == 1 && IndexAndValue<Ws>) {
    return std::tuple<const Ws&>(results);
  } else {
    return (results);
  }
}
template <std::size_t K, class Ws>
using WritesOf = std::remove_cvref_t<decltype(as_writes<K>(std::declval<const Ws&>()))>;

template <std::size_t K, class Ws>
inline constexpr bool are_writes = false;
template <std::size_t K, class Ws>
  requires(std::tuple_size<Ws>::value == K)
inline constexpr bool are_writes<K, Ws> = []<std::size_t... I>(std::index_sequence<I...>) {
  return (IndexAndValue<std::remove_cvref_t<decltype(std::get<I>(std::declval<Ws>()))>> && ...);
}(std::make_index_sequence<K>{});

/// The writes that an iteration of push_many returned, with rank N and element type T.
template <class T, std::size_t N, std::size_t K, class Ws>
std::vector<Write> writes_of(const Ws& results) {
  std::vector<Write> writes;
  const auto add = [&](const auto& write) {
    using W = std::remove_cvref_t<decltype(write)>;
    static_assert(std::is_same_v<WrittenElement<W>, T>,
                  "hasten::push_many: all values that an iteration writes have one type");
    static_assert(index_rank<std::remove_cvref_t<decltype(std::get<0>(write))>> == N,
                  "hasten::push_many: the function returns an index of another rank than the "
                  "result's shape");
    writes.push_back({index_terms(std::get<0>(write)),
                      term_of(Exp<WrittenElement<W>>(lift(std::get<1>(write))))});
  };
  with_indices<K>([&](auto... i) { (add(std::get<i>(results)), ...); });
  return writes;
}

}  // namespace hasten::detail

namespace hasten {

/// A push array that writes the elements of an array in its order.
template <class T, std::size_t N>
Push<T, N> push(const Acc<Array<T, N>>& a) {
  return detail::as_push(a);
}
template <class T, std::size_t N>
Push<T, N> push(const Pull<T, N>& p) {
  return detail::as_push(p);
}
template <class T, std::size_t N>
Push<T, N> push(const Push<T, N>& p) {
  return p;
}

/// An array of result_shape. Each iteration ix of `shape` writes K elements: f(ix) returns a tuple
/// or std::array of K pairs (index, value), or for K = 1 a pair. All iterations together must write
/// every index exactly once. At rank 1, f receives an Exp<int64_t>.
template <std::size_t K, detail::IndexLike S, detail::IndexLike R, class F>
auto push_many(const S& shape, const R& result_shape, F f,
               detail::Where where = detail::Where::current()) {
  constexpr std::size_t M = detail::index_rank<S>, N = detail::index_rank<R>;
  using Index = Exp<detail::IndexElement<M>>;
  using Writes = detail::WritesOf<
      K, std::remove_cvref_t<decltype(detail::call_with(f, std::declval<const Index&>()))>>;
  static_assert(K > 0 && detail::are_writes<K, Writes>,
                "hasten::push_many: the function must return K pairs of an index and a value: "
                "std::tuple{std::pair{i, x}, std::pair{j, y}} for K = 2");
  if constexpr (K > 0 && detail::are_writes<K, Writes>) {
    using T = detail::WrittenElement<std::remove_cvref_t<std::tuple_element_t<0, Writes>>>;
    detail::PushLoop loop{
        detail::extents_from(detail::index_terms(shape, detail::LiteralMode::parameter, where)), K,
        [f](std::span<const detail::Term> index) mutable {
          const auto results = detail::call_with(f, detail::index_exp<M>(index));
          return detail::writes_of<T, N, K>(detail::as_writes<K>(results));
        }};
    return detail::push_of_terms<T, N>({detail::extents_from(detail::index_terms(
                                            result_shape, detail::LiteralMode::parameter, where)),
                                        detail::element_type<T>(),
                                        {},
                                        0,
                                        {std::move(loop)}});
  }
}

/// Stores the array in memory, by one kernel that is launched once, whatever the iteration spaces
/// of the loops.
template <class T, std::size_t N>
Acc<Array<T, N>> force(const Push<T, N>& p, detail::Where where = detail::Where::current()) {
  return detail::acc_of<T, N>(
      detail::force_push(detail::terms_of(p), detail::term_of(Exp<T>()), {"force", where}));
}

/// The shape of a push array.
template <class T, std::size_t N>
Exp<Ix<N>> shape(const Push<T, N>& p) {
  return detail::exp_of<Ix<N>>(detail::tuple_of_i64(detail::terms_of(p).extent));
}
/// The number of elements of a push array.
template <class T, std::size_t N>
Exp<std::int64_t> size(const Push<T, N>& p) {
  return detail::exp_of<std::int64_t>(detail::product_of(detail::terms_of(p).extent));
}

}  // namespace hasten
