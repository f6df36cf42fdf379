// OpenCL's devices for libraries that carry their texts.
#include "backends/c_like/ahead/texts.hpp"
#include "backends/linked_devices.hpp"
#include "backends/opencl/devices.hpp"
#include "backends/opencl/driver.hpp"

namespace hasten::backends {

std::shared_ptr<Backend> make_linked_opencl_backend(std::size_t index, std::string& why) {
  const opencl::Library* const library = opencl::library(&why);
  if (!library) return nullptr;
  const std::vector<opencl::Device>& all = opencl::devices(*library);
  if (index < all.size())
    return make_linked_device(
        opencl::make_driver(*library, all[index], "opencl:" + std::to_string(index)));
  why = "OpenCL's loader knows " + std::to_string(all.size()) + " of them";
  return nullptr;
}

}  // namespace hasten::backends
