// Launches that are given some of their inputs when their last stage begins. Backends that scan in
// stages have them, beside backends::Backend.
#pragma once

#include "backends/backend.hpp"

#include <cstddef>

namespace hasten::backends {

/// Where a launch asks for the inputs whose address it was not given: what its last stage alone
/// reads (kernels/analysis/stages/late_inputs.hpp) may be under way from another device while the
/// other stages run.
class LateInputs {
 public:
  virtual ~LateInputs() = default;
  /// Once for each in a launch. Throws MemoryError.
  [[nodiscard]] virtual const std::byte* take(std::size_t input) = 0;
};

class TakesLateInputs {
 public:
  virtual ~TakesLateInputs() = default;
  /// As Backend::launch; `late` has the inputs whose address is null.
  virtual void launch_with_late(const Code& code, const LaunchArguments& arguments,
                                LateInputs& late) = 0;
};

}  // namespace hasten::backends
