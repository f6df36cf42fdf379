// A lazy stream does nothing until somebody waits for it: what a program reads too early, or frees
// too early, is then always wrong and not only sometimes.
#include "tests/fake_cuda/stream.hpp"

namespace fake_cuda {

Stream::Stream(Device& device, bool blocking)
    : device_(device),
      blocking_(blocking),
      thread_([this] { run(); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Stream::submit(Work work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    ++submitted_;
    if (!Machine::get().lazy) demanded_ = submitted_;
  }
  changed_.notify_all();
}

void Stream::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || (!queue_.empty() && done_ < demanded_); });
    if (queue_.empty()) return;
    const Work work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
}

void Stream::demand() {
  {
    const std::lock_guard lock(mutex_);
    demanded_ = submitted_;
  }
  changed_.notify_all();
}

void Stream::wait() {
  std::unique_lock lock(mutex_);
  const std::uint64_t all = demanded_ = submitted_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return done_ >= all; });
}

bool Stream::idle() {
  demand();
  const std::lock_guard lock(mutex_);
  return done_ == submitted_;
}

// -- events ---------------------------------------------------------------------------------------

Work Event::record(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(marks_->mutex);
  marks_->stream = stream;
  marks_->pending.insert(++marks_->last);
  return [marks = marks_, mark = marks_->last] {
    const std::lock_guard own(marks->mutex);
    marks->pending.erase(mark);
    marks->time = std::chrono::duration<double, std::milli>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count();
    marks->changed.notify_all();
  };
}

Work Event::waiting() {
  const std::lock_guard lock(marks_->mutex);
  // The mark's own stream: the event may be recorded again elsewhere before the work begins.
  return [marks = marks_, mark = marks_->last, stream = marks_->stream] {
    if (const auto recorded_in = stream.lock()) recorded_in->demand();
    std::unique_lock own(marks->mutex);
    marks->changed.wait(own, [&] { return !marks->pending.contains(mark); });
  };
}

void Event::wait() { waiting()(); }

bool Event::reached() {
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(marks_->mutex);
    if (!marks_->pending.contains(marks_->last)) return true;
    stream = marks_->stream.lock();
  }
  if (stream) stream->demand();
  return false;
}

double Event::time() {
  const std::lock_guard lock(marks_->mutex);
  return marks_->time;
}

bool Event::recorded() {
  const std::lock_guard lock(marks_->mutex);
  return marks_->last > 0;
}

// -- work -----------------------------------------------------------------------------------------

Captures& captures() {
  static auto* const all = new Captures;
  return *all;
}

CUresult submit(Device& device, CUstream handle, Work work) {
  if (!handle) {
    const std::lock_guard lock(device.null_stream);
    device.wait(true);
    work();
    return device.error();
  }
  const std::shared_ptr<Stream> stream = Handles<Stream>::all().find(handle);
  if (!stream || &stream->device() != &device) {
    mistake(stream ? "a stream of another device" : "a stream that does not exist");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  {
    const std::lock_guard lock(captures().mutex);
    if (stream->capture) {
      stream->capture->works.push_back(std::move(work));
      return CUDA_SUCCESS;
    }
  }
  stream->submit(std::move(work));
  return CUDA_SUCCESS;
}

Work guarded(Device& device, std::function<CUresult()> work) {
  return [&device, work = std::move(work)] {
    if (device.error() != CUDA_SUCCESS) return;
    const CUresult result = work();
    if (result != CUDA_SUCCESS) device.fail(result);
  };
}

CUresult outside_captures() {
  const std::lock_guard lock(captures().mutex);
  CUresult result = CUDA_SUCCESS;
  for (const auto& capture : captures().active)
    if (capture->mode == 0 ||
        (capture->mode == 1 && capture->thread == std::this_thread::get_id())) {
      capture->invalid = true;
      result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  return result;
}

}  // namespace fake_cuda
