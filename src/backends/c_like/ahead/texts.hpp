// Kernels as texts in an exported library: generated at export, compiled where the library runs.
#pragma once

#include "backends/backend.hpp"
#include "backends/c_like/driver.hpp"
#include "backends/c_like/text/launch_facts.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace hasten::backends {

/// A module of a kernel, by the name that c_like::modules_of returns.
struct TextModule {
  std::string name;
  bool is_wide = false;         // indices have 64 bits
  std::vector<std::byte> code;  // for the driver's own compiler; empty: only the text
  std::string text;
};

struct TextKernel {
  c_like::LaunchFacts facts;
  CompileOptions options;
  std::vector<TextModule> modules;  // the first is narrow, and most likely needed
};

/// The texts that a library carries for one kind of device.
struct DeviceTexts {
  std::vector<TextKernel> kernels;  // by their numbers in the library
  std::vector<TextModule> common;   // shared by all kernels; only those that have code
};

/// All modules of the kernel, as texts.
[[nodiscard]] TextKernel text_kernel(const kernels::Kernel& kernel, const CompileOptions& options,
                                     const c_like::Dialect& dialect);

/// The texts that fill memory and sort on such devices.
[[nodiscard]] std::vector<TextModule> common_texts(const c_like::Dialect& dialect, bool with_sorts);

/// A backend that compiles only such texts.
[[nodiscard]] std::shared_ptr<Backend> make_linked_device(std::shared_ptr<c_like::Driver> driver);

/// The code that such a backend launches. Its first module is compiled immediately, the others on
/// demand. Throws for what the device's compiler rejects, and TargetError for element types that
/// the device lacks. `device` must outlive it.
[[nodiscard]] std::shared_ptr<const Code> linked_text(Backend& device,
                                                      const kernels::Kernel& kernel,
                                                      std::shared_ptr<const TextKernel> text);

}  // namespace hasten::backends
