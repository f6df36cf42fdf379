// Examples of host arrays.
#include "docs/reference/examples/example.hpp"

#include <vector>

EXAMPLE(Array) {
  Vector<float> v{1, 2, 3};
  Matrix<int> m{{1, 2}, {3, 4}};
  show(v.size());   // 3
  show(m.shape());  // (2, 2)
  show(m(1, 0));    // 3
  show(m == m);     // true
  std::vector<int> numbers{1, 2, 3, 4, 5, 6};
  show(Matrix<int>({2, 3}, numbers));  // [[1, 2, 3], [4, 5, 6]]
  show(Vector<int>::from_function(
      3, [](Ix<1> i) { return static_cast<int>(10 * i[0]); }));  // [0, 10, 20]
  show(Vector<int>::borrow(3, numbers.data(), [] {}));           // [1, 2, 3]
}
EXAMPLE(identical) {
  Vector<float> zero{0.0f}, negative{-0.0f};
  show(zero == negative);               // true
  show(hs::identical(zero, negative));  // false
}
