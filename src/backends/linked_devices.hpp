// Devices for exported libraries: they launch the texts of backends/c_like/ahead/texts.hpp.
#pragma once

#include "backends/backend.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace hasten::backends {

/// Null, with the reason in `why`, when there is no device of this number.
[[nodiscard]] std::shared_ptr<Backend> make_linked_opencl_backend(std::size_t index,
                                                                  std::string& why);
[[nodiscard]] std::shared_ptr<Backend> make_linked_cuda_backend(std::size_t index,
                                                                std::string& why);

/// PTX of a text, for all devices that NVRTC knows and newer ones; empty: there is no NVRTC.
[[nodiscard]] std::vector<std::byte> ptx_of(const std::string& text, const CompileOptions& options);

}  // namespace hasten::backends
