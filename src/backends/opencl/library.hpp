// OpenCL's functions, looked up in the loader's library on first use: nothing is linked, and a
// machine without it only lacks a target.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>
#include <string>

namespace hasten::backends::opencl {

struct Library {
#define HASTEN_OPENCL_FUNCTION(name) decltype(&::name) name = nullptr;
#include "backends/opencl/functions.inc"
#undef HASTEN_OPENCL_FUNCTION
  // Of OpenCL 2.0; null where the loader lacks them.
  void*(CL_API_CALL* clSVMAlloc)(cl_context, cl_bitfield flags, std::size_t bytes,
                                 cl_uint alignment) = nullptr;
  void(CL_API_CALL* clSVMFree)(cl_context, void* memory) = nullptr;
  cl_int(CL_API_CALL* clSetKernelArgSVMPointer)(cl_kernel, cl_uint index,
                                                const void* value) = nullptr;
};

// The numbers of these constants.
inline constexpr cl_device_info device_svm_capabilities = 0x1053;
inline constexpr cl_bitfield svm_fine_grain_buffer = 1 << 1, svm_atomics = 1 << 3;  // of a device
inline constexpr cl_bitfield memory_read_write = 1 << 0, memory_svm_fine_grain_buffer = 1 << 10,
                             memory_svm_atomics = 1 << 11;

/// Null, with the reason in `why`, when there is none.
const Library* library(std::string* why = nullptr);

/// "CL_INVALID_VALUE", or the number.
std::string error_name(cl_int error);

/// Throws MemoryError or TargetError, depending on the error.
[[noreturn]] void fail(const std::string& device, const char* what, cl_int error);

}  // namespace hasten::backends::opencl
