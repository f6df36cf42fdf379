// The treatment of permute's sources that have the same target, as a run-time value.
#pragma once

#include <cstdint>

namespace hasten::detail {

/// How sources of a permute with the same target are treated.
enum class PermuteMode : std::uint8_t {
  combine,   // any number of sources per target: combine(new, old)
  unique,    // no two sources have the same target
  covering,  // unique, and every index of the result is a target of this permute or of a unique one
             // directly after it: the defaults only give the extent
};

}  // namespace hasten::detail
