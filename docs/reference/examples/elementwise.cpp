// Examples of elementwise operations.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{1, 2, 3}); };
const auto ys = [] { return hs::use(Vector<int>{10, 20, 30}); };

EXAMPLE(map) {
  show(hs::map([](Exp<int> x) { return x * x; }, xs()));  // [1, 4, 9]
}
EXAMPLE(zip_with) {
  show(hs::zip_with([](Exp<int> x, Exp<int> y) { return x + y; }, xs(), ys()));  // [11, 22, 33]
}
EXAMPLE(imap) {
  auto f = [](Exp<int64_t> i, Exp<int> x) { return hs::cast<int>(i) * x; };
  show(hs::imap(f, ys()));  // [0, 20, 60]
}
EXAMPLE(izip_with) {
  auto f = [](Exp<int64_t> i, Exp<int> x, Exp<int> y) { return hs::cast<int>(i) + x + y; };
  show(hs::izip_with(f, xs(), ys()));  // [11, 23, 35]
}
EXAMPLE(indexed) {
  show(hs::indexed(ys()));  // [((0), 10), ((1), 20), ((2), 30)]
}
EXAMPLE(zip) {
  show(hs::zip(xs(), ys()));  // [(1, 10), (2, 20), (3, 30)]
}
EXAMPLE(unzip) {
  auto [firsts, seconds] = hs::unzip(hs::zip(xs(), ys()));
  show(firsts);   // [1, 2, 3]
  show(seconds);  // [10, 20, 30]
}
