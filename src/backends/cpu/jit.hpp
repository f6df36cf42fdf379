// Object files in memory, ready to be called.
#pragma once

#include "backends/cpu/functions.hpp"
#include "kernels/analysis/foreign_functions.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace hasten::backends::cpu {

using kernels::ForeignFunctions;

/// What generated code calls it.
std::string symbol_of(const detail::ForeignFunction& function);

/// What there is.
struct Exports {
  Form form = Form::usual;
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

  /// Those that are said to be there.
  [[nodiscard]] const KernelFunctions& functions() const { return functions_; }

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  KernelFunctions functions_;
};

}  // namespace hasten::backends::cpu
