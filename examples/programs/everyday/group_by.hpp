// Groups a table by a column: the total of each customer, and the largest totals.
#pragma once

#include <hasten/hasten.hpp>
#include <tuple>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

// The customers with the largest totals, and these totals, the largest first. Any integer can be a
// customer.
inline std::tuple<Acc<Vector<int64_t>>, Acc<Vector<float>>> top_customers(
    Exp<int64_t> how_many, Acc<Vector<int64_t>> customers, Acc<Vector<float>> amounts) {
  auto [distinct, totals] = hs::sum_by_key(customers, amounts);
  auto [largest, places] = hs::top_k(how_many, totals);
  return {hs::gather(places, distinct), largest};
}

// The same for a column of categories, numbered from 0 to `count` - 1: no sort of the table.
inline std::tuple<Acc<Vector<int64_t>>, Acc<Vector<float>>> top_categories(
    Exp<int64_t> how_many, Exp<int64_t> count, Acc<Vector<int32_t>> categories,
    Acc<Vector<float>> amounts) {
  auto totals = hs::histogram(
      count, [](auto category, auto) { return category; }, [](auto, auto amount) { return amount; },
      hs::zip(categories, amounts));
  auto [largest, places] = hs::top_k(how_many, totals);
  return {places, largest};
}

}  // namespace programs
