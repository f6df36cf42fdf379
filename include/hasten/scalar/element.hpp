// Element types: the C++ types that may be elements of arrays, and the decomposition of their
// values into primitive leaves, numbered depth first.
#pragma once

#include <hasten/detail/stored.hpp>
#include <hasten/detail/term.hpp>
#include <hasten/scalar/half.hpp>
#include <hasten/scalar/ix.hpp>

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace hasten {

template <class T, std::size_t N>
class Array;
template <class T>
class Exp;
template <class A>
class Acc;
template <class T, std::size_t N>
class Pull;
template <class T, std::size_t N>
class Push;

}  // namespace hasten

namespace hasten::detail {

template <class... Ts>
struct List {
  static constexpr std::size_t size = sizeof...(Ts);
};
template <std::size_t I, class L>
struct ListAt;
template <std::size_t I, class... Ts>
struct ListAt<I, List<Ts...>> : std::tuple_element<I, std::tuple<Ts...>> {};
template <std::size_t I, class L>
using At = typename ListAt<I, L>::type;

template <class T, class Is>
struct RepeatOf;
template <class T, std::size_t... I>
struct RepeatOf<T, std::index_sequence<I...>> {
  template <std::size_t>
  using Same = T;
  using type = List<Same<I>...>;
};
/// List<T, T, ...>, N times.
template <class T, std::size_t N>
using Repeat = typename RepeatOf<T, std::make_index_sequence<N>>::type;

/// Calls f(std::integral_constant<std::size_t, 0>{}), ... and passes the results to `then`.
template <std::size_t N, class F>
constexpr decltype(auto) with_indices(F&& f) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) -> decltype(auto) {
    return f(std::integral_constant<std::size_t, I>{}...);
  }(std::make_index_sequence<N>{});
}

// ---------------------------------------------------------------------------------------------
// Leaves
// ---------------------------------------------------------------------------------------------

/// The ScalarType of a primitive element type.
template <class T>
struct LeafOf {};
template <ScalarType S>
struct LeafIs {
  static constexpr ScalarType value = S;
};
template <>
struct LeafOf<bool> : LeafIs<ScalarType::boolean> {};
template <>
struct LeafOf<char> : LeafIs<ScalarType::i8> {};  // char is signed, on every machine
template <>
struct LeafOf<std::int8_t> : LeafIs<ScalarType::i8> {};
template <>
struct LeafOf<std::int16_t> : LeafIs<ScalarType::i16> {};
template <>
struct LeafOf<std::int32_t> : LeafIs<ScalarType::i32> {};
template <>
struct LeafOf<std::int64_t> : LeafIs<ScalarType::i64> {};
template <>
struct LeafOf<std::uint8_t> : LeafIs<ScalarType::u8> {};
template <>
struct LeafOf<std::uint16_t> : LeafIs<ScalarType::u16> {};
template <>
struct LeafOf<std::uint32_t> : LeafIs<ScalarType::u32> {};
template <>
struct LeafOf<std::uint64_t> : LeafIs<ScalarType::u64> {};
template <>
struct LeafOf<half> : LeafIs<ScalarType::f16> {};
template <>
struct LeafOf<bfloat16> : LeafIs<ScalarType::bf16> {};
template <>
struct LeafOf<float> : LeafIs<ScalarType::f32> {};
template <>
struct LeafOf<double> : LeafIs<ScalarType::f64> {};
template <>
struct LeafOf<std::complex<float>> : LeafIs<ScalarType::c64> {};
template <>
struct LeafOf<std::complex<double>> : LeafIs<ScalarType::c128> {};

template <class T>
concept Leaf = requires { LeafOf<T>::value; };

template <class T>
inline constexpr bool is_integral_leaf = false;
template <Leaf T>
inline constexpr bool is_integral_leaf<T> = is_integral(LeafOf<T>::value);
template <class T>
inline constexpr bool is_floating_leaf = false;
template <Leaf T>
inline constexpr bool is_floating_leaf<T> = is_floating(LeafOf<T>::value);
template <class T>
inline constexpr bool is_signed_leaf = false;
template <Leaf T>
inline constexpr bool is_signed_leaf<T> = is_signed_int(LeafOf<T>::value);
template <class T>
inline constexpr bool is_complex_leaf = false;
template <Leaf T>
inline constexpr bool is_complex_leaf<T> = is_complex(LeafOf<T>::value);
template <class T>
concept ComplexLeaf = Leaf<T> && is_complex_leaf<T>;
/// Types with an order and the functions of numbers: integers and floats, not bool.
template <class T>
inline constexpr bool is_numeric_leaf = is_integral_leaf<T> || is_floating_leaf<T>;

template <class T>
inline constexpr bool is_floating_number =
    std::is_floating_point_v<T> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
/// A plain number that may stand beside an Exp.
template <class T>
concept Number = std::is_arithmetic_v<T> || is_floating_number<T>;

template <class T>
struct CanonicalOf {
  using type = T;
};
template <>
struct CanonicalOf<long long> {
  using type = std::int64_t;
};
template <>
struct CanonicalOf<unsigned long long> {
  using type = std::uint64_t;
};
/// The element type of a plain number with no Exp beside it: its own type, with the two spellings
/// of 64-bit integers unified.
template <Number T>
using Canonical = typename CanonicalOf<T>::type;

// ---------------------------------------------------------------------------------------------
// Groups
// ---------------------------------------------------------------------------------------------

/// std::tuple, std::pair and std::array, of elements, Exps or arrays.
template <class G>
struct StdGroupOf {
  static constexpr bool value = false;
};
template <class... Ts>
struct StdGroupOf<std::tuple<Ts...>> {
  static constexpr bool value = true;
  using Members = List<Ts...>;
  template <class... Us>
  using With = std::tuple<Us...>;
};
template <class... Ts>
struct PairOf {};
template <class A, class B>
struct PairOf<A, B> {
  using type = std::pair<A, B>;
};
template <class A, class B>
struct StdGroupOf<std::pair<A, B>> {
  static constexpr bool value = true;
  using Members = List<A, B>;
  template <class... Us>
  using With = typename PairOf<Us...>::type;
};
template <class T, std::size_t K>
struct StdGroupOf<std::array<T, K>> {
  static constexpr bool value = true;
  using Members = Repeat<T, K>;
  template <class... Us>
  using With = std::array<At<0, List<Us...>>, sizeof...(Us)>;
};
template <class G>
concept StdGroup = StdGroupOf<G>::value;

/// A struct registered with HASTEN_STRUCT, which defines hasten_describe in the struct's namespace.
template <class S>
concept Registered = std::is_class_v<S> && requires(S* s) { hasten_describe(s); };
template <class S>
using Descriptor = decltype(hasten_describe(static_cast<S*>(nullptr)));

template <class T>
inline constexpr bool is_ix = false;
template <std::size_t N>
inline constexpr bool is_ix<Ix<N>> = true;

/// The member types of a compound element type.
template <class T>
struct MembersOf {
  using type = List<>;
};
template <StdGroup T>
struct MembersOf<T> {
  using type = typename StdGroupOf<T>::Members;
};
template <std::size_t N>
struct MembersOf<Ix<N>> {
  using type = Repeat<std::int64_t, N>;
};
template <Registered T>
struct MembersOf<T> {
  using type = typename Descriptor<T>::Types;
};
template <Sum T>
struct MembersOf<T> {
  using type = typename StdGroupOf<Stored<T>>::Members;
};
template <class T>
using Members = typename MembersOf<T>::type;
template <class T>
inline constexpr std::size_t member_count = Members<T>::size;

template <class T>
inline constexpr bool is_compound = StdGroup<T> || is_ix<T> || Registered<T>;

template <class T>
inline constexpr bool is_stored_by_member = StdGroup<T> || is_ix<T> || Registered<T> || Sum<T>;

template <class T>
inline constexpr bool is_element = Leaf<T>;
template <class L>
inline constexpr bool are_elements = false;
template <class... Ts>
inline constexpr bool are_elements<List<Ts...>> = (is_element<Ts> && ...);  // NOLINT: equal types
template <class T>
  requires is_stored_by_member<T>
inline constexpr bool is_element<T> = are_elements<Members<T>>;

/// Types that arrays may hold.
template <class T>
concept Element = is_element<T>;
/// Elements with members: std groups, Ix<N>, registered structs.
template <class T>
concept CompoundElement = Element<T> && is_compound<T>;

/// Whether < compares values of T: not for complex numbers or elements that contain them.
template <class T>
inline constexpr bool is_ordered = Leaf<T> && !is_complex_leaf<T>;
template <class L>
inline constexpr bool are_ordered = false;
template <class... Ts>
inline constexpr bool are_ordered<List<Ts...>> = (is_ordered<Ts> && ...);
template <class T>
  requires is_stored_by_member<T>
inline constexpr bool is_ordered<T> = are_ordered<Members<T>>;

/// The I-th member of a host value.
template <std::size_t I, class T>
constexpr decltype(auto) member(T& value) {
  using Plain = std::remove_const_t<T>;
  if constexpr (StdGroup<Plain>) {
    return std::get<I>(value);
  } else if constexpr (is_ix<Plain>) {
    return (value[I]);
  } else {
    return (value.*std::get<I>(Descriptor<Plain>::host()));
  }
}

// ---------------------------------------------------------------------------------------------
// Values and leaves
// ---------------------------------------------------------------------------------------------

template <class L>
inline constexpr std::size_t leaf_count_of_list = 0;
template <class T>
inline constexpr std::size_t leaf_count = Leaf<T> ? 1 : leaf_count_of_list<Members<T>>;
template <class... Ts>
inline constexpr std::size_t leaf_count_of_list<List<Ts...>> = (leaf_count<Ts> + ... + 0);

/// The member that holds leaf `leaf`, and the number of that leaf within the member.
template <class... Ts>
constexpr std::pair<std::size_t, std::size_t> place_of_leaf(List<Ts...>, std::size_t leaf) {
  const std::size_t counts[] = {leaf_count<Ts>...};
  std::size_t m = 0;
  for (; leaf >= counts[m]; ++m) leaf -= counts[m];
  return {m, leaf};
}

/// The type of leaf I of T.
template <std::size_t I, class T>
constexpr auto leaf_at() {
  if constexpr (Leaf<T>) {
    return std::type_identity<T>{};
  } else {
    constexpr auto place = place_of_leaf(Members<T>{}, I);
    return leaf_at<place.second, At<place.first, Members<T>>>();
  }
}
template <std::size_t I, class T>
using LeafAt = typename decltype(leaf_at<I, T>())::type;

template <class T, class Is = std::make_index_sequence<leaf_count<T>>>
struct ComponentPointersOf;
template <class T, std::size_t... I>
struct ComponentPointersOf<T, std::index_sequence<I...>> {
  using type = std::tuple<LeafAt<I, T>*...>;
  using to_const = std::tuple<const LeafAt<I, T>*...>;
};
/// One address per leaf.
template <class T>
using ComponentPointers = typename ComponentPointersOf<T>::type;
template <class T>
using ConstComponentPointers = typename ComponentPointersOf<T>::to_const;

/// The run-time type of an element type.
template <class T>
Type element_type() {
  if constexpr (Leaf<T>) {
    return leaf_type(LeafOf<T>::value);
  } else {
    static const Type type = with_indices<member_count<T>>([](auto... i) {
      const std::array<Type, sizeof...(i)> members{element_type<At<i, Members<T>>>()...};
      return tuple_type(members);
    });
    return type;
  }
}

/// Writes the leaves of element i and advances `leaf` past the last one written.
template <class T>
void store_leaves(const T& value, std::byte* const*& leaf, std::int64_t i) {
  if constexpr (Leaf<T>) {
    reinterpret_cast<T*>(*leaf++)[i] = value;
  } else if constexpr (Sum<T>) {
    store_leaves(stored(value), leaf, i);
  } else {
    with_indices<member_count<T>>(
        [&](auto... m) { (store_leaves(member<m>(value), leaf, i), ...); });
  }
}

/// Reads the leaves of element i and advances `leaf` past them.
template <class T>
void load_leaves(T& value, std::byte* const*& leaf, std::int64_t i) {
  if constexpr (Leaf<T>) {
    value = reinterpret_cast<const T*>(*leaf++)[i];
  } else if constexpr (Sum<T>) {
    Stored<T> parts;
    load_leaves(parts, leaf, i);
    value = StoredOf<T>::load(parts);
  } else {
    with_indices<member_count<T>>(
        [&](auto... m) { (load_leaves(member<m>(value), leaf, i), ...); });
  }
}

}  // namespace hasten::detail
