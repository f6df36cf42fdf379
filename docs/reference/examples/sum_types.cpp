// Examples of optionals and variants.
#include "docs/reference/examples/example.hpp"

#include <optional>
#include <variant>

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{4, -9}); };
const auto root = [](Exp<int> x) {
  return hs::select(x < 0, hs::none, hs::some(hs::sqrt(hs::cast<float>(x))));
};

EXAMPLE(some) {
  show(hs::map(root, xs()));  // [(true, 2), (false, 0)]
}
EXAMPLE(None) {
  Exp<std::optional<int>> nothing = hs::none;
  show(hs::has_value(nothing));  // false
}
EXAMPLE(has_value) {
  show(hs::has_value(hs::map(root, xs())));  // [true, false]
}
EXAMPLE(value_or) {
  show(hs::value_or(hs::map(root, xs()), -1.0f));  // [2, -1]
}
EXAMPLE(match) {
  auto text = [&](Exp<int> x) {
    return hs::match(root(x), [](Exp<float> y) { return y * 10.0f; }, [] { return 0.0f; });
  };
  show(hs::map(text, xs()));  // [20, 0]
  Exp<std::variant<int, float>> number = Exp<float>(2.5f);
  show(hs::match(
      number, [](Exp<int> i) { return i; }, [](Exp<float> f) { return hs::cast<int>(f); }));  // 2
}
EXAMPLE(variant_of) {
  auto second = hs::variant_of<std::variant<int, int>, 1>(Exp<int>(7));
  show(hs::match(second, [](Exp<int>) { return 0; }, [](Exp<int> x) { return x; }));  // 7
}
