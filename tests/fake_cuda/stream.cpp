// A lazy stream does nothing until someone waits for it: memory that a program reads or frees too
// early is then always wrong, and not only sometimes.
#include "tests/fake_cuda/stream.hpp"

#include <utility>

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

// A query is not a wait: a lazy stream remains idle.
bool Event::reached() {
  const std::lock_guard lock(marks_->mutex);
  return !marks_->pending.contains(marks_->last);
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

namespace {

// Launches enqueued while the gate is shut wait until it opens.
struct Gate {
  std::mutex mutex;
  std::condition_variable opened;
  bool is_open = false;
};

std::mutex gate_mutex;
std::shared_ptr<Gate>& gate() {
  static auto* const current = new std::shared_ptr<Gate>(std::make_shared<Gate>());
  return *current;
}
bool holds_new = false;

}  // namespace

Work held(Work work) {
  const std::lock_guard lock(gate_mutex);
  if (!holds_new) return work;
  ++Machine::get().counts.held;
  return [before = gate(), work = std::move(work)] {
    {
      std::unique_lock own(before->mutex);
      before->opened.wait(own, [&] { return before->is_open; });
    }
    --Machine::get().counts.held;
    work();
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

void fake_cuda_hold(int holds) {
  const std::lock_guard lock(fake_cuda::gate_mutex);
  fake_cuda::holds_new = holds != 0;
}

void fake_cuda_release() {
  const std::lock_guard lock(fake_cuda::gate_mutex);
  const auto before = std::exchange(fake_cuda::gate(), std::make_shared<fake_cuda::Gate>());
  const std::lock_guard own(before->mutex);
  before->is_open = true;
  before->opened.notify_all();
}
