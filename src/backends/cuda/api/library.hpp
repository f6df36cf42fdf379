// CUDA's driver, opened when the first program uses the target: nothing is linked, and a machine
// without it only lacks a target.
#pragma once

#include "backends/cuda/api/abi.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hasten::backends::cuda {

struct Library {
#define HASTEN_CUDA_FUNCTION(name, ...) CUresult (*name)(__VA_ARGS__) = nullptr;
#include "backends/cuda/api/functions.inc"
#include "backends/cuda/api/graph_functions.inc"
#undef HASTEN_CUDA_FUNCTION

  std::string file;   // the file that was opened
  int version = 0;    // 12040: the newest CUDA that the driver knows is 12.4
  std::string error;  // why it cannot be used; empty: it can
  void* handle = nullptr;
  bool has_graphs = false;

  /// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
  [[nodiscard]] std::string words(CUresult error) const;
};

/// Only HASTEN_CUDA_LIBRARY, or the loader's libcuda.so.1.
std::vector<std::string> driver_files();
/// The first of the files that opens, initialised; `error` has the reason when there is none, or
/// when it is a stub, or too old, or sees no device.
Library open_library(const std::vector<std::string>& files);

/// Null, with the reason in `why`, when there is none. Opened once.
const Library* library(std::string* why = nullptr);

/// "12.4" for 12040.
std::string version_text(int version);

}  // namespace hasten::backends::cuda
