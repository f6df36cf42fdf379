// Examples of means, variances and soft-max.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto m = [] { return hs::use(Matrix<float>{{1, 2, 3}, {4, 8, 6}}); };

EXAMPLE(mean) {
  show(hs::mean(m()));                                            // [2, 6]
  show(hs::mean(hs::use(Vector<int>{1, 2})));                     // 1.5
  show(hs::is_nan(hs::the(hs::mean(hs::use(Vector<float>{})))));  // true
}
EXAMPLE(mean_on) {
  show(hs::mean_on<0>(m()));  // [2.5, 5, 4.5]
}
EXAMPLE(mean_all) {
  show(hs::mean_all(m()));  // 4
}
EXAMPLE(variance) {
  show(hs::variance(hs::use(Vector<float>{1, 3, 1, 3})));  // 1
  show(hs::variance(hs::use(Vector<float>{7})));           // 0
}
EXAMPLE(variance_on) {
  show(hs::variance_on<0>(m()));  // [2.25, 9, 2.25]
}
EXAMPLE(variance_all) {
  show(hs::variance_all(hs::use(Matrix<float>{{1, 3}, {3, 1}})));  // 1
}
EXAMPLE(softmax) {
  show(hs::softmax(hs::use(Matrix<float>{{1000, 1000}, {0, 0}})));  // [[0.5, 0.5], [0.5, 0.5]]
}
EXAMPLE(log_softmax) {
  // The cross entropy of predictions and the classes they should have had.
  auto scores = hs::use(Matrix<float>{{0, 0}, {800, 0}});
  auto wanted = hs::use(Vector<int>{0, 1});
  auto logs = hs::log_softmax(scores);
  auto losses = hs::imap([=](Exp<int64_t> i, Exp<int> k) { return -logs(i, k); }, wanted);
  show(losses);  // [0.6931472, 800]
}
