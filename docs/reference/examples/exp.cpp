// Examples of scalars and array handles.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto table = [] { return hs::use(Matrix<int>{{1, 2, 3}, {4, 5, 6}}); };

EXAMPLE(Exp) {
  Exp<float> x = 2.0f;
  show(x * x + 1.0f);  // 5
  Exp<std::tuple<int, float>> pair{1, 2.5f};
  auto [number, fraction] = pair;
  show(hs::cast<float>(number) + fraction);  // 3.5
}
EXAMPLE(get) {
  Exp<std::tuple<int, float>> pair{1, 2.5f};
  show(hs::get<1>(pair));  // 2.5
}
EXAMPLE(ix) {
  show(table()[hs::ix(1, 2)]);    // 6
  show(hs::shape(table()) * 10);  // (20, 30)
}
EXAMPLE(update) {
  // How often each remainder occurs: counts in an element, which are no array.
  Exp<std::array<int, 3>> none{0, 0, 0};
  auto xs = hs::use(Vector<int>{1, 4, 6, 7});
  auto count = [=](Exp<int64_t> k, Exp<std::array<int, 3>> counts) {
    auto remainder = xs[k] % 3;
    return hs::update(counts, remainder, counts[remainder] + 1);
  };
  show(hs::fold_range(hs::size(xs), none, count));  // (1, 3, 0)
}
EXAMPLE(Acc) {
  Acc<Matrix<int>> a = table();
  show(a(1, 0));      // 4
  show(a.linear(5));  // 6
  show(a + a * 10);   // [[11, 22, 33], [44, 55, 66]]
}
EXAMPLE(the) {
  show(hs::the(hs::sum_all(table())) * 2);  // 42
}
EXAMPLE(shape) {
  show(hs::shape(table()));  // (2, 3)
}
EXAMPLE(size) {
  show(hs::size(table()));  // 6
}
