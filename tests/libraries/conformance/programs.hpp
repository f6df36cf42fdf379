// The conformance suite's programs as entries of one library: one cell of the grid for every
// operation on every element type, and random programs.
#pragma once

#include "tests/conformance/tool/harness.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hasten::conformance {

/// Parameters are arrays, then an i64 number and an f32 number; results are arrays.
struct Exported {
  std::string entry;  // its name in the library
  Program program;
  Options options;
  std::vector<Inputs> inputs;  // of its calls
};

/// The same programs in every process, for the target here: all of them on the processor, and some
/// on a device, whose compiler is slow.
std::vector<Exported> exported_programs(const Target& target);

}  // namespace hasten::conformance
