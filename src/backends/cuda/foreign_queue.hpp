// A stream that the user's own code is told work in, and the times of launches.
#pragma once

#include "backends/cuda/memory.hpp"
#include "backends/cuda/state.hpp"

#include <list>
#include <memory>
#include <span>
#include <vector>

namespace hasten::backends::cuda {

/// Around a launch.
struct TimedLaunch {
  explicit TimedLaunch(const Context& context) : begin(context, true), end(context, true) {}
  Event begin, end;
};

/// Where this thread's launches are noted; null: nobody times them.
[[nodiscard]] std::list<TimedLaunch>*& watched_launches();

/// The device's context is current until it is gone.
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
  std::list<TimedLaunch>::iterator timed_;  // of ours, if somebody watches
  bool is_closed_ = false;
};

}  // namespace hasten::backends::cuda
