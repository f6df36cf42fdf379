// The entries of the library that Python calls, by theme; bench/peers/cases has the same themes.
#pragma once

#include <hasten/hasten.hpp>

namespace bench::peers {

/// What the peers may do as well: sums in any order, rough divisions and roots.
inline hasten::Options fast() {
  hasten::Options options;
  options.fast_math = hasten::FastMath::all;
  return options;
}

void add_elements(hasten::Library& library);
void add_grids(hasten::Library& library);
void add_moving(hasten::Library& library);
void add_rows(hasten::Library& library);

}  // namespace bench::peers
