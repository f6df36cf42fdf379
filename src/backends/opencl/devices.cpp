// Parts are created once: each call of clCreateSubDevices would create new ones.
#include "backends/opencl/devices.hpp"

#include "support/env.hpp"

#include <cstdint>
#include <optional>

namespace hasten::backends::opencl {
namespace {

std::vector<cl_device_id> whole_devices(const Library& library) {
  cl_uint count = 0;
  if (library.clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> platforms(count);
  library.clGetPlatformIDs(count, platforms.data(), nullptr);
  std::vector<cl_device_id> all;
  for (cl_platform_id platform : platforms) {
    cl_uint here = 0;
    if (library.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &here) != CL_SUCCESS)
      continue;
    all.resize(all.size() + here);
    library.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, here, all.data() + all.size() - here,
                           nullptr);
  }
  return all;
}

// Empty where the device cannot be split. Remaining units belong to no part.
std::vector<cl_device_id> parts_of(const Library& library, cl_device_id device,
                                   std::int64_t parts) {
  const std::int64_t units = compute_units(library, device);
  if (parts < 2 || units < parts) return {};
  const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY, units / parts, 0};
  cl_uint count = 0;
  if (library.clCreateSubDevices(device, how, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> made(count);
  if (count < parts ||
      library.clCreateSubDevices(device, how, count, made.data(), nullptr) != CL_SUCCESS)
    return {};
  while (std::ssize(made) > parts) {  // seven units in three parts of two leave none, eight do
    library.clReleaseDevice(made.back());
    made.pop_back();
  }
  return made;
}

std::vector<Device> find_devices(const Library& library) {
  const std::int64_t wanted =
      support::env_number("HASTEN_OPENCL_SUBDEVICES", {.least = 1}).value_or(1);
  bool is_any_split = false;
  std::vector<Device> all;
  for (cl_device_id device : whole_devices(library)) {
    const std::vector<cl_device_id> parts = parts_of(library, device, wanted);
    for (std::size_t i = 0; i < parts.size(); ++i)
      all.push_back({parts[i],
                     ", part " + std::to_string(i + 1) + " of " + std::to_string(parts.size()),
                     parts});
    if (parts.empty()) all.push_back({device, "", {device}});
    is_any_split |= !parts.empty();
  }
  if (wanted > 1 && !is_any_split)
    support::warn_of_env("HASTEN_OPENCL_SUBDEVICES",
                         "no device can be split into " + std::to_string(wanted) + " parts");
  return all;
}

}  // namespace

const std::vector<Device>& devices(const Library& library) {
  static const auto& all = *new std::vector<Device>(find_devices(library));
  return all;
}

std::string text_of(const Library& library, cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (library.clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0)
    return {};
  std::string text(size, '\0');
  library.clGetDeviceInfo(device, what, size, text.data(), nullptr);
  return text.c_str();  // without what follows its end
}

bool is_processor(const Library& library, cl_device_id device) {
  cl_device_type type = 0;
  library.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  return (type & CL_DEVICE_TYPE_CPU) != 0;
}

std::int64_t compute_units(const Library& library, cl_device_id device) {
  cl_uint units = 1;
  library.clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
  return units;
}

Facts facts_of(const Library& library, cl_device_id device) {
  const auto bytes = [&](cl_device_info what) -> std::optional<std::int64_t> {
    cl_ulong number = 0;
    const bool known =
        library.clGetDeviceInfo(device, what, sizeof number, &number, nullptr) == CL_SUCCESS;
    if (!known || number == 0) return std::nullopt;
    return static_cast<std::int64_t>(number);
  };
  Facts facts;
  facts.compute_units = compute_units(library, device);
  facts.memory_bytes = bytes(CL_DEVICE_GLOBAL_MEM_SIZE);
  facts.local_bytes = bytes(CL_DEVICE_LOCAL_MEM_SIZE);
  if (const auto cache = bytes(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE))  // the last level, whichever it is
    facts.caches = {{2, *cache, static_cast<int>(*facts.compute_units), {}}};
  return facts;
}

std::string missing_for_same_bits(cl_device_fp_config single) {
  struct Needed {
    cl_device_fp_config flag;
    const char* what;
  };
  constexpr Needed all[] = {
      {CL_FP_ROUND_TO_NEAREST, "rounding to nearest"},
      {CL_FP_INF_NAN, "infinity and NaN"},
      {CL_FP_DENORM, "subnormal numbers"},
      {CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, "correctly rounded division and roots"}};
  std::string missing;
  for (const Needed& needed : all)
    if ((single & needed.flag) == 0)
      missing += std::string(missing.empty() ? "" : ", ") + needed.what;
  return missing;
}

cl_device_fp_config single_arithmetic_of(const Library& library, cl_device_id device) {
  cl_device_fp_config config = 0;
  library.clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, nullptr);
  return config;
}

std::string platform_of(const Library& library, cl_device_id device) {
  cl_platform_id platform = nullptr;
  char name[64] = {};
  library.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr);
  library.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
  return name;
}

}  // namespace hasten::backends::opencl
