// From a core program to a plan: the stages in order, dumped and verified.
#pragma once

#include "core/program.hpp"
#include "kernels/plan.hpp"
#include "passes/fission/fission.hpp"
#include "runtime/report/dump.hpp"

#include <hasten/run/options.hpp>

#include <vector>

namespace hasten::runtime {

/// `is_parameter` by literal slot; the others are compiled in. Only the options for checks and
/// determinism matter.
[[nodiscard]] kernels::Plan make_plan(core::Program program, const std::vector<bool>& is_parameter,
                                      const Options& options, Dump& dump,
                                      const passes::FissionDevices& devices = {});

/// The slots that are parameters from the start.
[[nodiscard]] std::vector<bool> declared_parameters(const core::Program& program);

}  // namespace hasten::runtime
