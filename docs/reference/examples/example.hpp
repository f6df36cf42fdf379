// What the examples of the reference are written with.
#pragma once

#include <hasten/hasten.hpp>

#include <functional>
#include <iostream>
#include <sstream>
#include <tuple>
#include <utility>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace examples {

/// Calls an example when the program runs; `file` and `name` say which it is.
struct Registered {
  Registered(const char* file, const char* name, void (*function)());
};

/// Prints a line of the example that runs.
void print_line(const std::string& text);

template <class T>
concept Prints = requires(std::ostream& out, const T& x) { out << x; };
template <class T>
concept Element = hs::detail::is_element<T> && !Prints<T>;
template <class T>
concept Runs = hs::detail::ProgramValue<T> && !Prints<T> && !Element<T>;

template <class T>
std::string text_of(const T& x) {
  if constexpr (Runs<T>) {
    return text_of(hs::run(x));
  } else if constexpr (Element<T>) {
    return text_of(Scalar<T>{x});
  } else if constexpr (Prints<T>) {
    std::ostringstream out;
    out << std::boolalpha << x;
    return out.str();
  } else {
    return std::apply(
        [](const auto&... parts) {
          std::string all;
          ((all += (all.empty() ? "" : " and ") + text_of(parts)), ...);
          return all;
        },
        x);
  }
}

/// Runs a computation, if it is one, and prints the result.
template <class T>
void show(const T& x) {
  print_line(text_of(x));
}

}  // namespace examples

using examples::show;

#define EXAMPLE(name)                                                                    \
  static void example_##name();                                                          \
  static const examples::Registered registered_##name(__FILE__, #name, &example_##name); \
  static void example_##name()
