// A backend whose kernels run on another one, while the real NVRTC compiles their CUDA text for
// several architectures: shows that the compiler accepts the text without a device.
#pragma once

#include "backends/backend.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hasten::test {

/// What was compiled in this process so far.
struct NvrtcReport {
  std::int64_t kernels = 0, texts = 0;  // distinct texts
  std::vector<double> milliseconds;     // processor time of every compilation, ascending
};
[[nodiscard]] NvrtcReport nvrtc_report();

/// Which of Turing, Ampere, Hopper and Blackwell a text is compiled for; each takes some 60 ms.
enum class Architectures : std::uint8_t { one_in_turn, all };

/// Kernels run on `runs`, whose foreign functions are not called; compile throws NVRTC's messages.
/// Null, with the reason in `why`, if there is no NVRTC.
std::shared_ptr<backends::Backend> make_nvrtc_backend(std::shared_ptr<backends::Backend> runs,
                                                      Architectures architectures,
                                                      std::string& why);

}  // namespace hasten::test
