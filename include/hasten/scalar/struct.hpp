// HASTEN_STRUCT and HASTEN_GROUP: structs as elements, and as groups of arrays.
#pragma once

#include <hasten/scalar/exp.hpp>

namespace hasten {

/// The identity on array types: Fluid<Host> is a Fluid of host arrays.
template <class A>
using Host = A;

}  // namespace hasten

// Expands MACRO(ARGUMENT, member) for each of the following members, of which there are at most 64.
#define HASTEN_DETAIL_PARENS ()
#define HASTEN_DETAIL_EXPAND(...) \
  HASTEN_DETAIL_EXPAND3(HASTEN_DETAIL_EXPAND3(HASTEN_DETAIL_EXPAND3(__VA_ARGS__)))
#define HASTEN_DETAIL_EXPAND3(...) \
  HASTEN_DETAIL_EXPAND2(HASTEN_DETAIL_EXPAND2(HASTEN_DETAIL_EXPAND2(__VA_ARGS__)))
#define HASTEN_DETAIL_EXPAND2(...) \
  HASTEN_DETAIL_EXPAND1(HASTEN_DETAIL_EXPAND1(HASTEN_DETAIL_EXPAND1(__VA_ARGS__)))
#define HASTEN_DETAIL_EXPAND1(...) __VA_ARGS__
#define HASTEN_DETAIL_EACH(MACRO, ARGUMENT, ...) \
  __VA_OPT__(HASTEN_DETAIL_EXPAND(HASTEN_DETAIL_STEP(MACRO, ARGUMENT, __VA_ARGS__)))
#define HASTEN_DETAIL_STEP(MACRO, ARGUMENT, FIRST, ...) \
  MACRO(ARGUMENT, FIRST)                                \
  __VA_OPT__(HASTEN_DETAIL_AGAIN HASTEN_DETAIL_PARENS(MACRO, ARGUMENT, __VA_ARGS__))
#define HASTEN_DETAIL_AGAIN() HASTEN_DETAIL_STEP

#define HASTEN_DETAIL_EXP_MEMBER(S, MEMBER) ::hasten::Exp<decltype(S::MEMBER)> MEMBER;
#define HASTEN_DETAIL_MEMBER_TYPE(S, MEMBER) , decltype(S::MEMBER)
#define HASTEN_DETAIL_MEMBER_POINTER(S, MEMBER) , &S::MEMBER

namespace hasten::detail {

template <class First, class... Ts>
using ListBehind = List<Ts...>;
template <class... Pointers>
constexpr std::tuple<Pointers...> pointers_behind(int, Pointers... pointers) {
  return {pointers...};
}

}  // namespace hasten::detail

/// Makes a struct an element type, with the names of its members. Use it in the struct's own
/// namespace, after the struct and before its first Exp. A struct has up to 32 members, which may
/// be structs registered earlier.
///
///   struct Body { float x, y, z, mass; };
///   HASTEN_STRUCT(Body, x, y, z, mass);
#define HASTEN_STRUCT(S, ...)                                                              \
  [[maybe_unused]] inline auto hasten_describe(S*) {                                       \
    struct Members {                                                                       \
      HASTEN_DETAIL_EACH(HASTEN_DETAIL_EXP_MEMBER, S, __VA_ARGS__)                         \
    };                                                                                     \
    struct Description {                                                                   \
      using Exps [[maybe_unused]] = Members;                                               \
      using Types [[maybe_unused]] = ::hasten::detail::ListBehind<void HASTEN_DETAIL_EACH( \
          HASTEN_DETAIL_MEMBER_TYPE, S, __VA_ARGS__)>;                                     \
      static constexpr auto host() {                                                       \
        return ::hasten::detail::pointers_behind(                                          \
            0 HASTEN_DETAIL_EACH(HASTEN_DETAIL_MEMBER_POINTER, S, __VA_ARGS__));           \
      }                                                                                    \
      static constexpr auto exps() {                                                       \
        return ::hasten::detail::pointers_behind(                                          \
            0 HASTEN_DETAIL_EACH(HASTEN_DETAIL_MEMBER_POINTER, Members, __VA_ARGS__));     \
      }                                                                                    \
    };                                                                                     \
    return Description{};                                                                  \
  }                                                                                        \
  static_assert(::std::is_default_constructible_v<S>,                                      \
                "hasten: HASTEN_STRUCT needs a struct that can be made without arguments")

/// Makes a template over array handles a group: Fluid<Acc> in programs and loop states, Fluid<Host>
/// with host arrays. Use it in the template's own namespace, after the template.
///
///   template <template <class> class In> struct Fluid { In<Matrix<float>> density; };
///   HASTEN_GROUP(Fluid, density);
#define HASTEN_GROUP(G, ...)                                                         \
  template <template <class> class In>                                               \
  [[maybe_unused]] auto hasten_describe_group(G<In>*) {                              \
    struct Description {                                                             \
      static constexpr auto members() {                                              \
        return ::hasten::detail::pointers_behind(                                    \
            0 HASTEN_DETAIL_EACH(HASTEN_DETAIL_MEMBER_POINTER, G<In>, __VA_ARGS__)); \
      }                                                                              \
      using OnHost [[maybe_unused]] = G<::hasten::Host>;                             \
      using InProgram [[maybe_unused]] = G<::hasten::Acc>;                           \
    };                                                                               \
    return Description{};                                                            \
  }                                                                                  \
  static_assert(true)
