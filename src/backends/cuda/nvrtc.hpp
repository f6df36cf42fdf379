// NVRTC, NVIDIA's compiler as a library: text to machine code of one architecture. Opened when it
// is first needed.
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
  std::vector<int> archs;  // ascending: 75, 80...; those it makes code for
  std::string error;       // why it cannot be used; empty: it can
};

/// HASTEN_NVRTC_LIBRARY alone; else what the loader finds, then CUDA_HOME, CUDA_PATH and
/// /usr/local/cuda*. Versions that a driver for CUDA `driver_major` cannot load code of come last
/// (0: any will do).
std::vector<std::string> nvrtc_files(int driver_major);
/// The first of the files that opens and works.
Nvrtc open_nvrtc(const std::vector<std::string>& files);

/// Null, with the reason in `why`, when there is none. Opened once, for the driver that is there.
const Nvrtc* nvrtc(std::string* why = nullptr);

/// What an architecture is compiled as.
struct CodeTarget {
  int arch;     // 90
  bool is_ptx;  // text for the driver's own compiler, because NVRTC does not know the device
};
/// The device's own architecture where NVRTC knows it, else PTX of the newest that is older.
/// Throws TargetError when all that it knows are newer.
CodeTarget code_target(const Nvrtc& nvrtc, int device_arch);

/// "--gpu-architecture=sm_90", ...
std::vector<std::string> compiler_options(CodeTarget target, const CompileOptions& options);

/// A cubin, or PTX with the zero that ends it. Throws InternalError with the compiler's words.
std::vector<std::byte> compile(const Nvrtc& nvrtc, const std::string& text, CodeTarget target,
                               const CompileOptions& options);

}  // namespace hasten::backends::cuda
