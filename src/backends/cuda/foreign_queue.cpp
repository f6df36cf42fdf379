// The ordering learns only at the end what the stream was used for: until then the call alone has
// the results, and holds the arguments.
#include "backends/cuda/foreign_queue.hpp"

#include <utility>

namespace hasten::backends::cuda {

std::list<TimedLaunch>*& watched_launches() {
  static thread_local std::list<TimedLaunch>* watched = nullptr;
  return watched;
}

StreamOfOthers::StreamOfOthers(std::shared_ptr<const DeviceState> state,
                               std::span<const c_like::Address> reads, c_like::CallWork* call)
    : state_(std::move(state)),
      current_(state_->context),
      call_(call),
      uses_(c_like::Ordering::reads(reads)),
      queue_(state_->streams().choose(uses_, call)),
      watched_(watched_launches()) {
  if (!watched_) return;
  timed_ = watched_->emplace(watched_->end(), state_->context);
  timed_->begin.record(stream());
}

// The user's code threw, and nothing else knows of the memory that its work uses.
StreamOfOthers::~StreamOfOthers() {
  if (is_closed_) return;
  if (watched_) watched_->erase(timed_);
  state_->context.library().cuStreamSynchronize(stream().handle());
}

void* StreamOfOthers::device() const {
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(state_->properties.handle));
}

void StreamOfOthers::writes(std::byte* address) {
  uses_.push_back({address, true});
  state_->streams().order(queue_, std::span(&uses_.back(), 1));
}

void StreamOfOthers::close() {
  if (watched_) timed_->end.record(stream());
  state_->streams().mark(queue_, uses_, call_);
  is_closed_ = true;
}

}  // namespace hasten::backends::cuda
