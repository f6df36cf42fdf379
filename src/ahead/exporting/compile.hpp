// Compiles a library's programs to the contents of its files.
#pragma once

#include "ahead/exporting/source.hpp"
#include "backends/cpu/machine/levels.hpp"

#include <hasten/run/library.hpp>

#include <string>
#include <vector>

namespace hasten::ahead {

/// The targets of a library; at least one level or device.
struct Targets {
  std::vector<backends::cpu::Level> levels;
  std::vector<Device> devices;
};

/// Writes machine code and data to the file, a static library. Throws Error: the errors of
/// compiling the programs, TargetError without LLVM, or for a device that this build lacks, and
/// errors of writing the file.
[[nodiscard]] CompiledLibrary compile_library(const Library& library, const Targets& targets,
                                              const std::string& objects_path);

}  // namespace hasten::ahead
