// Measures the machine's speed with kernels of the target itself: docs/machine-facts.md.
#pragma once

#include "backends/backend.hpp"
#include "backends/cpu/machine/machine.hpp"

namespace hasten::backends::cpu {

/// The facts of the tables, and those that some two hundred milliseconds of work on all threads
/// yield. Fewer where there is no memory for it.
[[nodiscard]] Facts measure_facts(Facts facts, const Machine& machine, int threads);

}  // namespace hasten::backends::cpu
