// The list of passes and its runner.
#pragma once

#include "core/program.hpp"
#include "passes/fission/fission.hpp"

#include <hasten/run/options.hpp>

#include <functional>
#include <span>
#include <string_view>

namespace hasten::passes {

struct Pass {
  std::string_view name, purpose;
  core::Program (*run)(core::Program) = nullptr;
  /// Drops code that Checks would find failing: not for programs whose elements are checked.
  bool drops_failures = false;
  /// In place of `run`, and for programs whose elements are checked alone.
  core::Program (*check)(core::Program, Checks) = nullptr;
  /// In place of `run`, and for programs that several devices run.
  core::Program (*split)(core::Program, const FissionDevices&) = nullptr;
};

/// All passes, in order.
std::span<const Pass> passes();

/// After each pass: its name and the program. Used for dumps and for verification.
using Observer = std::function<void(std::string_view pass, const core::Program&)>;

/// Runs every pass in order but those named in HASTEN_SKIP_PASS (comma-separated; without
/// `fuse` every array is manifest). Needs a program without literal slots. Programs that are
/// checked are not split over several devices; parts in time they have.
core::Program optimise(core::Program program, const Observer& observer = {},
                       Checks checks = Checks::none, const FissionDevices& devices = {});

}  // namespace hasten::passes
