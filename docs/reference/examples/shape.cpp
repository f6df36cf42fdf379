// Examples of shapes and indices.
#include "docs/reference/examples/example.hpp"

#include <vector>

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{1, 2, 3, 4}); };
const auto table = [] { return hs::use(Matrix<int>{{1, 2, 3}, {4, 5, 6}}); };

EXAMPLE(keep) {
  show(hs::slice(hs::over(hs::keep, 0), table()));  // [1, 4]
}
EXAMPLE(over) {
  show(hs::replicate(hs::over(hs::keep, 2), xs()));  // [[1, 1], [2, 2], [3, 3], [4, 4]]
}
EXAMPLE(reshape) {
  show(hs::reshape(hs::ix(2, 2), xs()));  // [[1, 2], [3, 4]]
}
EXAMPLE(flatten) {
  show(hs::flatten(table()));  // [1, 2, 3, 4, 5, 6]
}
EXAMPLE(replicate) {
  show(hs::replicate(hs::over(2, hs::keep), xs()));  // [[1, 2, 3, 4], [1, 2, 3, 4]]
}
EXAMPLE(slice) {
  show(hs::slice(hs::over(1, hs::keep), table()));  // [4, 5, 6]
}
EXAMPLE(backpermute) {
  show(hs::backpermute(2, [](Exp<int64_t> i) { return 2 * i; }, xs()));  // [1, 3]
}
EXAMPLE(transpose) {
  show(hs::transpose(table()));  // [[1, 4], [2, 5], [3, 6]]
}
EXAMPLE(transpose_on) {
  show(hs::transpose_on<0, 1>(table()));  // [[1, 4], [2, 5], [3, 6]]
}
EXAMPLE(reverse) {
  show(hs::reverse(table()));  // [[3, 2, 1], [6, 5, 4]]
}
EXAMPLE(reverse_on) {
  show(hs::reverse_on<0>(table()));  // [[4, 5, 6], [1, 2, 3]]
}
EXAMPLE(rotate) {
  show(hs::rotate(1, xs()));  // [2, 3, 4, 1]
}
EXAMPLE(rotate_on) {
  show(hs::rotate_on<0>(1, table()));  // [[4, 5, 6], [1, 2, 3]]
}
EXAMPLE(take) {
  show(hs::take(2, xs()));  // [1, 2]
}
EXAMPLE(take_on) {
  show(hs::take_on<0>(1, table()));  // [[1, 2, 3]]
}
EXAMPLE(drop) {
  show(hs::drop(3, xs()));  // [4]
}
EXAMPLE(drop_on) {
  show(hs::drop_on<0>(1, table()));  // [[4, 5, 6]]
}
EXAMPLE(init) {
  show(hs::init(xs()));  // [1, 2, 3]
}
EXAMPLE(init_on) {
  show(hs::init_on<0>(table()));  // [[1, 2, 3]]
}
EXAMPLE(tail) {
  show(hs::tail(xs()));  // [2, 3, 4]
}
EXAMPLE(tail_on) {
  show(hs::tail_on<0>(table()));  // [[4, 5, 6]]
}
EXAMPLE(slit) {
  show(hs::slit(1, 2, xs()));  // [2, 3]
}
EXAMPLE(slit_on) {
  show(hs::slit_on<-1>(1, 2, table()));  // [[2, 3], [5, 6]]
}
EXAMPLE(to_index) {
  show(hs::to_index(hs::ix(2, 3), hs::ix(1, 2)));  // 5
}
EXAMPLE(from_index) {
  show(hs::from_index(hs::shape(table()), 5));  // (1, 2)
}
EXAMPLE(intersect) {
  show(hs::intersect(hs::ix(2, 5), hs::shape(table())));  // (2, 3)
}
EXAMPLE(union_) {
  show(hs::union_(hs::ix(1, 5), hs::shape(table())));  // (2, 5)
}
EXAMPLE(in_range) {
  show(hs::in_range(hs::shape(table()), hs::ix(1, 3)));  // false
}
EXAMPLE(Ix) {
  Ix<2> shape{3, 4};
  show(shape[1]);                     // 4
  show(shape + Ix<2>{1, 1});          // (4, 5)
  show(hs::get<0>(hs::shape(xs())));  // 4
}
EXAMPLE(broadcast) {
  auto row = hs::use(Vector<int>{1, 2, 3});
  auto column = hs::use(Matrix<int>{{10}, {20}});
  show(hs::broadcast(hs::ix(2, 3), row));  // [[1, 2, 3], [1, 2, 3]]
  show(hs::broadcast(hs::ix(2, 3), row) +
       hs::broadcast(hs::ix(2, 3), column));  // [[11, 12, 13], [21, 22, 23]]
}
EXAMPLE(concat) {
  auto ys = hs::take(2, xs());
  show(hs::concat(ys, ys * 10));     // [1, 2, 10, 20]
  show(hs::concat(ys, ys, ys + 1));  // [1, 2, 1, 2, 2, 3]
  std::vector<Acc<Vector<int>>> parts{ys, ys, ys};
  show(hs::concat(parts));  // [1, 2, 1, 2, 1, 2]
}
EXAMPLE(concat_on) {
  show(hs::concat_on<0>(table(), hs::take_on<0>(1, table())));  // [[1, 2, 3], [4, 5, 6], [1, 2, 3]]
}
