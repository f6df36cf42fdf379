// Streams and events.
#include "tests/fake_cuda/stream.hpp"

using namespace fake_cuda;

namespace {

// The stream of a handle, if it belongs to the device and does not capture.
CUresult find(Device& device, CUstream handle, std::shared_ptr<Stream>& stream) {
  stream = Handles<Stream>::all().find(handle);
  if (!stream || &stream->device() != &device) {
    mistake(stream ? "a stream of another device" : "a stream that does not exist");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  const std::lock_guard lock(captures().mutex);
  if (!stream->capture) return CUDA_SUCCESS;
  stream->capture->invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

std::shared_ptr<Event> find(CUevent handle) {
  std::shared_ptr<Event> event = Handles<Event>::all().find(handle);
  if (!event) mistake("an event that does not exist");
  return event;
}

// The capture in which an event was recorded, if it has not ended.
std::shared_ptr<Capture> capture_of(Event& event) {
  const std::lock_guard lock(captures().mutex);
  std::shared_ptr<Capture> capture = event.capture.lock();
  return captures().active.contains(capture) ? capture : nullptr;
}

// The common beginning of every call on the host about an event.
CUresult enter_event(CUevent handle, std::shared_ptr<Event>& event, Device** device) {
  if (const CUresult error = enter(device)) return error;
  event = find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  return capture_of(*event) ? CUDA_ERROR_CAPTURED_EVENT : CUDA_SUCCESS;
}

}  // namespace

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  if (Machine::get().faults.strikes("stream")) return CUDA_ERROR_OUT_OF_MEMORY;
  auto made = std::make_shared<Stream>(*device, (flags & CU_STREAM_NON_BLOCKING) == 0);
  {
    const std::lock_guard lock(device->streams_mutex);
    device->streams.insert(made);
  }
  ++Machine::get().counts.streams;
  *stream = reinterpret_cast<CUstream>(Handles<Stream>::all().add(std::move(made)));
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream handle) {
  const CUresult error = enter();
  const std::shared_ptr<Stream> stream = Handles<Stream>::all().remove(handle);
  if (!stream) {
    mistake("a stream that does not exist is destroyed");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  {
    const std::lock_guard lock(stream->device().streams_mutex);
    stream->device().streams.erase(stream);
  }
  stream->wait();
  --Machine::get().counts.streams;
  return error;
}

CUresult cuStreamSynchronize(CUstream handle) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  if (!handle) {
    device->wait(true);
    return device->error();
  }
  std::shared_ptr<Stream> stream;
  if (const CUresult error = find(*device, handle, stream)) return error;
  stream->wait();
  return device->error();
}

CUresult cuStreamQuery(CUstream handle) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  std::shared_ptr<Stream> stream;
  if (const CUresult error = find(*device, handle, stream)) return error;
  const bool idle = stream->idle();
  if (const CUresult error = device->error()) return error;
  return idle ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  const std::shared_ptr<Event> event = find(event_handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  if (const std::shared_ptr<Capture> capture = capture_of(*event)) {
    const std::shared_ptr<Stream> stream = Handles<Stream>::all().find(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    const std::lock_guard lock(captures().mutex);
    stream->capture = capture;  // from now on, the stream's work becomes part of the graph
    return CUDA_SUCCESS;
  }
  return submit(*device, handle, event->waiting());
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  if (Machine::get().faults.strikes("event")) return CUDA_ERROR_OUT_OF_MEMORY;
  ++Machine::get().counts.events;
  auto made = std::make_shared<Event>((flags & CU_EVENT_DISABLE_TIMING) == 0);
  *event = reinterpret_cast<CUevent>(Handles<Event>::all().add(std::move(made)));
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent handle) {
  const CUresult error = enter();
  if (!Handles<Event>::all().remove(handle)) {
    mistake("an event that does not exist is destroyed");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  --Machine::get().counts.events;
  return error;
}

CUresult cuEventRecord(CUevent handle, CUstream stream_handle) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  const std::shared_ptr<Event> event = find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  const std::shared_ptr<Stream> stream = Handles<Stream>::all().find(stream_handle);
  if (stream) {
    const std::lock_guard lock(captures().mutex);
    event->capture = stream->capture;
    if (stream->capture) return CUDA_SUCCESS;
  }
  return submit(*device, stream_handle, event->record(stream));
}

CUresult cuEventSynchronize(CUevent handle) {
  Device* device = nullptr;
  std::shared_ptr<Event> event;
  if (const CUresult error = enter_event(handle, event, &device)) return error;
  event->wait();
  return device->error();
}

CUresult cuEventQuery(CUevent handle) {
  Device* device = nullptr;
  std::shared_ptr<Event> event;
  if (const CUresult error = enter_event(handle, event, &device)) return error;
  return event->reached() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start_handle, CUevent end_handle) {
  Device* device = nullptr;
  std::shared_ptr<Event> start, end;
  if (const CUresult error = enter_event(start_handle, start, &device)) return error;
  if (const CUresult error = enter_event(end_handle, end, &device)) return error;
  if (!start->timed || !end->timed || !start->recorded() || !end->recorded())
    return CUDA_ERROR_INVALID_HANDLE;
  if (!start->reached() || !end->reached()) return CUDA_ERROR_NOT_READY;
  *milliseconds = static_cast<float>(end->time() - start->time());
  return CUDA_SUCCESS;
}
