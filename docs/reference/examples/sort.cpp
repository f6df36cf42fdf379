// Examples of sorting.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{3, -1, 2}); };

EXAMPLE(sort) {
  show(hs::sort(xs()));                         // [-1, 2, 3]
  show(hs::sort(xs(), hs::Order::descending));  // [3, 2, -1]
}
EXAMPLE(sort_by) {
  show(hs::sort_by([](Exp<int> x) { return hs::abs(x); }, xs()));  // [-1, 2, 3]
}
EXAMPLE(sort_by_key) {
  show(hs::sort_by_key(xs(), hs::use(Vector<int>{10, 20, 30})));  // [-1, 2, 3] and [20, 30, 10]
}
EXAMPLE(top_k) {
  show(hs::top_k(2, xs()));  // [3, 2] and [0, 2]
}
