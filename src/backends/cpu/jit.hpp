// Object files in memory, linked and ready to be called.
#pragma once

#include "backends/cpu/functions.hpp"
#include "kernels/analysis/foreign_functions.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace hasten::backends::cpu {

using kernels::ForeignFunctions;

/// The name under which generated code calls it.
std::string symbol_of(const detail::ForeignFunction& function);

/// The functions that an object exports.
struct Exports {
  Form form = Form::usual;
  bool finish = false, contraction = false;
};

class LoadedObject {
 public:
  /// Throws InternalError when the bytes are not one of our object files, TargetError when this
  /// process does not know a foreign function.
  LoadedObject(std::span<const std::byte> object, Exports exports,
               const ForeignFunctions& foreign = {});
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  /// The functions that `exports` declares.
  [[nodiscard]] const KernelFunctions& functions() const { return functions_; }

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  KernelFunctions functions_;
};

}  // namespace hasten::backends::cpu
