// What the tests of short axes share: arrays of numbers, and programs compared with the
// interpreter.
#pragma once

#include "../support.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hasten_test {

/// A test on every device whose programs give what the interpreter gives.
class AgainstInterpreter : public OnEveryDevice {
 protected:
  template <class P>
  static void expect_same(const P& program, const std::string& what) {
    EXPECT_EQ(run(program), hs::run(program, {.target = hs::interpreter()})) << what;
  }
};

/// An array of this shape with numbers from -100 to 150, converted to T.
template <class T, std::size_t N>
hs::Acc<hs::Array<T, N>> numbers_of(hs::Ix<N> shape) {
  std::vector<T> result(static_cast<std::size_t>(shape.product()));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<T>(static_cast<int>(i * 7919 % 251) - 100);
  return hs::use(hs::Array<T, N>(shape, result));
}

}  // namespace hasten_test
