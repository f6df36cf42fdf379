// Finds very few first positions of a row in one pass.
#pragma once

#include "backends/cpu/launch/sort/sort_keys.hpp"

#include <cstdint>

namespace hasten::backends::cpu {

/// As select_first, for at most 16 of many keys of one component of 32 or 64 bits: those
/// found so far are kept in order, and vectors of keys are compared with the last of them. Of n
/// keys in random order, count * (1 + ln(n / count)) are kept for some time. Returns false, and
/// writes nothing, for others, and where far more are.
bool select_few(const Keys& keys, std::int64_t first, std::int64_t n, std::int64_t count,
                std::int64_t* positions);

}  // namespace hasten::backends::cpu
