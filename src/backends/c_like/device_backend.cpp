// Implements the functions of Backend by calls of the driver.
#include "backends/c_like/device_backend.hpp"

#include "backends/c_like/launch/recorder.hpp"
#include "support/env.hpp"

#include <algorithm>

namespace hasten::backends::c_like {

DeviceBackend::DeviceBackend(std::shared_ptr<Driver> driver, std::shared_ptr<const HostSort> sort)
    : driver_(std::move(driver)),
      host_memory_(dynamic_cast<WritesHostMemory*>(driver_.get())),
      host_sort_(std::move(sort)),
      host_functions_(host_sort_ ? dynamic_cast<RunsHostFunctions*>(driver_.get()) : nullptr),
      common_(*driver_),
      limit_(
          std::min(support::env_number("HASTEN_INDEX_LIMIT", {.least = 0}).value_or(narrow_limit),
                   narrow_limit)) {}

void DeviceBackend::launch(const Code& code, const LaunchArguments& arguments) {
  c_like::launch(*driver_, common_, static_cast<const LoadedKernel&>(code), arguments, limit_);
}

void DeviceBackend::launch_with_late(const Code& code, const LaunchArguments& arguments,
                                     LateInputs& late) {
  c_like::launch(*driver_, common_, static_cast<const LoadedKernel&>(code), arguments, limit_,
                 &late);
}

std::unique_ptr<Replay> DeviceBackend::record(std::span<const RecordedLaunch> launches) {
  Recorder recorder(*driver_);
  for (const RecordedLaunch& launch : launches)
    c_like::launch(recorder, common_, static_cast<const LoadedKernel&>(*launch.code),
                   launch.arguments, limit_);
  return make_replay(driver_, recorder.launches());
}

void DeviceBackend::sort_positions(std::span<const std::int64_t> extents,
                                   std::span<const core::ScalarType> types,
                                   std::span<const std::byte* const> keys, const SortedKeys& to,
                                   ScratchMemory* scratch) {
  std::int64_t rows = 1;
  for (const std::int64_t extent : extents.first(extents.size() - 1)) rows *= extent;
  if (host_functions_ && host_functions_->runs_host_functions() &&
      sort_on_host(*host_functions_, host_sort_, {rows, extents.back()}, types, keys, to, *scratch))
    return;
  common_.sorter.sort({rows, extents.back()}, types, keys, to, *scratch);
}

}  // namespace hasten::backends::c_like
