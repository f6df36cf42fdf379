// Libraries with code for CUDA refer to this, which links the wrapper of its driver.
#include "ahead/call/linked/device_code.hpp"
#include "backends/linked_devices.hpp"

extern "C" const hasten_device_kind hasten_cuda_devices = {
    [](const hasten_device_code& code, std::size_t device) {
      return hasten::ahead::open_device(code, device, "cuda",
                                        hasten::backends::make_linked_cuda_backend);
    }};
