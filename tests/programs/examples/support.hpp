// Shared by the tests of the examples.
#pragma once

#include "tests/programs/support.hpp"

namespace hasten_test {

/// Runs on every target and device.
class ExampleTest : public OnEveryDevice {
 protected:
  template <class F>
  static auto compile(F f) {
    return hs::compile(f, GetParam());
  }
};

template <class T, class F>
hs::Matrix<T> matrix_of(std::int64_t rows, std::int64_t columns, F f) {
  return hs::Matrix<T>::from_function({rows, columns},
                                      [&](hs::Ix<2> ix) { return f(ix[0], ix[1]); });
}

}  // namespace hasten_test
