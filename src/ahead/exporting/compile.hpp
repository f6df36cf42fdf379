// From a library's programs to what its files are made of.
#pragma once

#include "ahead/exporting/source.hpp"
#include "backends/cpu/machine/levels.hpp"

#include <hasten/run/library.hpp>

#include <string>
#include <vector>

namespace hasten::ahead {

/// For what a library is compiled; of levels and devices one at least.
struct Targets {
  std::vector<backends::cpu::Level> levels;
  std::vector<Device> devices;
};

/// Machine code and data go to the file, a static library. Throws Error: what the programs throw
/// when they are compiled, TargetError without LLVM, or for a device that this build has not, and
/// what writing the file throws.
[[nodiscard]] CompiledLibrary compile_library(const Library& library, const Targets& targets,
                                              const std::string& objects_path);

}  // namespace hasten::ahead
