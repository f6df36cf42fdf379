// Examples of segmented operations.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{1, 2, 3, 4, 5}); };
const auto lengths = [] { return hs::use(Vector<int>{2, 0, 3}); };

EXAMPLE(fold_seg) {
  show(hs::fold_seg(std::plus<>{}, 0, xs(), lengths()));  // [3, 0, 12]
}
EXAMPLE(fold1_seg) {
  show(hs::fold1_seg(std::plus<>{}, xs(), hs::use(Vector<int>{2, 3})));  // [3, 12]
}
EXAMPLE(fold_seg_offsets) {
  show(hs::fold_seg_offsets(std::plus<>{}, 0, xs(),
                            hs::use(Vector<int>{0, 2, 2, 5})));  // [3, 0, 12]
}
EXAMPLE(scanl_seg) {
  show(hs::scanl_seg(std::plus<>{}, 0, xs(), lengths()));  // [0, 1, 3, 0, 0, 3, 7, 12]
}
EXAMPLE(scanl1_seg) {
  show(hs::scanl1_seg(std::plus<>{}, xs(), lengths()));  // [1, 3, 3, 7, 12]
}
EXAMPLE(scanl_split_seg) {
  auto [before, totals] = hs::scanl_split_seg(std::plus<>{}, 0, xs(), lengths());
  show(before);  // [0, 1, 0, 3, 7]
  show(totals);  // [3, 0, 12]
}
EXAMPLE(prescanl_seg) {
  show(hs::prescanl_seg(std::plus<>{}, 0, xs(), lengths()));  // [0, 1, 0, 3, 7]
}
EXAMPLE(postscanl_seg) {
  show(hs::postscanl_seg(std::plus<>{}, 10, xs(), lengths()));  // [11, 13, 13, 17, 22]
}
EXAMPLE(scanr_seg) {
  show(hs::scanr_seg(std::plus<>{}, 0, xs(), lengths()));  // [3, 2, 0, 0, 12, 9, 5, 0]
}
EXAMPLE(scanr1_seg) {
  show(hs::scanr1_seg(std::plus<>{}, xs(), lengths()));  // [3, 2, 12, 9, 5]
}
EXAMPLE(scanr_split_seg) {
  auto [after, totals] = hs::scanr_split_seg(std::plus<>{}, 0, xs(), lengths());
  show(after);   // [2, 0, 9, 5, 0]
  show(totals);  // [3, 0, 12]
}
EXAMPLE(prescanr_seg) {
  show(hs::prescanr_seg(std::plus<>{}, 0, xs(), lengths()));  // [2, 0, 9, 5, 0]
}
EXAMPLE(postscanr_seg) {
  show(hs::postscanr_seg(std::plus<>{}, 10, xs(), lengths()));  // [13, 12, 22, 19, 15]
}
EXAMPLE(segment_ids) {
  show(hs::segment_ids(lengths()));  // [0, 0, 2, 2, 2]
}
EXAMPLE(fold_by_key) {
  auto keys = hs::use(Vector<int>{7, 7, 8, 8, 7});
  auto [runs, sums] = hs::fold_by_key(std::plus<>{}, keys, xs());
  show(runs);  // [7, 8, 7]
  show(sums);  // [3, 7, 5]
}
EXAMPLE(expand) {
  auto copies = [](Exp<int> x) { return x; };
  auto element = [](Exp<int> x, Exp<int64_t> k) { return 10 * hs::cast<int64_t>(x) + k; };
  show(hs::expand(copies, element, hs::use(Vector<int>{2, 0, 3})));  // [20, 21, 30, 31, 32]
}
