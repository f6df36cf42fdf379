// Examples of host arrays.
#include "docs/reference/examples/example.hpp"

#include <hasten/libraries/dlpack.hpp>

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
      3, [](Ix<1> i) { return static_cast<int>(10 * i[0]); }));      // [0, 10, 20]
  show(Vector<int>::borrow(3, numbers.data(), [] {}));               // [1, 2, 3]
  show(Matrix<int>::borrow({2, 2}, numbers.data(), {3, 1}, [] {}));  // [[1, 2], [4, 5]]
  show(Vector<int>::borrow(3, numbers.data() + 5, -2, [] {}));       // [6, 4, 2]
}
EXAMPLE(identical) {
  Vector<float> zero{0.0f}, negative{-0.0f};
  show(zero == negative);               // true
  show(hs::identical(zero, negative));  // false
}
EXAMPLE(from_dlpack) {
  auto* tensor = hs::to_dlpack(Matrix<float>{{1, 2}, {3, 4}});
  auto matrix = hs::from_dlpack<float, 2>(tensor);
  show(hs::sum(hs::use(matrix)));  // [3, 7]
}
EXAMPLE(to_dlpack) {
  auto* tensor = hs::to_dlpack(hs::run(hs::iota<float>(3) * 2.0f));
  show(tensor->dl_tensor.shape[0]);                            // 3
  show(static_cast<const float*>(tensor->dl_tensor.data)[2]);  // 4
  tensor->deleter(tensor);
}
