// The common part of all libraries that are opened at run time.
#pragma once

#include "support/env.hpp"

#include <hasten/run/error.hpp>

#include <dlfcn.h>

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>

namespace hasten::detail {

template <class F>
bool find(void* library, const std::string& name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name.c_str()));
  return function != nullptr;
}

/// Only the file that `variable` names, else the first of `files` that `open` accepts: it is called
/// with the opened library and its name, and returns whether it has everything needed.
template <class Open>
void open_first(const char* variable, std::initializer_list<const char*> files, Open open) {
  const auto is_taken = [&](const std::string& file) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    return library && open(library, file);
  };
  const std::string own = support::env(variable);
  if (!own.empty()) {
    (void)is_taken(own);
    return;
  }
  for (const char* const file : files)
    if (is_taken(file)) return;
}

/// A library's functions for each type of numbers, by BLAS' letters.
template <template <class> class Functions>
struct ByNumber {
  Functions<float> s;
  Functions<double> d;
  Functions<std::complex<float>> c;
  Functions<std::complex<double>> z;

  template <class T>
  [[nodiscard]] const Functions<T>& of() const {
    if constexpr (std::is_same_v<T, float>) {
      return s;
    } else if constexpr (std::is_same_v<T, double>) {
      return d;
    } else if constexpr (std::is_same_v<T, std::complex<float>>) {
      return c;
    } else {
      return z;
    }
  }
};

/// An extent for `library`, on behalf of `who`. Throws ShapeError beyond 2^31 - 1; `instead`
/// suggests an alternative.
inline int count_in_32_bits(std::int64_t extent, const char* who, const std::string& library,
                            const char* instead) {
  if (extent > std::numeric_limits<int>::max())
    throw ShapeError(std::string(who) + ": an extent of " + std::to_string(extent) + ", but " +
                     library + " counts in 32 bits; " + instead);
  return static_cast<int>(extent);
}

}  // namespace hasten::detail
