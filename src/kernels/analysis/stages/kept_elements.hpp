// Elements of a map that a reduction of their row has already computed: a soft-max's exponentials.
//
// in:  a map with stages
// out: which value of a reduction's element equals which of the map's, and the map's element
//      without the code that only that value needs
#pragma once

#include "kernels/kernel.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace hasten::kernels {

/// At every inner index `element` equals `folded` at the same step of the reduction. The value can
/// be kept in the output's row, whose memory holds it as exactly as registers do, until the row's
/// elements are computed.
struct KeptElement {
  Value reduction;     // its first result
  Value end;           // of the reduction, which begins at 0: a scalar of the kernel
  Value folded;        // in the reduction's element
  Value element;       // in the map's
  std::size_t output;  // in which no other value is kept
};

/// The kept values, and the rest of the element, with one additional parameter per value.
struct KeptElements {
  std::vector<KeptElement> kept;
  Region element;
};

/// For a map in rows; none where nothing costly is computed twice.
[[nodiscard]] std::optional<KeptElements> find_kept_elements(const Kernel& map);

}  // namespace hasten::kernels
