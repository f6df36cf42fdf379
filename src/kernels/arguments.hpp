// Where a launch finds the arguments of its kernel.
#pragma once

#include "core/program.hpp"

#include <cstdint>

namespace hasten::kernels {

/// The source of a uniform argument: a host value, or the extent of a manifest array.
struct ArgumentSource {
  core::Value host = core::none;
  core::ArrayId array = core::none;
  std::uint32_t axis = 0;
  bool imaginary = false;  // of a complex host value, whose real part is another argument
  bool is_limit = false;   // of indices: the array's extent in a collapsed launch too
};

/// A component of a manifest array.
struct InputSource {
  core::ArrayId array;
  std::uint32_t leaf;
};

}  // namespace hasten::kernels
