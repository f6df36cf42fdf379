// From a core program to a plan: the stages in order, dumped and verified.
#pragma once

#include "core/program.hpp"
#include "kernels/plan.hpp"
#include "passes/fission/fission.hpp"
#include "passes/literals.hpp"
#include "runtime/report/dump.hpp"

#include <hasten/run/options.hpp>

namespace hasten::runtime {

/// Literals that are no parameters are compiled in. Only the options for checks and determinism
/// matter.
[[nodiscard]] kernels::Plan make_plan(core::Program program, const passes::Parameters& parameters,
                                      const Options& options, Dump& dump,
                                      const passes::FissionDevices& devices = {});

/// The literals that are parameters from the start.
[[nodiscard]] passes::Parameters declared_parameters(const core::Program& program);

}  // namespace hasten::runtime
