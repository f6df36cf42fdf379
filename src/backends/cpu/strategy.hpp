// How many lanes a kernel runs in, and what an element roughly costs.
#pragma once

#include "backends/cpu/contraction.hpp"
#include "backends/cpu/emit/hoisting.hpp"
#include "backends/cpu/machine/machine.hpp"
#include "kernels/kernel.hpp"

#include <cstdint>
#include <string>

namespace hasten::backends::cpu {

struct Strategy {
  unsigned lanes = 1;
  unsigned lanes_across = 0;       // a fold along the reduction, of rows that are short
  std::int64_t short_row = 0;      // which have fewer elements: the same on every machine
  std::int64_t rows_together = 1;  // a fold along the reduction: rows that share what they read
  bool in_order = false;           // a fold or scan along its axis whose operator needs an order
  ContractionTile contraction;     // of a fold; see there
  double nanoseconds = 0;          // of one element of the space, to size tasks
};

Strategy choose_strategy(const kernels::Kernel& kernel, const Machine& machine);

/// "32 lanes across, tiles of 14 x 32 results from panels where these pay"
std::string describe(const Strategy& strategy, const kernels::Kernel& kernel);

/// What most elements of the space run: the interior's function where there is one.
inline const kernels::Region& usual_element(const kernels::Kernel& kernel) {
  return kernel.interior ? kernel.interior->element : kernel.element;
}

/// Places of the parameters of `element`: outer indices at level 1, the lanes' index at level 2.
std::vector<Place> element_places(const kernels::Kernel& kernel, bool lanes);

}  // namespace hasten::backends::cpu
