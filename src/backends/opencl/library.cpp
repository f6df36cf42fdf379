// The loader's library is opened once, and stays open.
#include "backends/opencl/library.hpp"

#include "support/env.hpp"
#include "support/loader.hpp"

#include <hasten/run/error.hpp>

#include <dlfcn.h>

namespace hasten::backends::opencl {
namespace {

struct Opened {
  Library library;
  std::string why;  // the library is missing
};

Opened open() {
  Opened opened;
  const std::string own = support::env("HASTEN_OPENCL_LIBRARY");
  const std::string file = own.empty() ? "libOpenCL.so.1" : own;
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    opened.why = support::loader_error() +
                 "; it is OpenCL's loader, and devices need drivers beside it (on Debian "
                 "ocl-icd-libopencl1, and pocl-opencl-icd for the processor)";
    return opened;
  }
#define HASTEN_OPENCL_FUNCTION(name)                                                           \
  opened.library.name = reinterpret_cast<decltype(opened.library.name)>(dlsym(handle, #name)); \
  if (!opened.library.name) opened.why = file + " has no function " #name;
#include "backends/opencl/functions.inc"
#undef HASTEN_OPENCL_FUNCTION
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
  };
  find(opened.library.clSVMAlloc, "clSVMAlloc");
  find(opened.library.clSVMFree, "clSVMFree");
  find(opened.library.clSetKernelArgSVMPointer, "clSetKernelArgSVMPointer");
  return opened;
}

struct ErrorName {
  cl_int error;
  const char* name;
};

constexpr ErrorName error_names[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
};

}  // namespace

const Library* library(std::string* why) {
  static const Opened& opened = *new Opened(open());
  if (why) *why = opened.why;
  return opened.why.empty() ? &opened.library : nullptr;
}

std::string error_name(cl_int error) {
  for (const ErrorName& known : error_names)
    if (known.error == error) return known.name;
  return "OpenCL error " + std::to_string(error);
}

void fail(const std::string& device, const char* what, cl_int error) {
  const std::string message = device + ": " + what + " failed: " + error_name(error);
  const bool memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES ||
                      error == CL_OUT_OF_HOST_MEMORY;
  if (memory) throw MemoryError(message + "; use smaller extents, or work in parts");
  throw TargetError(message);
}

}  // namespace hasten::backends::opencl
