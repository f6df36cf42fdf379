// A device is set up when a program first asks for it.
#include "backends/cuda/state.hpp"

#include <hasten/run/error.hpp>

namespace hasten::backends::cuda {

DeviceState::Parts::Parts(const Context& context)
    : uploads(context),
      downloads(context),
      memory(context),
      streams(context, uploads.stream(), downloads.stream()) {}

DeviceState::DeviceState(const Library& library, DeviceProperties device, std::string name)
    : properties(std::move(device)),
      context(library, properties.handle, std::move(name)) {
  const Context::Current current(context);
  parts_ = std::make_unique<Parts>(context);
}

DeviceState::~DeviceState() {
  try {
    const Context::Current current(context);
    parts_.reset();
  } catch (const Error&) {  // the process ends, or the device is lost: nothing to give back
    static_cast<void>(parts_.release());
  }
}

}  // namespace hasten::backends::cuda
