// Examples of scatters and gathers.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{5, 6, 7, 8}); };
const auto zeros = [] { return hs::use(Vector<int>{0, 0, 0}); };
const auto at = [] { return hs::use(Vector<int>{2, 0, 9, 2}); };

EXAMPLE(permute) {
  // Even elements count at 0, odd ones at 1.
  auto parity = [](Exp<int64_t>, Exp<int> x) { return hs::cast<int64_t>(x % 2); };
  show(hs::permute(std::plus<>{}, zeros(), parity, xs()));  // [14, 12, 0]
}
EXAMPLE(permute_unique) {
  show(hs::permute_unique(zeros(), [](Exp<int64_t> i) { return 2 - i; }, xs()));  // [7, 6, 5]
}
EXAMPLE(scatter) {
  show(hs::scatter(hs::use(Vector<int>{2, 0}), zeros(), xs()));  // [6, 0, 5]
}
EXAMPLE(scatter_if) {
  auto mask = hs::use(Vector<int>{1, 0, 0, 0});
  auto is_set = [](Exp<int> m) { return m == 1; };
  show(hs::scatter_if(at(), mask, is_set, zeros(), xs()));  // [0, 0, 5]
}
EXAMPLE(gather) {
  show(hs::gather(hs::use(Vector<int>{3, 0, 3}), xs()));  // [8, 5, 8]
}
EXAMPLE(gather_if) {
  auto mask = hs::use(Vector<int>{1, 0, 1});
  auto is_set = [](Exp<int> m) { return m == 1; };
  show(hs::gather_if(hs::use(Vector<int>{3, 0, 2}), mask, is_set, zeros(), xs()));  // [8, 0, 7]
}
EXAMPLE(histogram) {
  show(hs::histogram(3, [](Exp<int> x) { return x - 5; }, xs()));  // [1, 1, 1]
}
