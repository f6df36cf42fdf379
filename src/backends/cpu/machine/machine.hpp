// The properties of the machine that the CPU target generates code for.
#pragma once

#include "backends/cpu/machine/levels.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace hasten::backends::cpu {

struct Machine {
  std::string triple, cpu, features;  // as LLVM spells them
  std::string tune;     // the processor whose costs and latencies count; empty: those of `cpu`
  unsigned bits = 128;  // of the widest vector register used: 128, 256, 512
  bool fma = false;
  bool gather = false;          // has instructions for gathers and masked loads
  bool follows_blocks = false;  // its own prefetchers follow blocks of rows that are turned
  std::string math;             // SLEEF's suffix for this instruction set: "avx512f"

  /// Lanes of a register for elements of this many bytes.
  [[nodiscard]] unsigned lanes(std::size_t element_bytes) const {
    return bits / 8 / static_cast<unsigned>(element_bytes);
  }
  [[nodiscard]] bool has_mask_registers() const { return bits == 512; }
  /// Whether one instruction loads, or stores, only some lanes of a vector of such elements.
  [[nodiscard]] bool masks_reads_of(std::size_t element_bytes) const {
    return bits == 512 || (gather && element_bytes >= 4);
  }
};

/// The host. `bits_max` (0: no limit) disables wider instruction sets entirely.
Machine detect_machine(unsigned bits_max);
/// The minimal machine of a level, of the host's architecture.
Machine machine_of(Level level);

/// "19.1.7" and the like.
std::string llvm_version();
std::string sleef_version();

}  // namespace hasten::backends::cpu
