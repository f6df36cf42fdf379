// A launch is enqueued and marked under one mutex: a thread that has to wait for it finds it in its
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
            std::unique_ptr<Event> owned(const_cast<Event*>(done));  // made above, and owned here
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
  } catch (...) {  // no host memory for the list
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

Streams::Streams(const Context& context, Stagings& uploads, Stagings& downloads)
    : uploads_(uploads),
      downloads_(downloads),
      marks_(context),
      ordering_({all, computing, share}, [](const c_like::Mark& mark) {
        return static_cast<const Event*>(mark.get())->is_done();
      }) {
  for (std::size_t i = 0; i < computing; ++i) compute_.emplace_back(context);
}

// If the stream cannot be made to wait, the host does: the ordering relies on it.
void Streams::wait(const c_like::Ordering::Place& place, const Stream& stream) {
  for (const c_like::Mark& mark : place.after) {
    const auto& event = *static_cast<const Event*>(mark.get());
    try {
      event.wait_on(stream);
    } catch (const Error&) {
      event.synchronize();
    }
  }
}

std::size_t Streams::choose(std::span<const Use> uses, c_like::CallWork* call) {
  const std::lock_guard lock(mutex_);
  const c_like::Ordering::Place place = ordering_.place(uses, call);
  wait(place, compute_[place.queue]);
  return place.queue;
}

void Streams::order(std::size_t queue, std::span<const Use> uses) {
  const std::lock_guard lock(mutex_);
  wait(ordering_.place(queue, uses), compute_[queue]);
}

void Streams::mark(std::size_t queue, std::span<const Use> uses, c_like::CallWork* call) {
  const std::lock_guard lock(mutex_);
  note(queue, compute_[queue], uses, call, [&](const c_like::Mark& mark) {
    if (call) call->add(queue, mark);
  });
}

void Streams::wait_for_users(const Use& use) {
  std::vector<c_like::Mark> pending;
  {
    const std::lock_guard lock(mutex_);
    pending = ordering_.pending(std::span(&use, 1));
  }
  for (const c_like::Mark& mark : pending) static_cast<const Event*>(mark.get())->synchronize();
}

void Streams::before_upload(std::size_t staging, c_like::Address to) {
  const std::lock_guard lock(mutex_);
  const Use use[] = {{to, true}};
  wait(ordering_.place(first_upload + staging, use), uploads_.at(staging).stream());
}

void Streams::after_upload(std::size_t staging, c_like::Address to) {
  const std::lock_guard lock(mutex_);
  const Use use[] = {{to, true}};
  note(first_upload + staging, uploads_.at(staging).stream(), use, nullptr,
       [](const c_like::Mark&) {});
}

void Streams::before_download(std::size_t staging, c_like::Address from) {
  const std::lock_guard lock(mutex_);
  const Use use[] = {{from, false}};
  wait(ordering_.place(first_download + staging, use), downloads_.at(staging).stream());
}

bool Streams::is_used_by_others(c_like::Address address, c_like::Ordering::Owner owner) {
  const std::lock_guard lock(mutex_);
  return ordering_.is_used_by_others(address, owner);
}

void Streams::forget(c_like::Address address) noexcept {
  const std::lock_guard lock(mutex_);
  ordering_.forget(address);
}

void Streams::synchronize() const {
  for (std::size_t i = 0; i < Stagings::count; ++i) uploads_.at(i).stream().synchronize();
  for (const Stream& stream : compute_) stream.synchronize();
}

}  // namespace hasten::backends::cuda
