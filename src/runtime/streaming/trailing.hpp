// What a part leaves behind when the next one begins: results that go home, and memory that is
// free. Both wait until the next part's first launch has been told, so that copies of one part take
// place while the other is computed.
#pragma once

#include "kernels/plan.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/streaming/homecoming.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace hasten::runtime {

struct RunState;

/// Of one run whose parts come one after the other, on devices with memory of their own.
class Trailing {
 public:
  explicit Trailing(RunState& state) : state_(state) {}

  /// A step has been told.
  void after(const kernels::Step& step);
  /// Until none of these is on its way home.
  void wait_for(const std::vector<core::ArrayId>& arrays);
  /// What the part under way needs no more.
  void free(const std::vector<core::ArrayId>& arrays);

 private:
  void leave(std::uint32_t part);
  void bring_home(core::ArrayId array, std::uint32_t part);
  void finish();
  [[nodiscard]] bool has_room(std::size_t quarters) const;

  RunState& state_;
  std::uint32_t part_ = core::none;  // under way
  std::vector<std::pair<std::uint32_t, core::ArrayId>> results_;
  std::vector<std::pair<std::uint32_t, HostArrayRef>> freed_;
  std::vector<core::ArrayId> under_way_;  // home
  Homecoming homecoming_;
};

}  // namespace hasten::runtime
