// CUDA's devices for libraries that carry their texts, and driver code where NVRTC was available.
#include "backends/c_like/ahead/texts.hpp"
#include "backends/cuda/driver.hpp"
#include "backends/linked_devices.hpp"

namespace hasten::backends {

std::shared_ptr<Backend> make_linked_cuda_backend(std::size_t index, std::string& why) {
  const cuda::Library* const library = cuda::library(&why);
  if (!library) return nullptr;
  const std::vector<cuda::DeviceProperties> all = cuda::devices(*library, why);
  if (index < all.size())
    return make_linked_device(
        cuda::make_driver(*library, all[index], "cuda:" + std::to_string(index)));
  if (why.empty()) why = "CUDA's driver knows " + std::to_string(all.size()) + " of them";
  return nullptr;
}

}  // namespace hasten::backends
