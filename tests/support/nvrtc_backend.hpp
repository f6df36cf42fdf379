// A backend whose kernels run on another one, while their CUDA text is compiled with the real NVRTC
// for several architectures: proof that the compiler takes it, where there is no device.
#pragma once

#include "backends/backend.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hasten::test {

/// What was compiled in this process so far.
struct NvrtcReport {
  std::int64_t kernels = 0, texts = 0;  // texts that differ
  std::vector<double> milliseconds;     // of processor time of every compilation, ascending
};
[[nodiscard]] NvrtcReport nvrtc_report();

/// Which of Turing, Ampere, Hopper and Blackwell a text is compiled for: each is some 60 ms.
enum class Architectures : std::uint8_t { one_in_turn, all };

/// Kernels run on `runs`, whose foreign functions it does not call; compile throws what NVRTC has
/// to say. Null, with the reason in `why`, when there is no NVRTC.
std::shared_ptr<backends::Backend> make_nvrtc_backend(std::shared_ptr<backends::Backend> runs,
                                                      Architectures architectures,
                                                      std::string& why);

}  // namespace hasten::test
