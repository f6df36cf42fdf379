// Profiles of programs: rows made from recordings, from the work of kernels, and from the measured
// speed of the machine.
#pragma once

#include "runtime/execute/executor.hpp"
#include "runtime/profile/recording.hpp"
#include "runtime/targets.hpp"

#include <hasten/run/report.hpp>

#include <memory>
#include <source_location>

namespace hasten::runtime {

/// A program that was called, or may be.
struct ProfileSource {
  std::shared_ptr<const LoadedPlan> loaded;  // null: interpreted
  std::shared_ptr<const Device> device;
  std::shared_ptr<Recording> recording;
  std::source_location where;
};

/// Measures the machine if necessary. From the first profile on launches of a device are timed.
[[nodiscard]] Profile profile(const ProfileSource& source);

}  // namespace hasten::runtime
