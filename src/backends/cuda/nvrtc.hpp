// NVRTC, NVIDIA's compiler library: text to machine code of one architecture. Opened on first use.
#pragma once

#include "backends/backend.hpp"
#include "backends/cuda/api/abi.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hasten::backends::cuda {

struct Nvrtc {
#define HASTEN_NVRTC_FUNCTION(name, ...) nvrtcResult (*name)(__VA_ARGS__) = nullptr;
#include "backends/cuda/nvrtc_functions.inc"
#undef HASTEN_NVRTC_FUNCTION

  std::string file;
  int major = 0, minor = 0;
  std::vector<int> archs;  // ascending: 75, 80...; those it generates code for
  std::string error;       // why it cannot be used; empty: it can
};

/// Only HASTEN_NVRTC_LIBRARY; else what the loader finds, then CUDA_HOME, CUDA_PATH and
/// /usr/local/cuda*. Versions whose code a driver for CUDA `driver_major` (0: any) cannot load are
/// last.
std::vector<std::string> nvrtc_files(int driver_major);
/// The first of the files that opens and works.
Nvrtc open_nvrtc(const std::vector<std::string>& files);

/// Null, with the reason in `why`, when there is none. Opened once, for the installed driver.
const Nvrtc* nvrtc(std::string* why = nullptr);

/// The architecture for which code is compiled.
struct CodeTarget {
  int arch;     // 90
  bool is_ptx;  // text for the driver's own compiler, because NVRTC does not know the device
};
/// The device's own architecture where NVRTC knows it, else PTX of the newest older one. Throws
/// TargetError when all that it knows are newer.
CodeTarget code_target(const Nvrtc& nvrtc, int device_arch);

/// "--gpu-architecture=sm_90", ...
std::vector<std::string> compiler_options(CodeTarget target, const CompileOptions& options);

/// A cubin, or PTX with its terminating zero. Throws InternalError with the compiler's message.
std::vector<std::byte> compile(const Nvrtc& nvrtc, const std::string& text, CodeTarget target,
                               const CompileOptions& options);

}  // namespace hasten::backends::cuda
