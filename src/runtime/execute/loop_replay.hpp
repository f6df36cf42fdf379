// Loops whose iterations repeat: their launches become one command of the device, run repeatedly.
// See docs/memory.md and docs/cuda-target.md.
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

/// One loop of one run. The executor notifies it of the loop's steps. When iterations repeat it
/// takes over their launches: the executor walks on, without launching, and each step is compared
/// with the recorded ones. Any difference ends the replay, after all launches before it.
class LoopReplay {
 public:
  LoopReplay(const LoadedPlan& loaded, const LoopLimits& limits);
  ~LoopReplay();
  LoopReplay(const LoopReplay&) = delete;
  LoopReplay& operator=(const LoopReplay&) = delete;

  // -- launches by the executor -------------------------------------------------------------------

  void launched(const SeenLaunch& launch);
  /// The executor found no memory: returns whether more is free now.
  [[nodiscard]] bool let_go();

  // -- launches by the replay ---------------------------------------------------------------------

  [[nodiscard]] bool is_replaying() const { return session_ != nullptr; }
  /// The outputs of the next launch, if it is this one; else none.
  [[nodiscard]] std::span<const HostArrayRef> expected_outputs(const kernels::Launch& op) const;
  /// Whether this is the next launch, with equal arguments; then it is taken over.
  [[nodiscard]] bool takes(const SeenLaunch& launch);
  /// Launches everything taken over and ends the replay. Throws the device's errors.
  void stop();

  // -- both ---------------------------------------------------------------------------------------

  /// Before the host reads a buffer.
  void before_read(const detail::Buffer& buffer);
  /// Before other work that uses arrays.
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
