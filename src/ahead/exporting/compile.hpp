// From a library's programs to what its files are made of.
#pragma once

#include "ahead/exporting/source.hpp"
#include "backends/cpu/machine/levels.hpp"

#include <hasten/run/library.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace hasten::ahead {

struct CompiledLibrary {
  std::vector<std::vector<std::byte>> entries;
  std::vector<LevelSource> levels;
};

/// Machine code goes to the file, a static library. Throws Error: what the programs throw when they
/// are compiled, TargetError without LLVM, and what writing the file throws.
[[nodiscard]] CompiledLibrary compile_library(const Library& library,
                                              const std::vector<backends::cpu::Level>& levels,
                                              const std::string& objects_path);

}  // namespace hasten::ahead
