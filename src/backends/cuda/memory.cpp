// A launch is enqueued and marked under one mutex: who is told to wait for it finds it in its
// stream.
#include "backends/cuda/memory.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>

namespace hasten::backends::cuda {

// -- marks ----------------------------------------------------------------------------------------

Marks::Mark Marks::of(const Stream& stream) {
  std::unique_ptr<Event> event;
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      event = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (!event) event = std::make_unique<Event>(context_);
  event->record(stream);
  return {event.release(), [this](const Event* done) {
            std::unique_ptr<Event> owned(const_cast<Event*>(done));  // only ours, made above
            const std::lock_guard lock(mutex_);
            spare_.push_back(std::move(owned));
          }};
}

// -- memory ---------------------------------------------------------------------------------------

Memory::~Memory() {
  for (const CUdeviceptr address : used_) context_.library().cuMemFree_v2(address);
}

CUdeviceptr Memory::allocate(std::size_t bytes) {
  CUdeviceptr address = 0;
  const CUresult error =
      context_.library().cuMemAlloc_v2(&address, std::max<std::size_t>(bytes, 1));
  if (error == out_of_memory) return 0;
  context_.check("cuMemAlloc", error);
  try {
    const std::lock_guard lock(mutex_);
    used_.insert(address);
  } catch (...) {  // the host has no memory for the list
    context_.library().cuMemFree_v2(address);
    throw;
  }
  return address;
}

void Memory::free(CUdeviceptr address) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (used_.erase(address) == 0) return;
  }
  context_.library().cuMemFree_v2(address);
}

// -- streams --------------------------------------------------------------------------------------

Streams::Streams(const Context& context, const Stream& uploads, const Stream& downloads)
    : compute_{Stream(context), Stream(context), Stream(context), Stream(context)},
      uploads_(uploads),
      downloads_(downloads),
      marks_(context) {}

// If the stream cannot be told to wait, the host does: the ordering counts on it.
void Streams::wait(const c_like::Ordering::Place& place, const Stream& stream) {
  for (const c_like::Ordering::Mark& mark : place.after) {
    const auto& event = *static_cast<const Event*>(mark.get());
    try {
      event.wait_on(stream);
    } catch (const Error&) {
      event.synchronize();
    }
  }
}

// What cannot be marked has happened before anybody could have to wait for it. It is no error: the
// command was enqueued, and must not be tried again.
void Streams::note(std::size_t queue, const Stream& stream, std::span<const Use> uses) {
  try {
    ordering_.enqueued(queue, uses, marks_.of(stream));
  } catch (...) {
    stream.synchronize();
  }
}

void Streams::before_upload(c_like::Address to) {
  const std::lock_guard lock(mutex_);
  const Use use[] = {{to, true}};
  wait(ordering_.place(upload_queue, use), uploads_);
}

void Streams::after_upload(c_like::Address to) {
  const std::lock_guard lock(mutex_);
  const Use use[] = {{to, true}};
  note(upload_queue, uploads_, use);
}

void Streams::before_download(c_like::Address from) {
  const std::lock_guard lock(mutex_);
  const Use use[] = {{from, false}};
  wait(ordering_.place(download_queue, use), downloads_);
}

void Streams::forget(c_like::Address address) noexcept {
  const std::lock_guard lock(mutex_);
  ordering_.forget(address);
}

void Streams::synchronize() const {
  for (const Stream& stream : compute_) stream.synchronize();
}

}  // namespace hasten::backends::cuda
