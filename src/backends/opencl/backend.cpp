// The OpenCL target's devices.
#include "backends/backend.hpp"
#include "backends/gpus.hpp"
#include "backends/host_sort.hpp"
#include "backends/opencl/devices.hpp"
#include "backends/opencl/driver.hpp"
#include "support/env.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace hasten::backends {
namespace {

// A file that the driver of a GPU creates there.
bool shows_gpu(const std::filesystem::path& folder, std::string_view prefix) {
  std::error_code error;
  const std::filesystem::directory_iterator files(folder, error);
  if (error) return false;
  return std::any_of(begin(files), end(files), [&](const std::filesystem::directory_entry& file) {
    return file.path().filename().string().starts_with(prefix);
  });
}

bool has_gpu() {
  return shows_gpu("/dev/dri", "renderD") || shows_gpu("/dev", "nvidia") ||
         shows_gpu("/dev", "kfd") || shows_gpu("/dev", "mali");
}

// Null: devices sort by their own kernels.
std::shared_ptr<const HostSort> host_sort([[maybe_unused]] const opencl::Library& library,
                                          [[maybe_unused]] const opencl::Device& device) {
#if HASTEN_WITH_LLVM
  constexpr std::string_view ways[] = {"kernels"};
  support::warn_of_unknown_words("HASTEN_OPENCL_SORT", "way to sort", ways);
  if (opencl::is_processor(library, device.id) && support::env("HASTEN_OPENCL_SORT") != "kernels")
    return make_host_sort(static_cast<int>(opencl::compute_units(library, device.id)));
#endif
  return nullptr;
}

}  // namespace

std::vector<Gpu> opencl_gpus() {
  const opencl::Library* const library = has_gpu() ? opencl::library() : nullptr;
  if (!library) return {};
  std::vector<Gpu> gpus;
  const std::vector<opencl::Device>& all = opencl::devices(*library);
  for (std::size_t i = 0; i < all.size(); ++i) {
    cl_device_type type = 0;
    library->clGetDeviceInfo(all[i].id, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    if ((type & CL_DEVICE_TYPE_GPU) != 0)
      gpus.push_back({i, opencl::facts_of(*library, all[i].id)});
  }
  return gpus;
}

std::shared_ptr<Backend> make_opencl_backend(std::size_t index) {
  const opencl::Library* const library = opencl::library();
  if (!library) return nullptr;
  const std::vector<opencl::Device>& all = opencl::devices(*library);
  if (index >= all.size()) return nullptr;
  return c_like::make_c_like_backend(
      opencl::make_driver(*library, all[index], "opencl:" + std::to_string(index)),
      host_sort(*library, all[index]));
}

std::vector<DeviceState> opencl_devices(std::string& why) {
  const opencl::Library* const library = opencl::library(&why);
  if (!library) return {};
  std::vector<DeviceState> states;
  for (const opencl::Device& device : opencl::devices(*library))
    states.push_back({opencl::text_of(*library, device.id, CL_DEVICE_NAME) + device.part,
                      opencl::facts_of(*library, device.id)});
  if (states.empty())
    why = "the OpenCL loader knows no device (install a driver: pocl-opencl-icd runs on any CPU)";
  return states;
}

}  // namespace hasten::backends
