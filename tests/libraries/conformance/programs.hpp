// The conformance suite's programs, as entries of one library: of every operation on every element
// type one cell of the grid, and random programs.
#pragma once

#include "tests/conformance/tool/harness.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hasten::conformance {

/// Parameters are arrays, then a number of i64 and one of f32; results are arrays.
struct Exported {
  std::string entry;  // its name in the library
  Program program;
  Options options;
  std::vector<Inputs> inputs;  // that it is called with
};

/// The same ones in every process, to be run on the target here: all on the processor, and some on
/// a device, whose compiler is slow.
std::vector<Exported> exported_programs(const Target& target);

}  // namespace hasten::conformance
