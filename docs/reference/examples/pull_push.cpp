// Examples of pull and push arrays.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto xs = [] { return hs::pull(hs::use(Vector<int>{1, 2, 3, 4})); };
const auto square = [](auto x) { return x * x; };

EXAMPLE(Pull) {
  hs::Pull<int, 1> squares = hs::map(square, xs());
  show(hs::force(
      hs::pull(2, [=](Exp<int64_t> i) { return squares(i) + squares(3 - i); })));  // [17, 13]
}
EXAMPLE(pull) {
  show(hs::force(hs::pull(
      hs::Ix(2, 3), [](auto i, auto j) { return 10 * i + j; })));  // [[0, 1, 2], [10, 11, 12]]
}
EXAMPLE(force) {
  show(hs::force(hs::reverse(hs::map(square, xs()))));  // [16, 9, 4, 1]
}
EXAMPLE(Push) {
  hs::Push<int, 1> twice = hs::concat(xs(), hs::map(square, xs()));
  show(hs::force(hs::map([](auto x) { return -x; }, twice)));  // [-1, -2, -3, -4, -1, -4, -9, -16]
}
EXAMPLE(push) {
  show(hs::force(hs::concat(hs::push(xs()), xs())));  // [1, 2, 3, 4, 1, 2, 3, 4]
}
EXAMPLE(push_many) {
  // Sums and differences of neighbours, one loop of two elements.
  auto butterfly = [](Exp<int64_t> i) {
    auto p = xs();
    return std::tuple{std::pair{i, p(2 * i) + p(2 * i + 1)},
                      std::pair{i + 2, p(2 * i) - p(2 * i + 1)}};
  };
  show(hs::force(hs::push_many<2>(2, 4, butterfly)));  // [3, 7, -1, -1]
}
EXAMPLE(interleave) {
  show(hs::force(hs::interleave(xs(), hs::map(square, xs()))));  // [1, 1, 2, 4, 3, 9, 4, 16]
}
EXAMPLE(permute_bijective) {
  show(hs::force(
      hs::permute_bijective(4, [](auto i) { return (i + 1) % 4; }, xs())));  // [4, 1, 2, 3]
}
EXAMPLE(imap) {
  show(hs::force(
      hs::imap([](auto i, auto x) { return i * hs::cast<int64_t>(x); }, xs())));  // [0, 2, 6, 12]
}
EXAMPLE(zip_with) {
  auto p = xs(), q = hs::reverse(xs());
  show(hs::force(hs::zip_with(std::minus<>{}, p, q)));  // [-3, -1, 1, 3]
  auto weighted = [](auto i, auto x, auto y) { return i * hs::cast<int64_t>(x + y); };
  show(hs::force(hs::izip_with(weighted, p, hs::map(square, q))));  // [0, 11, 14, 15]
  auto [first, second] = hs::unzip(hs::zip(p, q));
  show(hs::force(second));  // [4, 3, 2, 1]
}
EXAMPLE(transpose) {
  auto table = hs::reshape(hs::Ix(2, 2), xs());
  show(hs::force(hs::transpose(table)));           // [[1, 3], [2, 4]]
  show(hs::force(hs::transpose_on<0, 1>(table)));  // [[1, 3], [2, 4]]
  show(hs::force(hs::reverse_on<0>(table)));       // [[3, 4], [1, 2]]
  show(hs::force(hs::flatten(table)));             // [1, 2, 3, 4]
}
EXAMPLE(take) {
  show(hs::force(hs::take(2, hs::drop(1, xs()))));  // [2, 3]
  auto table = hs::replicate(hs::over(3, hs::keep), xs());
  show(hs::force(hs::take_on<0>(1, hs::drop_on<0>(2, table))));  // [[1, 2, 3, 4]]
  show(hs::force(hs::slice(hs::over(hs::keep, 2), table)));      // [3, 3, 3]
}
EXAMPLE(backpermute) {
  show(hs::force(hs::backpermute(2, [](auto i) { return 2 * i; }, xs())));  // [1, 3]
}
EXAMPLE(concat_on) {
  auto row = hs::reshape(hs::Ix(1, 4), xs());
  show(hs::force(hs::concat_on<0>(row, hs::reverse(row))));  // [[1, 2, 3, 4], [4, 3, 2, 1]]
}
EXAMPLE(stencil) {
  auto spread = [](auto at) { return at(1) - at(-1); };
  show(hs::force(hs::stencil(spread, hs::boundary::clamp, xs())));  // [1, 2, 2, 1]
}
EXAMPLE(fold) {
  show(hs::fold(std::plus<>{}, 10, xs()));     // 20
  show(hs::fold1(std::multiplies<>{}, xs()));  // 24
  show(hs::sum(xs()));                         // 10
  show(hs::product(xs()));                     // 24
  show(hs::minimum(xs()));                     // 1
  show(hs::maximum(xs()));                     // 4
  show(hs::argmin(xs()));                      // 0
  show(hs::argmax(xs()));                      // 3
  auto is_odd = [](auto x) { return x % 2 == 1; };
  show(hs::count(is_odd, xs()));   // 2
  show(hs::all_of(is_odd, xs()));  // false
  show(hs::any_of(is_odd, xs()));  // true
}
EXAMPLE(size) {
  auto p = xs();
  show(hs::force(hs::pull(1, [=](auto) { return hs::size(p) + hs::shape(p); })));  // [(8)]
}
