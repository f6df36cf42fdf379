// A device is set up when a program first uses it.
#include "backends/cuda/state.hpp"

#include <hasten/run/error.hpp>

namespace hasten::backends::cuda {

namespace {

// Pinned memory: with unified addressing its address is the same on both sides.
std::shared_ptr<c_like::StopWords> stop_words_of(const Context& context) {
  const auto make = [&context](std::size_t bytes) {
    const Context::Current current(context);
    void* memory = nullptr;
    const CUresult result = context.library().cuMemHostAlloc(
        &memory, bytes, host_alloc_portable | host_alloc_device_map);
    return result == success ? memory : nullptr;
  };
  const auto free = [&context](void* memory) { context.library().cuMemFreeHost(memory); };
  return std::make_shared<c_like::StopWords>(make, free);
}

}  // namespace

DeviceState::Parts::Parts(const Context& context)
    : uploads(context),
      downloads(context),
      memory(context),
      streams(context, uploads, downloads),
      stop_words(stop_words_of(context)) {}

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
  } catch (const Error&) {  // the process ends, or the device is lost: nothing to release
    static_cast<void>(parts_.release());
  }
}

}  // namespace hasten::backends::cuda
