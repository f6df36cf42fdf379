// Replaces compile.cpp where LLVM is not available.
#include "ahead/exporting/compile.hpp"

#include <hasten/run/error.hpp>

namespace hasten::ahead {

CompiledLibrary compile_library(const Library& library, const Targets&, const std::string&) {
  throw TargetError(
      "the library " + library.name() +
      " cannot be compiled ahead of time: this build of Hasten has no LLVM "
      "(HASTEN_WITH_LLVM=OFF); with --jit, TARGETS jit in CMake, it is compiled where "
      "it runs");
}

}  // namespace hasten::ahead
