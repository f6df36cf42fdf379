// PTX for the oldest architecture: the driver compiles it for any newer one.
#include "backends/cuda/nvrtc.hpp"
#include "backends/linked_devices.hpp"

namespace hasten::backends {

std::vector<std::byte> ptx_of(const std::string& text, const CompileOptions& options) {
  const cuda::Nvrtc* const nvrtc = cuda::nvrtc();
  if (!nvrtc) return {};
  return cuda::compile(*nvrtc, text, {nvrtc->archs.front(), true}, options);
}

}  // namespace hasten::backends
