// A call of a program on a machine that is not here: the plan that fission makes for so many
// devices is walked as it would be (runtime/execute, as in runtime/ranks), but work and messages
// take the time that a model says, and arrays have extents and no bytes.
//
// in:  a plan cut for the devices, extents of the arguments, numbers, a machine
// out: when each device was done, how long it worked, what it sent
// invariants: what depends on data is unknown, and taken as zero: a loop until a residual is small
// ends at once; a compaction keeps the share that is given
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
  double kept = 0.5;                                   // of what is compacted
};

/// The program is fission's for so many devices, made exact; see passes/fission.
[[nodiscard]] Simulated simulate(const kernels::Plan& plan, std::int64_t devices,
                                 const ModelMachine& machine, const SimulatedCall& call);

}  // namespace hasten::runtime
