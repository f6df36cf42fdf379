// The CUDA target's devices.
#include "backends/backend.hpp"
#include "backends/cuda/driver.hpp"
#include "backends/cuda/nvrtc.hpp"
#include "backends/gpus.hpp"

namespace hasten::backends {

std::shared_ptr<Backend> make_cuda_backend(std::size_t index) {
  const cuda::Library* const library = cuda::library();
  if (!library) return nullptr;
  std::string why;
  const std::vector<cuda::DeviceProperties> all = cuda::devices(*library, why);
  if (index >= all.size()) return nullptr;
  return c_like::make_c_like_backend(
      cuda::make_driver(*library, all[index], "cuda:" + std::to_string(index)));
}

std::vector<DeviceState> cuda_devices(std::string& why) {
  const cuda::Library* const library = cuda::library(&why);
  if (!library) return {};
  std::vector<DeviceState> states;
  for (const cuda::DeviceProperties& device : cuda::devices(*library, why))
    states.push_back({device.description(), device.facts()});
  return states;
}

std::vector<Gpu> cuda_gpus() {
  std::string why;
  const std::vector<DeviceState> devices = cuda_devices(why);
  std::vector<Gpu> gpus;
  if (devices.empty() || !cuda::nvrtc(&why)) return gpus;
  for (std::size_t i = 0; i < devices.size(); ++i) gpus.push_back({i, devices[i].facts});
  return gpus;
}

std::vector<LibraryState> cuda_libraries() {
  std::vector<LibraryState> states;
  std::string why;
  const cuda::Library* const driver = cuda::library(&why);
  const std::string version = driver ? "for CUDA " + cuda::version_text(driver->version) : why;
  states.push_back(
      {driver ? driver->file : cuda::driver_files().front(), driver != nullptr, version});
  const cuda::Nvrtc* const compiler = cuda::nvrtc(&why);
  states.push_back({compiler ? compiler->file : "libnvrtc", compiler != nullptr,
                    compiler ? "version " + std::to_string(compiler->major) + "." +
                                   std::to_string(compiler->minor)
                             : why});
  return states;
}

}  // namespace hasten::backends
