// Libraries with code for OpenCL refer to this, which links the wrapper of its driver.
#include "ahead/call/linked/device_code.hpp"
#include "backends/linked_devices.hpp"

extern "C" const hasten_device_kind hasten_opencl_devices = {
    [](const hasten_device_code& code, std::size_t device) {
      return hasten::ahead::open_device(code, device, "opencl",
                                        hasten::backends::make_linked_opencl_backend);
    }};
