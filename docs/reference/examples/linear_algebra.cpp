// Examples of products and norms.
#include "docs/reference/examples/example.hpp"

#include <complex>

// Used in the examples:
const auto m = [] { return hs::use(Matrix<float>{{1, 2, 3}, {4, 5, 6}}); };
const auto v = [] { return hs::use(Vector<float>{1, 0, 2}); };

EXAMPLE(matmul) {
  show(hs::matmul(m(), hs::transpose(m())));             // [[14, 32], [32, 77]]
  show(hs::matmul(m(), v()));                            // [7, 16]
  show(hs::matmul(hs::use(Vector<float>{1, 10}), m()));  // [41, 52, 63]
  auto bytes = hs::use(Matrix<int8_t>{{100, 100}});
  show(hs::matmul<int>(bytes, hs::transpose(bytes)));  // [[20000]]
}
EXAMPLE(dot) {
  show(hs::dot(v(), hs::use(Vector<float>{3, 4, 5})));  // 13
}
EXAMPLE(outer) {
  show(hs::outer(hs::use(Vector<int>{1, 10}),
                 hs::use(Vector<int>{1, 2, 3})));  // [[1, 2, 3], [10, 20, 30]]
}
EXAMPLE(norm2) {
  show(hs::norm2(hs::use(Matrix<float>{{3, 4}, {6, 8}})));                // [5, 10]
  show(hs::norm2(hs::use(Vector<std::complex<float>>{{0, 3}, {4, 0}})));  // 5
}
EXAMPLE(norm2_on) {
  show(hs::norm2_on<0>(hs::use(Matrix<float>{{3, 0}, {4, 2}})));  // [5, 2]
}
EXAMPLE(norm2_all) {
  show(hs::norm2_all(hs::use(Matrix<float>{{1, 1}, {1, 1}})));  // 2
}
