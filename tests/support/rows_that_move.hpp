// Programs whose results are other rows of their arguments than those of the same number: what is
// cut into parts takes each part's rows from wherever they are.
#pragma once

#include <hasten/hasten.hpp>

#include <cstdint>
#include <functional>

namespace hasten::test {

/// Calls `check` with each program, a function of a vector of int32_t.
template <class Check>
void for_rows_that_move(Check check) {
  namespace hs = hasten;
  check([](auto a) { return hs::tail(a) - hs::init(a); });
  check([](auto a) { return hs::zip_with(std::multiplies<>{}, a, hs::tail(a * 3)); });
  check([](auto a) { return hs::sum(hs::drop(hs::size(a) / 3, a)); });
  check([](auto a) { return hs::drop(1, hs::take(hs::size(a) - 2, a + 1)) * 2; });
  check([](auto a) { return hs::drop(std::int64_t{1} << 62, a) + 1; });
  check([](auto a) { return hs::slit(7, hs::size(a) / 2, a) * 5; });
  check([](auto a) { return hs::tail(hs::scanl(std::plus<>{}, 0, a)) - a; });
  check([](auto a) {
    return hs::sum(hs::reshape(hs::ix(hs::size(a) / 5, 5), hs::take(hs::size(a) / 5 * 5, a)));
  });
  const auto between = [](auto a) {
    return hs::generate(hs::max(hs::size(a) - 3, 0),
                        [=](auto i) { return a[i + 3] - 2 * a[i + 1]; });
  };
  check(between);
  check([=](auto a) { return between(hs::compute(a + 1)); });
  check([](auto a) {  // read where the longer result has an element
    return hs::generate(hs::size(a) + 9, [=](auto i) {
      return hs::select(i < hs::size(a), a[i], hs::cast<std::int32_t>(i));
    });
  });
}

}  // namespace hasten::test
