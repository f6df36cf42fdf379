// Compiles CUDA's text with the host's compiler.
#pragma once

#include <string>
#include <vector>

namespace fake_cuda {

struct Compiled {
  bool ok = false;
  std::string image;  // a shared object
  std::string log;
};

/// `architecture`: 90 for sm_90. `contract`: a * b + c may be one instruction. Never throws.
Compiled compile(const std::string& text, int architecture, bool contract);

/// The size of the image that begins at `bytes`; 0 if no image does.
std::size_t image_size(const void* bytes);

}  // namespace fake_cuda
