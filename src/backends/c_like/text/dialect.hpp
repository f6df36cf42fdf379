// The two dialects of C: how each is spelled, and what the devices that it is compiled for can do.
// Emitters and launchers ask for what they need by name, and never which dialect it is.
#pragma once

#include <hasten/detail/foreign_function.hpp>

#include <cstddef>

namespace hasten::backends::c_like {

struct Dialect {
  /// The stage of `HASTEN_DUMP` that shows the text.
  const char* name;
  /// Whose foreign functions its texts can call.
  detail::ForeignTarget foreign;

  // -- how it is spelled
  /// What must be said before any text that has doubles.
  const char* extensions;
  /// What every text of ours begins with: types, and the words of the skeletons.
  const char* prelude;
  /// What stands before a function of ours.
  const char* function;
  /// What the math library's functions of f32 end in.
  const char* f32_suffix;
  /// The magnitude of an f32.
  const char* f32_magnitude;
  /// The math library has `rsqrt`, which takes less than a root and a division. Else these are.
  bool has_rsqrt;

  // -- what compilers do
  /// Each function of a kernel is a module, compiled when a launch needs it. Else compilers make
  /// code for a function when it is first launched, and a kernel's functions are one module.
  bool module_per_function;
  /// A function that rounds is folded to any number where its argument is a constant NaN.
  bool misfolds_rounded_nan;
  // Of these, OpenCL has NVIDIA's: HIDE of the prelude is nothing for others.
  /// A difference of 0 and a number of 16 bits, and a magnitude of one, are taken for no overflow:
  /// -(-32768) is then compared and converted as 32768. `ptxas` of CUDA 13.0 does it; 13.5 does
  /// not.
  bool misnegates_16_bits;
  /// max(min(x, n), 0) == n of up to 32 bits, and the same of max(x, n), may be true of any
  /// numbers. `ptxas` of CUDA 13.0 does it for sm_90 and newer; 13.5 does not.
  bool misfolds_clamps;

  // -- what devices do
  /// Items of a group are lanes of a vector loop, and a group is a call: a branch that items take
  /// apart costs all of them, and groups cost nothing while they wait. Else items are threads, of
  /// which only as many as fit are begun; each takes several elements, with loads side by side.
  bool items_in_lanes;
  /// Items of a warp, 32, read each other's registers.
  bool shuffles;
  /// Floats in memory are added to atomically. Else words are compared and exchanged.
  bool adds_floats;
  /// A group may wait for one that has begun before it.
  bool forward_progress;
  /// Local memory of a scan's group, beside other groups.
  std::size_t scan_local_bytes;

  /// NVIDIA's devices, compiled by NVRTC.
  static const Dialect cuda;
  /// What every OpenCL 1.2 device has, and where these differ what suits CPUs (PoCL).
  static const Dialect opencl;
};

}  // namespace hasten::backends::c_like
