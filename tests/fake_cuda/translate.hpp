// Translates CUDA's text into text for the host's compiler.
#pragma once

#include <string>
#include <vector>

namespace fake_cuda {

/// Precedes every text: the intrinsics as functions and macros of C++.
extern const char* const shim;

/// A __global__ function of a text.
struct Entry {
  std::string name;
  std::vector<std::string> parameters;  // their types
  std::string threads_max = "1024";     // from __launch_bounds__
  bool has_shared = false;
};

/// The section that holds the __shared__ variables of a kernel.
std::string shared_section(const std::string& kernel);

/// Finds the kernels in a preprocessed text, moves their __shared__ variables to separate sections,
/// and adds the records of the kernels. Throws std::runtime_error for unknown constructs.
std::string translate(std::string text, int architecture);

}  // namespace fake_cuda
