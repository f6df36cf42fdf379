// Elements of a map that a reduction of their row has computed before: a soft-max's exponentials.
//
// in:  a map with stages
// out: which value of a reduction's element is which of the map's, and the map's element without
//      what only that value needs
#pragma once

#include "kernels/kernel.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace hasten::kernels {

/// At every inner index `element` is what `folded` is at the same step of the reduction. It can
/// wait in the output's row, whose memory holds it as registers do, until the row's elements are
/// computed.
struct KeptElement {
  Value reduction;     // its first result
  Value end;           // of the reduction, which begins at 0: a scalar of the kernel
  Value folded;        // in the reduction's element
  Value element;       // in the map's
  std::size_t output;  // of which no other value waits in
};

/// What is kept, and the element that is left: it has further parameters, one for each value.
struct KeptElements {
  std::vector<KeptElement> kept;
  Region element;
};

/// Of a map in rows; none where nothing costly is computed twice.
[[nodiscard]] std::optional<KeptElements> find_kept_elements(const Kernel& map);

}  // namespace hasten::kernels
