// How fast the machine is, by kernels of the target's own: docs/machine-facts.md.
#pragma once

#include "backends/backend.hpp"
#include "backends/cpu/machine/machine.hpp"

namespace hasten::backends::cpu {

/// What tables say, and what some two hundred milliseconds of work on all threads tell. Less where
/// there is no memory for it.
[[nodiscard]] Facts measure_facts(Facts facts, const Machine& machine, int threads);

}  // namespace hasten::backends::cpu
