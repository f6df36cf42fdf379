// Examples of groups by key.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto keys = [] { return hs::use(Vector<int>{3, 1, 3, 2, 1}); };
const auto values = [] { return hs::use(Vector<float>{5, 2, 8, 1, 4}); };

EXAMPLE(group_by) {
  auto [distinct, offsets, sorted] = hs::group_by(keys(), values());
  show(distinct);  // [1, 2, 3]
  show(offsets);   // [0, 2, 3, 5]
  show(sorted);    // [2, 4, 1, 5, 8]
  // Whatever can be folded, of each group:
  auto least = [](Exp<float> x, Exp<float> y) { return hs::min(x, y); };
  show(hs::fold_seg_offsets(least, 100.0f, sorted, offsets));  // [2, 1, 5]
}
EXAMPLE(sum_by_key) {
  auto [distinct, sums] = hs::sum_by_key(keys(), values());
  show(distinct);  // [1, 2, 3]
  show(sums);      // [6, 1, 13]
}
EXAMPLE(count_by_key) {
  auto [distinct, counts] = hs::count_by_key(keys());
  show(distinct);  // [1, 2, 3]
  show(counts);    // [2, 1, 2]
}
