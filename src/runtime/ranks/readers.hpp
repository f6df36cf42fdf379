// Which ranks read an array, found in the plan before it runs, so that its bytes are on their way
// as soon as they are there.
#pragma once

#include "kernels/plan.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hasten::runtime {

/// What a step reads of an array; `leaf` none: all of it.
struct ReadOf {
  core::ArrayId array;
  std::uint32_t leaf;
};
/// What steps that are one rank's read. Others are done by all, or say which bytes they need.
[[nodiscard]] std::vector<ReadOf> reads_of(const kernels::Step& step);
/// Whether a step is one rank's.
[[nodiscard]] bool is_work(const kernels::Step& step);
/// Whether the extents of what it makes are not known before.
[[nodiscard]] bool makes_unknown(const kernels::Plan& plan, const kernels::Step& step);

[[nodiscard]] inline int rank_of(const kernels::Step& step) {
  return step.device == core::none ? 0 : static_cast<int>(step.device);
}

/// Of one plan.
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
