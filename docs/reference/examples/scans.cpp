// Examples of scans.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{1, 2, 3}); };
const auto table = [] { return hs::use(Matrix<int>{{1, 2}, {3, 4}}); };

EXAMPLE(scanl) {
  show(hs::scanl(std::plus<>{}, 10, xs()));  // [10, 11, 13, 16]
}
EXAMPLE(scanl_on) {
  show(hs::scanl_on<0>(std::plus<>{}, 0, table()));  // [[0, 0], [1, 2], [4, 6]]
}
EXAMPLE(prescanl) {
  show(hs::prescanl(std::plus<>{}, 10, xs()));  // [10, 11, 13]
}
EXAMPLE(prescanl_on) {
  show(hs::prescanl_on<0>(std::plus<>{}, 0, table()));  // [[0, 0], [1, 2]]
}
EXAMPLE(postscanl) {
  show(hs::postscanl(std::plus<>{}, 10, xs()));  // [11, 13, 16]
}
EXAMPLE(postscanl_on) {
  show(hs::postscanl_on<0>(std::plus<>{}, 10, table()));  // [[11, 12], [14, 16]]
}
EXAMPLE(scanl1) {
  show(hs::scanl1(std::multiplies<>{}, xs()));  // [1, 2, 6]
}
EXAMPLE(scanl1_on) {
  show(hs::scanl1_on<0>(std::plus<>{}, table()));  // [[1, 2], [4, 6]]
}
EXAMPLE(scanl_split) {
  auto [before, total] = hs::scanl_split(std::plus<>{}, 10, xs());
  show(before);  // [10, 11, 13]
  show(total);   // 16
}
EXAMPLE(scanr) {
  show(hs::scanr(std::plus<>{}, 10, xs()));  // [16, 15, 13, 10]
}
EXAMPLE(scanr_on) {
  show(hs::scanr_on<0>(std::plus<>{}, 0, table()));  // [[4, 6], [3, 4], [0, 0]]
}
EXAMPLE(prescanr) {
  show(hs::prescanr(std::plus<>{}, 10, xs()));  // [15, 13, 10]
}
EXAMPLE(prescanr_on) {
  show(hs::prescanr_on<0>(std::plus<>{}, 0, table()));  // [[3, 4], [0, 0]]
}
EXAMPLE(postscanr) {
  show(hs::postscanr(std::plus<>{}, 10, xs()));  // [16, 15, 13]
}
EXAMPLE(postscanr_on) {
  show(hs::postscanr_on<0>(std::plus<>{}, 10, table()));  // [[14, 16], [13, 14]]
}
EXAMPLE(scanr1) {
  show(hs::scanr1(std::plus<>{}, xs()));  // [6, 5, 3]
}
EXAMPLE(scanr1_on) {
  show(hs::scanr1_on<0>(std::plus<>{}, table()));  // [[4, 6], [3, 4]]
}
EXAMPLE(scanr_split) {
  auto [after, total] = hs::scanr_split(std::plus<>{}, 10, xs());
  show(after);  // [15, 13, 10]
  show(total);  // 16
}
