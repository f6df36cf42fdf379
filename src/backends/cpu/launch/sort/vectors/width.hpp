// The vectors by which words are compared.
#pragma once

#include "backends/cpu/machine/levels.hpp"

namespace hasten::backends::cpu {

/// Bits of the widest vectors that the processor has, and HASTEN_CPU_WIDTH permits: 512, 256, or 0.
inline int compared_width() {
#if defined(__x86_64__)
  static const int bits = [] {
    const unsigned permitted = permitted_width().value_or(512);
    if (permitted >= 512 && __builtin_cpu_supports("avx512f") != 0) return 512;
    return permitted >= 256 && __builtin_cpu_supports("avx2") != 0 ? 256 : 0;
  }();
  return bits;
#else
  return 0;
#endif
}

}  // namespace hasten::backends::cpu
