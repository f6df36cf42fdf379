// Shared by compiled kernels and the fake driver. The shim (shim.inc) has the same declarations.
#pragma once

namespace fake_cuda {

struct Index {
  unsigned x, y, z;
};

/// One in each compiled image; the driver fills it before a thread continues.
struct Context {
  Index thread, block, threads, blocks;
  /// __syncthreads at place `site` of the text; returns the number of threads whose value is not 0.
  int (*barrier)(int site, int value);
  /// Meets the lanes of `mask` at `site`; returns the value of each of the warp's 32 lanes.
  const unsigned long long* (*meet)(int site, unsigned mask, unsigned long long value);
  /// Ends the launch with an error.
  void (*fail)(const char* what);
};

/// An image's description of one of its kernels; the last record has no name.
struct KernelRecord {
  const char* name;
  void (*call)(void** arguments);
  const unsigned* sizes;  // of each parameter, combined with the bits below
  unsigned parameters;
  unsigned threads_max;       // __launch_bounds__, or 1024
  char *shared, *shared_end;  // its __shared__ variables
};

inline constexpr unsigned pointer_bit = 0x80000000U;
inline constexpr unsigned read_only_bit = 0x40000000U;   // a pointer to const
inline constexpr unsigned restricted_bit = 0x20000000U;  // a pointer with __restrict__
inline constexpr const char* context_symbol = "fake_cuda_context";
inline constexpr const char* kernels_symbol = "fake_cuda_kernels";
inline constexpr const char* architecture_symbol = "fake_cuda_architecture";

}  // namespace fake_cuda
