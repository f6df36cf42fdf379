// Loops whose iterations repeat: their launches become one command of the device, done again and
// again. See docs/memory.md and docs/cuda-target.md.
#pragma once

#include "backends/backend.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/execute/iteration_log.hpp"
#include "runtime/execute/lead.hpp"
#include "runtime/memory/residency.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace hasten::runtime {

struct LoopLimits {
  std::size_t memory;             // in bytes; 0: none
  const support::StopWord* stop;  // of its launches; may be null
  Lead* lead;                     // null: the call cannot be stopped
};

/// One loop of one run. The executor tells it what the loop does. When iterations repeat it takes
/// their launches over: the executor walks on, without launching, and what it finds is compared
/// with what the device is told. Whatever is different ends the replay, after all that was before
/// is launched.
class LoopReplay {
 public:
  LoopReplay(const LoadedPlan& loaded, const LoopLimits& limits);
  ~LoopReplay();
  LoopReplay(const LoopReplay&) = delete;
  LoopReplay& operator=(const LoopReplay&) = delete;

  // -- launches by the executor -------------------------------------------------------------------

  void launched(const SeenLaunch& launch);
  /// The executor found no memory: whether there is more now.
  [[nodiscard]] bool let_go();

  // -- launches by the replay ---------------------------------------------------------------------

  [[nodiscard]] bool is_replaying() const { return session_ != nullptr; }
  /// The outputs of the launch that comes next, if it is this one; else none.
  [[nodiscard]] std::span<const HostArrayRef> expected_outputs(const kernels::Launch& op) const;
  /// Whether this is the launch that comes next, in all that it is given; then it is done.
  [[nodiscard]] bool takes(const SeenLaunch& launch);
  /// Launches all that was taken and ends the replay. Throws what the device throws.
  void stop();

  // -- both ---------------------------------------------------------------------------------------

  /// Before a buffer is looked at by the host.
  void before_read(const detail::Buffer& buffer);
  /// Before anything that is no launch and uses arrays.
  void before_other_work();
  void end_iteration(std::span<const HostArrayRef> next);

 private:
  class Session;

  [[nodiscard]] bool has_room(std::size_t iterations) const;
  void start(std::size_t iterations);
  void step_aside();

  const LoadedPlan& loaded_;
  const LoopLimits limits_;
  IterationLog log_;
  std::size_t to_keep_ =
      0;  // iterations whose outputs are still to be kept; they become the session's
  std::size_t kept_ = 0;
  int failures_ = 0;
  std::unique_ptr<Session> session_;
};

}  // namespace hasten::runtime
