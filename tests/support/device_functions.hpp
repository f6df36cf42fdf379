// Functions of CUDA's driver and of OpenCL, called as code beside Hasten would call them.
#pragma once

#include <hasten/array/device_array.hpp>

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>

namespace hasten::test {

struct DeviceFunctions {
  /// Enqueues, on the call's queue, a copy of bytes from the beginning of one block into another.
  std::function<void(const DeviceCall&, void* to, std::int64_t offset, void* from,
                     std::int64_t bytes)>
      copy;
};

template <class F>
F* function_of(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void* const function = handle ? dlsym(handle, name) : nullptr;
  if (!function) throw std::runtime_error(std::string(library) + " has no " + name);
  return reinterpret_cast<F*>(function);
}

inline void check_device(int error) {
  if (error != 0) throw std::runtime_error("the device's error " + std::to_string(error));
}

/// The functions of the driver that the CUDA target uses: the real one or the fake.
inline const DeviceFunctions& cuda_functions() {
  static const DeviceFunctions functions = [] {
    const char* const own = std::getenv("HASTEN_CUDA_LIBRARY");
    auto* const copy = function_of<int(std::uintptr_t, std::uintptr_t, std::size_t, void*)>(
        own ? own : "libcuda.so.1", "cuMemcpyDtoDAsync_v2");
    return DeviceFunctions{[copy](const DeviceCall& call, void* to, std::int64_t offset, void* from,
                                  std::int64_t bytes) {
      if (bytes == 0) return;
      check_device(copy(reinterpret_cast<std::uintptr_t>(to) + static_cast<std::uintptr_t>(offset),
                        reinterpret_cast<std::uintptr_t>(from), static_cast<std::size_t>(bytes),
                        call.queue()));
    }};
  }();
  return functions;
}

inline const DeviceFunctions& opencl_functions() {
  static const DeviceFunctions functions = [] {
    auto* const copy =
        function_of<int(void*, void*, void*, std::size_t, std::size_t, std::size_t, unsigned,
                        const void*, void*)>("libOpenCL.so.1", "clEnqueueCopyBuffer");
    return DeviceFunctions{[copy](const DeviceCall& call, void* to, std::int64_t offset, void* from,
                                  std::int64_t bytes) {
      if (bytes == 0) return;
      check_device(copy(call.queue(), from, to, 0, static_cast<std::size_t>(offset),
                        static_cast<std::size_t>(bytes), 0, nullptr, nullptr));
    }};
  }();
  return functions;
}

}  // namespace hasten::test
