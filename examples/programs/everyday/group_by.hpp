// A table grouped by a column: the total of each customer, and the ten largest.
#pragma once

#include <hasten/hasten.hpp>
#include <tuple>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

// The customers with the largest totals, and these, the largest first. Any numbers are customers.
inline std::tuple<Acc<Vector<int64_t>>, Acc<Vector<float>>> top_customers(
    Exp<int64_t> how_many, Acc<Vector<int64_t>> customers, Acc<Vector<float>> amounts) {
  auto [distinct, totals] = hs::sum_by_key(customers, amounts);
  auto [largest, places] = hs::top_k(how_many, totals);
  return {hs::gather(places, distinct), largest};
}

// The same of a column of categories, numbers from 0 to `count` - 1: nothing needs to be sorted.
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
