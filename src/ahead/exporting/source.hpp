// The C source of an exported library: its functions, and its programs as data.
#pragma once

#include "ahead/exporting/header.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hasten::ahead {

enum class Device : std::uint8_t { cuda, opencl };

/// A byte array in the library's object files, as declared in C.
struct Embedded {
  std::string symbol;
  std::size_t bytes = 0;
};

/// Code of one level: by kernel, the symbols of its functions ("": none).
struct LevelSource {
  int level = 0;
  Embedded schedules;
  std::vector<std::vector<std::string>> symbols;
};

/// Texts of all kernels for one kind of device.
struct DeviceSource {
  Device device;
  Embedded kernels;
};

struct CompiledLibrary {
  std::vector<Embedded> entries;  // from ahead::write_entry
  std::vector<LevelSource> levels;
  std::vector<DeviceSource> devices;
  bool sorts = false;  // a program does
};

/// The complete text of NAME.c.
[[nodiscard]] std::string linked_source(const Library& library, const CompiledLibrary& made);
/// The same for programs that are compiled when a context is made, by the function `main_name`.
[[nodiscard]] std::string jit_source(const Library& library, const std::string& main_name);

}  // namespace hasten::ahead
