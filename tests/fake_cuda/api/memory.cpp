// Memory and copies. Copies from and to host memory that is not pinned are staged, as in CUDA:
// those to the device immediately, those to the host before the call returns.
#include "tests/fake_cuda/stream.hpp"

#include <cstdlib>
#include <cstring>

using namespace fake_cuda;

namespace {

// Host memory that is registered with CUDA: by its address, the number of bytes.
struct Pinned {
  std::mutex mutex;
  std::map<const std::byte*, std::size_t> ranges;
};

Pinned& pinned() {
  static auto* const all = new Pinned;
  return *all;
}

bool is_pinned(const void* address, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(address);
  const std::lock_guard lock(pinned().mutex);
  auto it = pinned().ranges.upper_bound(begin);
  if (it == pinned().ranges.begin()) return false;
  --it;
  return begin + bytes <= it->first + it->second;
}

// The memory of a copy. Returns null and reports a mistake if it is not inside one live buffer.
std::byte* checked(Device& device, CUdeviceptr address, std::size_t bytes, const char* what) {
  std::byte* const memory = device.memory(address, bytes);
  if (!memory) mistake(std::string(what) + " reaches outside of the device's buffers");
  return memory;
}

CUresult copy_result() {
  return Machine::get().faults.strikes("copy") ? CUDA_ERROR_ECC_UNCORRECTABLE : CUDA_SUCCESS;
}

bool captures_now(CUstream handle) {
  const std::shared_ptr<Stream> stream = Handles<Stream>::all().find(handle);
  const std::lock_guard lock(captures().mutex);
  return stream && stream->capture;
}

constexpr int fresh_garbage = 0xcd;

}  // namespace

bool fake_cuda::pinned_memory(CUdeviceptr address) {
  return is_pinned(reinterpret_cast<const void*>(address), 1);
}

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  *total = Machine::get().memory;
  *free = *total - std::min<std::size_t>(*total, device->used());
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  if (const CUresult error = outside_captures()) return error;
  return device->allocate(address, bytes);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  Device* device = nullptr;
  const CUresult error = enter(&device);
  if (!device) return error;
  if (const CUresult captured = outside_captures()) return captured;
  const CUresult result = device->free(address);
  return error != CUDA_SUCCESS ? error : result;
}

CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  void* const memory = Machine::get().faults.strikes("host_alloc") ? nullptr : std::malloc(bytes);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(memory, fresh_garbage, bytes);
  const std::lock_guard lock(pinned().mutex);
  pinned().ranges[static_cast<std::byte*>(memory)] = bytes;
  ++Machine::get().counts.host_buffers;
  *address = memory;
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* address) {
  Device* device = nullptr;
  const CUresult error = enter(&device);
  if (device) device->wait();  // as CUDA does
  const std::lock_guard lock(pinned().mutex);
  if (pinned().ranges.erase(static_cast<std::byte*>(address)) == 0) {
    mistake("cuMemFreeHost of an address that is no live host buffer");
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::free(address);
  --Machine::get().counts.host_buffers;
  return error;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes,
                              CUstream stream) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  if (bytes == 0) return CUDA_SUCCESS;
  if (!checked(*device, to, bytes, "a copy to the device")) return CUDA_ERROR_INVALID_VALUE;
  ++Machine::get().counts.copies_to_device;
  const auto* const source = static_cast<const std::byte*>(from);
  std::shared_ptr<std::vector<std::byte>> staged;
  if (!is_pinned(from, bytes) && !captures_now(stream))
    staged = std::make_shared<std::vector<std::byte>>(source, source + bytes);
  return submit(*device, stream, guarded(*device, [device, to, source, bytes, staged] {
    std::byte* const memory = checked(*device, to, bytes, "a copy to the device");
    if (!memory) return CUDA_ERROR_ILLEGAL_ADDRESS;
    std::memcpy(memory, staged ? staged->data() : source, bytes);
    return copy_result();
  }));
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  if (bytes == 0) return CUDA_SUCCESS;
  if (!checked(*device, from, bytes, "a copy from the device")) return CUDA_ERROR_INVALID_VALUE;
  ++Machine::get().counts.copies_from_device;
  const CUresult error = submit(*device, stream, guarded(*device, [device, to, from, bytes] {
    const std::byte* const memory = checked(*device, from, bytes, "a copy from the device");
    if (!memory) return CUDA_ERROR_ILLEGAL_ADDRESS;
    const CUresult result = copy_result();
    if (result == CUDA_SUCCESS) std::memcpy(to, memory, bytes);
    return result;
  }));
  if (error != CUDA_SUCCESS || is_pinned(to, bytes) || captures_now(stream)) return error;
  return stream ? cuStreamSynchronize(stream) : error;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                              CUstream stream) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  if (bytes == 0) return CUDA_SUCCESS;
  ++Machine::get().counts.copies_on_device;
  return submit(*device, stream, guarded(*device, [device, to, from, bytes] {
    std::byte* const target = checked(*device, to, bytes, "a copy on the device");
    std::byte* const source = checked(*device, from, bytes, "a copy on the device");
    if (!target || !source) return CUDA_ERROR_ILLEGAL_ADDRESS;
    std::memmove(target, source, bytes);
    return copy_result();
  }));
}

// Runs in the stream's device and reads the other device's memory at that time.
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, std::size_t bytes, CUstream stream) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  Device* const target = device_of(to_context);
  Device* const source = device_of(from_context);
  if (!target || !source) return CUDA_ERROR_INVALID_CONTEXT;
  if (bytes == 0) return CUDA_SUCCESS;
  ++Machine::get().counts.copies_on_device;
  return submit(*device, stream, guarded(*device, [target, source, to, from, bytes] {
    const std::byte* const origin = checked(*source, from, bytes, "a copy between devices");
    std::byte* const place = checked(*target, to, bytes, "a copy between devices");
    if (!origin || !place) return CUDA_ERROR_ILLEGAL_ADDRESS;
    std::memcpy(place, origin, bytes);
    return copy_result();
  }));
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  if (bytes == 0) return CUDA_SUCCESS;
  return submit(*device, stream, guarded(*device, [device, to, value, bytes] {
    std::byte* const memory = checked(*device, to, bytes, "a fill");
    if (!memory) return CUDA_ERROR_ILLEGAL_ADDRESS;
    std::memset(memory, value, bytes);
    return CUDA_SUCCESS;
  }));
}
