// Examples of folds.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{3, 1, 2}); };
const auto table = [] { return hs::use(Matrix<int>{{1, 2, 3}, {6, 5, 4}}); };
const auto even = [](Exp<int> x) { return x % 2 == 0; };

EXAMPLE(fold) {
  show(hs::fold(std::plus<>{}, 10, xs()));     // 16
  show(hs::fold(std::plus<>{}, 10, table()));  // [16, 25]
}
EXAMPLE(fold_on) {
  show(hs::fold_on<0>(std::plus<>{}, 10, table()));  // [17, 17, 17]
}
EXAMPLE(fold_all) {
  show(hs::fold_all(std::plus<>{}, 10, table()));  // 31
}
EXAMPLE(fold1) {
  // The operator is associative, and its order is kept: the last element.
  show(hs::fold1([](Exp<int>, Exp<int> y) { return y; }, table()));  // [3, 4]
}
EXAMPLE(fold1_on) {
  show(hs::fold1_on<0>(std::multiplies<>{}, table()));  // [6, 10, 12]
}
EXAMPLE(fold1_all) {
  show(hs::fold1_all(std::plus<>{}, table()));  // 21
}
EXAMPLE(sum) {
  show(hs::sum(table()));  // [6, 15]
  // Widened first: the sum does not wrap at 256.
  show(hs::sum<int64_t>(hs::use(Vector<uint8_t>{200, 100})));  // 300
}
EXAMPLE(sum_on) {
  show(hs::sum_on<0>(table()));  // [7, 7, 7]
}
EXAMPLE(sum_all) {
  show(hs::sum_all(table()));  // 21
}
EXAMPLE(product) {
  show(hs::product(table()));  // [6, 120]
}
EXAMPLE(product_on) {
  show(hs::product_on<0>(table()));  // [6, 10, 12]
}
EXAMPLE(product_all) {
  show(hs::product_all(table()));  // 720
}
EXAMPLE(minimum) {
  show(hs::minimum(table()));  // [1, 4]
}
EXAMPLE(minimum_on) {
  show(hs::minimum_on<0>(table()));  // [1, 2, 3]
}
EXAMPLE(minimum_all) {
  show(hs::minimum_all(table()));  // 1
}
EXAMPLE(maximum) {
  show(hs::maximum(table()));  // [3, 6]
}
EXAMPLE(maximum_on) {
  show(hs::maximum_on<0>(table()));  // [6, 5, 4]
}
EXAMPLE(maximum_all) {
  show(hs::maximum_all(table()));  // 6
}
EXAMPLE(argmin) {
  show(hs::argmin(xs()));     // 1
  show(hs::argmin(table()));  // [0, 2]
}
EXAMPLE(argmin_on) {
  show(hs::argmin_on<0>(table()));  // [0, 0, 0]
}
EXAMPLE(argmin_all) {
  show(hs::argmin_all(table()));  // (0, 0)
}
EXAMPLE(argmax) {
  show(hs::argmax(table()));  // [2, 0]
}
EXAMPLE(argmax_on) {
  show(hs::argmax_on<0>(table()));  // [1, 1, 1]
}
EXAMPLE(argmax_all) {
  show(hs::argmax_all(table()));  // (1, 0)
}
EXAMPLE(count) {
  show(hs::count(even, table()));                             // [1, 2]
  show(hs::count(hs::use(Vector<bool>{true, false, true})));  // 2
}
EXAMPLE(count_on) {
  show(hs::count_on<0>(even, table()));  // [1, 1, 1]
}
EXAMPLE(count_all) {
  show(hs::count_all(even, table()));  // 3
}
EXAMPLE(all_of) {
  show(hs::all_of(even, table()));  // [false, false]
}
EXAMPLE(all_of_on) {
  show(hs::all_of_on<0>([](Exp<int> x) { return x > 1; }, table()));  // [false, true, true]
}
EXAMPLE(all_of_all) {
  show(hs::all_of_all([](Exp<int> x) { return x > 0; }, table()));  // true
}
EXAMPLE(any_of) {
  show(hs::any_of([](Exp<int> x) { return x > 5; }, table()));  // [false, true]
}
EXAMPLE(any_of_on) {
  show(hs::any_of_on<0>([](Exp<int> x) { return x > 5; }, table()));  // [true, false, false]
}
EXAMPLE(any_of_all) {
  show(hs::any_of_all([](Exp<int> x) { return x > 5; }, table()));  // true
}
