// Kernels as texts that a library carries: made where it is exported, compiled where it runs.
#pragma once

#include "backends/backend.hpp"
#include "backends/c_like/driver.hpp"
#include "backends/c_like/text/launch_facts.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace hasten::backends {

/// A module of a kernel, by the name that c_like::modules_of gives it.
struct TextModule {
  std::string name;
  bool is_wide = false;         // indices have 64 bits
  std::vector<std::byte> code;  // for the driver's own compiler; empty: there is the text alone
  std::string text;
};

struct TextKernel {
  c_like::LaunchFacts facts;
  CompileOptions options;
  std::vector<TextModule> modules;  // the first is narrow, and what launches most likely need
};

/// What a library has for a kind of devices.
struct DeviceTexts {
  std::vector<TextKernel> kernels;  // by their numbers in the library
  std::vector<TextModule> common;   // of no kernel; only what there is code of
};

/// All modules of the kernel, as texts.
[[nodiscard]] TextKernel text_kernel(const kernels::Kernel& kernel, const CompileOptions& options,
                                     const c_like::Dialect& dialect);

/// What fills, and what sorts, on such devices, as texts.
[[nodiscard]] std::vector<TextModule> common_texts(const c_like::Dialect& dialect, bool with_sorts);

/// A backend that compiles nothing but such texts.
[[nodiscard]] std::shared_ptr<Backend> make_linked_device(std::shared_ptr<c_like::Driver> driver);

/// What such a backend launches. Its first module is compiled at once, the others when they are
/// needed. Throws what the device's compiler does not take, and TargetError for element types that
/// the device has not. `device` must outlive it.
[[nodiscard]] std::shared_ptr<const Code> linked_text(Backend& device,
                                                      const kernels::Kernel& kernel,
                                                      std::shared_ptr<const TextKernel> text);

}  // namespace hasten::backends
