// Queries to the driver that need no context.
#include "backends/cuda/device.hpp"

#include <algorithm>
#include <array>

namespace hasten::backends::cuda {
namespace {

constexpr int oldest_major = 7;

// Returns false, with the reason, if the driver does not answer.
bool ask(const Library& library, int index, DeviceProperties& device, std::string& why) {
  CUresult error = library.cuDeviceGet(&device.handle, index);
  const auto attribute = [&](DeviceAttribute which, auto& to) {
    int value = 0;
    if (error == success) error = library.cuDeviceGetAttribute(&value, which, device.handle);
    to = value;
  };
  Multiprocessor& unit = device.multiprocessor;
  attribute(compute_capability_major, device.major);
  attribute(compute_capability_minor, device.minor);
  attribute(multiprocessor_count, device.multiprocessors);
  attribute(max_threads_per_multiprocessor, unit.threads);
  attribute(max_registers_per_multiprocessor, unit.registers);
  attribute(max_shared_memory_per_multiprocessor, unit.shared_bytes);
  attribute(max_blocks_per_multiprocessor, unit.blocks);
  attribute(max_grid_dim_x, device.grid_x);
  attribute(max_grid_dim_y, device.grid_y);
  // Not every driver knows these: unknown attributes stay 0.
  const auto perhaps = [&](DeviceAttribute which, auto& to) {
    int value = 0;
    library.cuDeviceGetAttribute(&value, which, device.handle);
    to = std::max(value, 0);
  };
  perhaps(reserved_shared_memory_per_block, unit.reserved_shared_bytes);  // 11.3 and later
  perhaps(l2_cache_size, device.cache_bytes);
  perhaps(memory_clock_rate, device.memory_clock_khz);
  perhaps(global_memory_bus_width, device.memory_width_bits);
  unit.major = device.major;
  std::array<char, 256> name = {};
  if (error == success)
    error = library.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device.handle);
  if (error == success) error = library.cuDeviceTotalMem_v2(&device.memory, device.handle);
  device.name = name.data();
  if (error != success)
    why = "device " + std::to_string(index) + " cannot be asked: " + library.words(error);
  return error == success;
}

}  // namespace

std::string DeviceProperties::description() const {
  const std::size_t tenths = (10 * (memory >> 20) + 512) >> 10;  // of GiB
  return name + ", sm_" + std::to_string(arch()) + ", " + std::to_string(multiprocessors) +
         " multiprocessors, " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
         " GiB";
}

// Memory transfers twice per cycle of its clock.
Facts DeviceProperties::facts() const {
  Facts facts;
  facts.compute_units = multiprocessors;
  facts.memory_bytes = static_cast<std::int64_t>(memory);
  facts.local_bytes = multiprocessor.shared_bytes;
  if (cache_bytes > 0) facts.caches = {{2, cache_bytes, multiprocessors, {}}};
  if (memory_clock_khz > 0 && memory_width_bits > 0)
    facts.peak_bytes_per_s = 2e3 * memory_clock_khz * memory_width_bits / 8;
  return facts;
}

std::vector<DeviceProperties> devices(const Library& library, std::string& why) {
  int count = 0;
  const CUresult error = library.cuDeviceGetCount(&count);
  why = error == success ? "the driver sees no device" : library.words(error);
  std::vector<DeviceProperties> all;
  for (int index = 0; error == success && index < count; ++index) {
    DeviceProperties device;
    if (!ask(library, index, device, why)) continue;
    if (device.major >= oldest_major)
      all.push_back(device);
    else
      why = device.description() + " is older than sm_" + std::to_string(oldest_major) +
            "0, the oldest that is supported";
  }
  if (!all.empty()) why.clear();
  return all;
}

}  // namespace hasten::backends::cuda
