// The host's compiler as a compiler of CUDA's text.
#pragma once

#include <string>
#include <vector>

namespace fake_cuda {

struct Compiled {
  bool ok = false;
  std::string image;  // a shared object
  std::string log;
};

/// `architecture`: 90 for sm_90. Contract: a * b + c may be one instruction. Never throws.
Compiled compile(const std::string& text, int architecture, bool contract);

/// An image's bytes start here: how many are there. 0 if it is none.
std::size_t image_size(const void* bytes);

}  // namespace fake_cuda
