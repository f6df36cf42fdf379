// The OpenCL target's devices.
#include "backends/backend.hpp"
#include "backends/opencl/devices.hpp"
#include "backends/opencl/driver.hpp"

namespace hasten::backends {

std::shared_ptr<Backend> make_opencl_backend(std::size_t index) {
  const opencl::Library* const library = opencl::library();
  if (!library) return nullptr;
  const std::vector<opencl::Device>& all = opencl::devices(*library);
  if (index >= all.size()) return nullptr;
  return c_like::make_c_like_backend(
      opencl::make_driver(*library, all[index], "opencl:" + std::to_string(index)));
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
