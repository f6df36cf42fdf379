// Machine code of kernels for a level, as files for a linker.
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
  std::vector<std::string> symbols;  // as hasten_kernel_code has them; "": none
};

/// Symbols begin with `prefix`, and cannot be seen outside what the object is linked into.
[[nodiscard]] LevelObject compile_for_level(const kernels::Kernel& kernel,
                                            const CompileOptions& options, cpu::Level level,
                                            const std::string& prefix);

/// Bytes that C knows as the array `symbol`, on 64; not seen outside either.
struct EmbeddedBytes {
  std::string symbol;
  std::vector<std::byte> bytes;
};
[[nodiscard]] std::vector<std::byte> data_object(const std::vector<EmbeddedBytes>& blocks);

struct ObjectFile {
  std::string name;
  std::vector<std::byte> bytes;
};
/// A static library of these. Throws Error if the file cannot be written.
void write_object_archive(const std::string& path, const std::vector<ObjectFile>& objects);

}  // namespace hasten::backends
