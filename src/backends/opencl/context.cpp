// A context lives as long as a driver uses it.
#include "backends/opencl/context.hpp"

#include <map>
#include <mutex>

namespace hasten::backends::opencl {

Context::Context(const Library& library, const Device& device, const std::string& name)
    : library_(library) {
  cl_int error = CL_SUCCESS;
  context_ = library_.clCreateContext(nullptr, static_cast<cl_uint>(device.all_parts.size()),
                                      device.all_parts.data(), nullptr, nullptr, &error);
  if (error != CL_SUCCESS) fail(name, "clCreateContext", error);
}

Context::~Context() { library_.clReleaseContext(context_); }

std::shared_ptr<const Context> context_of(const Library& library, const Device& device,
                                          const std::string& name) {
  struct Known {
    std::mutex mutex;
    std::map<cl_device_id, std::weak_ptr<const Context>> by_first_part;
  };
  static Known& known = *new Known;  // drivers may be made when statics are gone
  if (device.all_parts.size() == 1) return std::make_shared<const Context>(library, device, name);
  const std::lock_guard lock(known.mutex);
  std::weak_ptr<const Context>& place = known.by_first_part[device.all_parts.front()];
  if (auto shared = place.lock()) return shared;
  auto made = std::make_shared<const Context>(library, device, name);
  place = made;
  return made;
}

}  // namespace hasten::backends::opencl
