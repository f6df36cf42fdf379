// Devices, contexts, errors by name.
#include "tests/fake_cuda/machine.hpp"

#include <cstdio>
#include <cstring>

using namespace fake_cuda;

namespace {

thread_local std::vector<Device*> contexts;  // the calling thread's stack

// A context's handle is its device's address.
CUcontext handle_of(Device* device) { return reinterpret_cast<CUcontext>(device); }

// Null and false if there is no such context.
bool device_of(CUcontext context, Device*& device) {
  device = context ? fake_cuda::device_of(context) : nullptr;
  return !context || device;
}

Device* device_at(CUdevice index) {
  const auto& devices = Machine::get().devices;
  const bool there = index >= 0 && static_cast<std::size_t>(index) < devices.size();
  return there ? devices[static_cast<std::size_t>(index)].get() : nullptr;
}

struct ErrorName {
  CUresult error;
  const char *name, *text;
};

constexpr ErrorName error_names[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY", "the library is a stub"},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is not available"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no image for the device"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX compilation failed"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {CUDA_ERROR_ASSERT, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {CUDA_ERROR_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT",
     "operation not permitted on an event last recorded in a capturing stream"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const ErrorName* find_error(CUresult error) {
  for (const ErrorName& known : error_names)
    if (known.error == error) return &known;
  return nullptr;
}

// By number; -1 for an attribute that the fake does not have.
int attribute_of(const Device& device, int attribute) {
  const Machine& machine = Machine::get();
  switch (attribute) {
    case 1: return 1024;  // threads of a block
    case 2:
    case 3: return 1024;        // block x, y
    case 4: return 64;          // block z
    case 5: return 0x7fffffff;  // grid x
    case 6:
    case 7: return 65535;      // grid y, z
    case 8: return 48 * 1024;  // shared memory of a block
    case 9: return 64 * 1024;  // constant memory
    case 10: return 32;        // warp
    case 12: return 65536;     // registers of a block
    case 13: return 1980000;   // clock, kHz
    case 15:
    case 41: return 1;                   // overlap, unified addresses
    case 16: return machine.processors;  //
    case 17:
    case 18:
    case 20: return 0;  // time limit, integrated, compute mode
    case 19:
    case 31:
    case 32: return 1;             // mapped host memory, concurrent kernels, ECC
    case 33: return device.index;  // PCI bus
    case 34:
    case 50: return 0;                        // PCI device, domain
    case 36: return 2619000;                  // memory clock, kHz
    case 37: return 5120;                     // memory bus, bits
    case 38: return 50 << 20;                 // L2
    case 39: return 2048;                     // threads of a multiprocessor
    case 40: return 3;                        // copy engines
    case 75: return machine.capability / 10;  //
    case 76: return machine.capability % 10;  //
    case 78: return 1;                        // stream priorities
    case 81: return 233472;                   // shared memory of a multiprocessor
    case 82: return 65536;                    // registers of a multiprocessor
    case 83:
    case 88:
    case 95: return 0;       // managed, pageable, cooperative
    case 97: return 232448;  // shared memory of a block, opted in
    case 106: return 32;     // blocks of a multiprocessor
    case 111: return 1024;   // reserved shared memory of a block
    case 115: return 0;      // memory pools
    default: return -1;
  }
}

}  // namespace

Device* fake_cuda::device_of(CUcontext context) {
  for (const auto& each : Machine::get().devices)
    if (handle_of(each.get()) == context && each->retained > 0) return each.get();
  mistake("a context that is not retained");
  return nullptr;
}

Device* fake_cuda::current_device() { return contexts.empty() ? nullptr : contexts.back(); }

CUresult cuInit(unsigned flags) {
  Machine& machine = Machine::get();
  if (machine.init_error != CUDA_SUCCESS) return static_cast<CUresult>(machine.init_error);
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (machine.devices.empty()) return CUDA_ERROR_NO_DEVICE;
  machine.initialised = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  const int error = Machine::get().init_error;
  if (error != CUDA_SUCCESS) return static_cast<CUresult>(error);
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  const ErrorName* const known = find_error(error);
  *name = known ? known->name : nullptr;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  const ErrorName* const known = find_error(error);
  *text = known ? known->text : nullptr;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int* count) {
  if (const CUresult error = enter()) return error;
  *count = static_cast<int>(Machine::get().devices.size());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (const CUresult error = enter()) return error;
  if (!device_at(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (const CUresult error = enter()) return error;
  if (!device_at(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(name, static_cast<std::size_t>(length), "Fake CUDA device");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  if (const CUresult error = enter()) return error;
  if (!device_at(device)) return CUDA_ERROR_INVALID_DEVICE;
  const int known = attribute_of(*device_at(device), attribute);
  if (known < 0) return CUDA_ERROR_INVALID_VALUE;
  *value = known;
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  if (const CUresult error = enter()) return error;
  if (!device_at(device)) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = Machine::get().memory;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice index) {
  if (const CUresult error = enter()) return error;
  Device* const device = device_at(index);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  ++device->retained;
  ++Machine::get().counts.contexts;
  *context = handle_of(device);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice index) {
  if (const CUresult error = enter()) return error;
  Device* const device = device_at(index);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (device->retained == 0) {
    mistake("a context is released more often than retained");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  --device->retained;
  --Machine::get().counts.contexts;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (const CUresult error = enter()) return error;
  Device* device = nullptr;
  if (!device_of(context, device)) return CUDA_ERROR_INVALID_CONTEXT;
  contexts.push_back(device);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  if (const CUresult error = enter()) return error;
  if (contexts.empty()) {
    mistake("no context is current, and one is popped");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (context) *context = handle_of(contexts.back());
  contexts.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (const CUresult error = enter()) return error;
  Device* device = nullptr;
  if (!device_of(context, device)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!contexts.empty()) contexts.pop_back();
  if (device) contexts.push_back(device);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  if (const CUresult error = enter()) return error;
  *context = handle_of(current_device());
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  device->wait();
  return device->error();
}
