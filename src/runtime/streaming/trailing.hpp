// What a part leaves behind when the next one begins: results that are copied home, and memory that
// becomes free. Both wait until the next part's first launch has been issued, so that copies of one
// part overlap with the computation of the next.
#pragma once

#include "kernels/plan.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/streaming/homecoming.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace hasten::runtime {

struct RunState;

/// For one run whose parts come one after the other, on devices with memory of their own.
class Trailing {
 public:
  explicit Trailing(RunState& state) : state_(state) {}

  /// A step has been issued.
  void after(const kernels::Step& step);
  /// Waits until none of these is on its way home.
  void wait_for(const std::vector<core::ArrayId>& arrays);
  /// Frees arrays that the part under way no longer needs.
  void free(const std::vector<core::ArrayId>& arrays);

 private:
  void leave(std::uint32_t part);
  void bring_home(core::ArrayId array, std::uint32_t part);
  void finish();
  [[nodiscard]] bool has_room(std::size_t quarters) const;

  RunState& state_;
  std::uint32_t part_ = core::none;  // the part under way
  std::vector<std::pair<std::uint32_t, core::ArrayId>> results_;
  std::vector<std::pair<std::uint32_t, HostArrayRef>> freed_;
  std::vector<core::ArrayId> under_way_;  // on their way home
  Homecoming homecoming_;
};

}  // namespace hasten::runtime
