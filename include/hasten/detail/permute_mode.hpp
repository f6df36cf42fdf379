// What happens where elements of a permute meet, as run-time value.
#pragma once

#include <cstdint>

namespace hasten::detail {

/// How the elements of a permute meet.
enum class PermuteMode : std::uint8_t {
  combine,   // any number of sources per target: combine(new, old)
  unique,    // no two sources have the same target
  covering,  // the same, and every index of the result is a target of this or of a unique one that
             // follows at once: the defaults only give the extent
};

}  // namespace hasten::detail
