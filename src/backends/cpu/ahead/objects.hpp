// Machine code of kernels for one level, as object files for a linker.
#pragma once

#include "backends/backend.hpp"
#include "backends/cpu/machine/levels.hpp"
#include "kernels/schedule.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hasten::backends {

struct LevelObject {
  kernels::Schedule schedule;
  std::vector<std::byte> object;
  std::vector<std::string> symbols;  // as in hasten_kernel_code; "": none
};

/// Symbols start with `prefix`, and are hidden in the binary that the object is linked into.
[[nodiscard]] LevelObject compile_for_level(const kernels::Kernel& kernel,
                                            const CompileOptions& options, cpu::Level level,
                                            const std::string& prefix);

/// Bytes that C declares as the array `symbol`, aligned to 64; not visible outside either.
struct EmbeddedBytes {
  std::string symbol;
  std::vector<std::byte> bytes;
};
[[nodiscard]] std::vector<std::byte> data_object(const std::vector<EmbeddedBytes>& blocks);

struct ObjectFile {
  std::string name;
  std::vector<std::byte> bytes;
};
/// Writes a static library of these. Throws Error if the file cannot be written.
void write_object_archive(const std::string& path, const std::vector<ObjectFile>& objects);

}  // namespace hasten::backends
