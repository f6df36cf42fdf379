// Examples of joining.
#include "docs/reference/examples/example.hpp"

#include <vector>

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{1, 2}); };
const auto table = [] { return hs::use(Matrix<int>{{1, 2}, {3, 4}}); };

EXAMPLE(concat) {
  show(hs::concat(xs(), xs() * 10));       // [1, 2, 10, 20]
  show(hs::concat(xs(), xs(), xs() + 1));  // [1, 2, 1, 2, 2, 3]
  std::vector<Acc<Vector<int>>> parts{xs(), xs(), xs()};
  show(hs::concat(parts));  // [1, 2, 1, 2, 1, 2]
}
EXAMPLE(concat_on) {
  show(hs::concat_on<0>(table(), table()));  // [[1, 2], [3, 4], [1, 2], [3, 4]]
}
