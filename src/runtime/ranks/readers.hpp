// Which ranks read an array, found in the plan before it runs, so that its bytes are sent as soon
// as they exist.
#pragma once

#include "kernels/plan.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hasten::runtime {

/// A read of an array by a step; `leaf` none: all of it.
struct ReadOf {
  core::ArrayId array;
  std::uint32_t leaf;
};
/// The reads of steps that run on one rank. Other steps run on all, or request the bytes they need.
[[nodiscard]] std::vector<ReadOf> reads_of(const kernels::Step& step);
/// Whether a step runs on one rank.
[[nodiscard]] bool is_work(const kernels::Step& step);
/// Whether the extents of its results are not known in advance.
[[nodiscard]] bool makes_unknown(const kernels::Plan& plan, const kernels::Step& step);

[[nodiscard]] inline int rank_of(const kernels::Step& step) {
  return step.device == core::none ? 0 : static_cast<int>(step.device);
}

/// For one plan.
class Readers {
 public:
  struct Reader {
    std::uint32_t leaf;  // none: all
    int rank;
    friend bool operator==(const Reader&, const Reader&) = default;
  };

  explicit Readers(const kernels::Plan& plan);
  [[nodiscard]] std::span<const Reader> of(core::ArrayId array) const { return readers_[array]; }

 private:
  void survey(const kernels::Steps& steps);
  void also(core::ArrayId source, core::ArrayId copy);

  std::vector<std::vector<Reader>> readers_;  // by ArrayId
};

}  // namespace hasten::runtime
