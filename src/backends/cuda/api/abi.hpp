// The part of the binary interfaces of CUDA's driver and of NVRTC that is used: types and numbers
// as in NVIDIA's headers, so that building needs no toolkit.
#pragma once

#include <cstdint>

namespace hasten::backends::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = std::uint64_t;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUgraphNode = struct CUgraphNode_st*;

using nvrtcResult = int;
using nvrtcProgram = struct nvrtcProgram_st*;

/// CUresult. Only those that our code distinguishes; the driver knows the names of all.
enum Result : CUresult {
  success = 0,
  out_of_memory = 2,
  deinitialized = 4,
  stub_library = 34,
  device_unavailable = 46,
  no_device = 100,
  ecc_uncorrectable = 214,
  unsupported_ptx_version = 222,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  context_is_destroyed = 709,
  device_assert = 710,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  unknown_error = 999,
};

/// CUdevice_attribute
enum DeviceAttribute : int {
  max_grid_dim_x = 5,
  max_grid_dim_y = 6,
  multiprocessor_count = 16,
  memory_clock_rate = 36,
  global_memory_bus_width = 37,
  l2_cache_size = 38,
  max_threads_per_multiprocessor = 39,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  max_shared_memory_per_multiprocessor = 81,
  max_registers_per_multiprocessor = 82,
  max_blocks_per_multiprocessor = 106,
  reserved_shared_memory_per_block = 111,
};

/// CUfunction_attribute
enum FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_size_bytes = 1,
  local_size_bytes = 3,
  num_regs = 4,
};

/// CUjit_option
enum JitOption : int {
  error_log_buffer = 5,
  error_log_buffer_size_bytes = 6,
};

/// CUDA_KERNEL_NODE_PARAMS_v1
struct KernelNodeParams {
  CUfunction function;
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  void** parameters;
  void** extra;
};

inline constexpr unsigned stream_non_blocking = 1;    // CU_STREAM_NON_BLOCKING
inline constexpr unsigned event_disable_timing = 2;   // CU_EVENT_DISABLE_TIMING
inline constexpr unsigned host_alloc_portable = 1;    // CU_MEMHOSTALLOC_PORTABLE
inline constexpr unsigned host_alloc_device_map = 2;  // CU_MEMHOSTALLOC_DEVICEMAP

}  // namespace hasten::backends::cuda
