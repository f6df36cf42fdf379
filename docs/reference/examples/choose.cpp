// Examples of choosing elements.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{4, 4, 7, 2, 2, 2}); };
const auto even = [](Exp<int> x) { return x % 2 == 0; };

EXAMPLE(filter) {
  show(hs::filter(even, xs()));  // [4, 4, 2, 2, 2]
  auto table = hs::use(Matrix<int>{{1, 2}, {4, 6}});
  show(hs::filter(even, table));  // [2, 4, 6] and [1, 2]
}
EXAMPLE(compact) {
  show(hs::compact(hs::use(Vector<bool>{true, false, true, true, false, false}),
                   xs()));  // [4, 7, 2]
}
EXAMPLE(partition) {
  show(hs::partition(even, xs()));  // [4, 4, 2, 2, 2] and [7]
}
EXAMPLE(unique) {
  show(hs::unique(xs()));  // [4, 7, 2]
}
EXAMPLE(run_lengths) {
  show(hs::run_lengths(xs()));  // [4, 7, 2] and [2, 1, 3]
}
