// Simulates a call of a program on a modelled machine: the plan that fission makes for the devices
// is walked as in a real run (runtime/execute, like runtime/ranks), but work and messages take the
// time of a model, and arrays have extents and no bytes.
//
// in:  a plan cut for the devices, extents of the arguments, numbers, a machine
// out: when each device was done, how long it worked, what it sent
// invariants: data-dependent values are unknown, and taken as zero: a loop until a residual is
// small ends at once; a compaction keeps the given share
#pragma once

#include "core/program.hpp"
#include "kernels/plan.hpp"
#include "runtime/simulate/machine.hpp"

#include <cstdint>
#include <vector>

namespace hasten::runtime {

struct Simulated {
  struct Device {
    double busy = 0;                       // seconds
    std::int64_t messages = 0, bytes = 0;  // that it sent
  };
  double seconds = 0;  // until all devices were done
  std::vector<Device> devices;
};

struct SimulatedCall {
  std::vector<std::vector<std::int64_t>> shapes = {};  // of arguments, then of arrays of `use`
  std::vector<core::Bits> scalars = {};                // without cut points
  double kept = 0.5;                                   // of the elements of a compaction
};

/// The program is fission's for this many devices, made exact; see passes/fission.
[[nodiscard]] Simulated simulate(const kernels::Plan& plan, std::int64_t devices,
                                 const ModelMachine& machine, const SimulatedCall& call);

}  // namespace hasten::runtime
