// CUDA's text as text for the host's compiler.
#pragma once

#include <string>
#include <vector>

namespace fake_cuda {

/// What goes before every text: the intrinsics as functions and macros of C++.
extern const char* const shim;

/// A __global__ function of a text.
struct Entry {
  std::string name;
  std::vector<std::string> parameters;  // their types
  std::string threads_max = "1024";     // of __launch_bounds__
  bool has_shared = false;
};

/// The section that holds the __shared__ variables of a kernel.
std::string shared_section(const std::string& kernel);

/// Of a preprocessed text: finds the kernels, gives their __shared__ variables sections of their
/// own, and adds the records of the kernels. Throws std::runtime_error for what it does not know.
std::string translate(std::string text, int architecture);

}  // namespace fake_cuda
