// Launches that receive some of their inputs when their last stage begins. An additional interface
// of backends that scan in stages, beside backends::Backend.
#pragma once

#include "backends/backend.hpp"

#include <cstddef>

namespace hasten::backends {

/// Provides the inputs whose address a launch was not given: inputs that only its last stage reads
/// (kernels/analysis/stages/late_inputs.hpp) may still arrive from another device while the other
/// stages run.
class LateInputs {
 public:
  virtual ~LateInputs() = default;
  /// Called once per input and launch. Throws MemoryError.
  [[nodiscard]] virtual const std::byte* take(std::size_t input) = 0;
};

class TakesLateInputs {
 public:
  virtual ~TakesLateInputs() = default;
  /// Same as Backend::launch; `late` provides the inputs whose address is null.
  virtual void launch_with_late(const Code& code, const LaunchArguments& arguments,
                                LateInputs& late) = 0;
};

}  // namespace hasten::backends
