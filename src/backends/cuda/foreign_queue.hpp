// A stream in which the user's own code enqueues work, and the times of launches.
#pragma once

#include "backends/cuda/memory.hpp"
#include "backends/cuda/state.hpp"

#include <list>
#include <memory>
#include <span>
#include <vector>

namespace hasten::backends::cuda {

/// The events around a launch.
struct TimedLaunch {
  explicit TimedLaunch(const Context& context) : begin(context, true), end(context, true) {}
  Event begin, end;
};

/// The list in which this thread's launches are recorded; null: they are not timed.
[[nodiscard]] std::list<TimedLaunch>*& watched_launches();

/// The device's context is current for its lifetime.
class StreamOfOthers final : public ForeignQueue {
 public:
  StreamOfOthers(std::shared_ptr<const DeviceState> state, std::span<const c_like::Address> reads,
                 c_like::CallWork* call);
  ~StreamOfOthers() override;
  StreamOfOthers(const StreamOfOthers&) = delete;
  StreamOfOthers& operator=(const StreamOfOthers&) = delete;

  [[nodiscard]] void* queue() const override { return stream().handle(); }
  [[nodiscard]] void* context() const override { return state_->context.handle(); }
  [[nodiscard]] void* device() const override;
  void writes(std::byte* address) override;
  void close() override;

 private:
  [[nodiscard]] const Stream& stream() const { return state_->streams().compute(queue_); }

  const std::shared_ptr<const DeviceState> state_;
  const Context::Current current_;
  c_like::CallWork* const call_;
  std::vector<Streams::Use> uses_;
  const std::size_t queue_;
  std::list<TimedLaunch>* const watched_;
  std::list<TimedLaunch>::iterator timed_;  // our entry, if launches are timed
  bool is_closed_ = false;
};

}  // namespace hasten::backends::cuda
