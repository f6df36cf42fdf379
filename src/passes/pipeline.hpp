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
  /// Drops code that Checks would report as failing: not for programs whose elements are checked.
  bool drops_failures = false;
  /// Drops comparisons of extents: not for programs with any checks.
  bool drops_extents = false;
  /// Replaces `run`, and runs only for programs whose elements are checked.
  core::Program (*check)(core::Program, Checks) = nullptr;
  /// Replaces `run`, and runs only for programs that several devices run.
  core::Program (*split)(core::Program, const FissionDevices&) = nullptr;
};

/// All passes, in order.
std::span<const Pass> passes();

/// Called after each pass with its name and the program. Used for dumps and for verification.
using Observer = std::function<void(std::string_view pass, const core::Program&)>;

/// Runs every pass in order except those named in HASTEN_SKIP_PASS (comma-separated; without `fuse`
/// every array is manifest). Needs a program without literal slots. Checked programs are not split
/// over several devices; they are split into parts in time.
core::Program optimise(core::Program program, const Observer& observer = {},
                       Checks checks = Checks::none, const FissionDevices& devices = {});

}  // namespace hasten::passes
