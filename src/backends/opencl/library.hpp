// OpenCL's functions, looked up in the loader's library when they are first needed: nothing is
// linked, and a machine without it only lacks a target.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>

namespace hasten::backends::opencl {

struct Library {
#define HASTEN_OPENCL_FUNCTION(name) decltype(&::name) name = nullptr;
#include "backends/opencl/functions.inc"
#undef HASTEN_OPENCL_FUNCTION
};

/// Null, with the reason in `why`, when there is none.
const Library* library(std::string* why = nullptr);

/// "CL_INVALID_VALUE", or the number.
std::string error_name(cl_int error);

/// Throws MemoryError or TargetError, as the error says.
[[noreturn]] void fail(const std::string& device, const char* what, cl_int error);

}  // namespace hasten::backends::opencl
