// The two dialects of C: their spelling, and the abilities of the devices they are compiled for.
// Emitters and launchers query each property by name, and never which dialect it is.
#pragma once

#include <hasten/detail/foreign_function.hpp>

#include <cstddef>

namespace hasten::backends::c_like {

struct Dialect {
  /// The stage of `HASTEN_DUMP` that shows the text.
  const char* name;
  /// The target whose foreign functions its texts can call.
  detail::ForeignTarget foreign;

  // -- spelling
  /// Declared before any text that has doubles.
  const char* extensions;
  /// The prelude of all generated texts: types, and the words of the skeletons.
  const char* prelude;
  /// The qualifiers of a generated function.
  const char* function;
  /// The suffix of the math library's f32 functions.
  const char* f32_suffix;
  /// The magnitude of an f32.
  const char* f32_magnitude;
  /// Whether the math library has an `rsqrt` that is faster than a root and a division.
  bool has_rsqrt;

  // -- properties of compilers
  /// Each function of a kernel is a module, compiled when a launch needs it. Otherwise compilers
  /// generate code for a function at its first launch, and a kernel's functions are one module.
  bool module_per_function;
  /// A rounding function is folded to an arbitrary number where its argument is a constant NaN.
  bool misfolds_rounded_nan;
  // OpenCL has the following ones for NVIDIA: HIDE of the prelude is empty for others.
  /// A difference of 0 and a 16-bit number, and a magnitude of one, are assumed not to overflow:
  /// -(-32768) is then compared and converted as 32768. `ptxas` of CUDA 13.0 does this; 13.5 does
  /// not.
  bool misnegates_16_bits;
  /// max(min(x, n), 0) == n of up to 32 bits, and the same of max(x, n), may be true of any
  /// numbers. `ptxas` of CUDA 13.0 does it for sm_90 and newer; 13.5 does not.
  bool misfolds_clamps;

  // -- properties of devices
  /// Items of a group are lanes of a vector loop, and a group is a call: a divergent branch costs
  /// all items, and waiting groups cost nothing. Otherwise items are threads, of which only as many
  /// start as fit; each takes several elements, with loads side by side.
  bool items_in_lanes;
  /// The 32 items of a warp read each other's registers.
  bool shuffles;
  /// Atomic addition of floats in memory. Otherwise words are compared and exchanged.
  bool adds_floats;
  /// A group may wait for a group that has started before it.
  bool forward_progress;
  /// Local memory of a scan's group, which runs beside other groups.
  std::size_t scan_local_bytes;

  /// NVIDIA's devices, compiled by NVRTC.
  static const Dialect cuda;
  /// The features of every OpenCL 1.2 device, and where devices differ the choice for CPUs (PoCL).
  static const Dialect opencl;
};

}  // namespace hasten::backends::c_like
