// Object files in memory, ready to be called.
#pragma once

#include "backends/cpu/contraction.hpp"
#include "backends/cpu/frame.hpp"

#include <hasten/detail/foreign_function.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hasten::backends::cpu {

using ForeignFunctions = std::vector<const detail::ForeignFunction*>;

/// Those a kernel calls, each once.
ForeignFunctions foreign_functions(const kernels::Kernel& kernel);
/// What generated code calls it.
std::string symbol_of(const detail::ForeignFunction& function);

/// What there is beside `run`.
struct Exports {
  bool finish = false, contraction = false;
};

class LoadedObject {
 public:
  /// Throws InternalError when the bytes are no object file of ours, TargetError when a foreign
  /// function is not known in this process.
  LoadedObject(std::span<const std::byte> object, Exports exports,
               const ForeignFunctions& foreign = {});
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  RunFunction run = nullptr;
  // Only if they are said to be there.
  FinishFunction finish = nullptr;
  ContractionFunction pack_down = nullptr, pack_across = nullptr, multiply = nullptr;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace hasten::backends::cpu
