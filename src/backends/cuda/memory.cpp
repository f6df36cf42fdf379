// Every block is known by its address, from cuMemAlloc to cuMemFree.
#include "backends/cuda/memory.hpp"

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

Memory::Memory(const Context& context, Marks& marks, const Stream& compute)
    : context_(context),
      marks_(marks),
      compute_(compute) {}

Memory::~Memory() {
  for (const auto& [address, block] : used_) context_.library().cuMemFree_v2(address);
}

Mark Memory::mark_of_launches() {
  if (!last_mark_) last_mark_ = marks_.of(compute_);
  return last_mark_;
}

CUdeviceptr Memory::allocate(std::size_t bytes) {
  CUdeviceptr address = 0;
  const CUresult error =
      context_.library().cuMemAlloc_v2(&address, std::max<std::size_t>(bytes, 1));
  if (error == out_of_memory) return 0;
  context_.check("cuMemAlloc", error);
  try {
    const std::lock_guard lock(mutex_);
    used_.emplace(address, Block{});
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

// -- the order of copies and launches -------------------------------------------------------------

void Memory::before_upload(CUdeviceptr address, const Stream& copies) {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(address);
  if (found == used_.end()) return;
  Block& block = found->second;
  if (block.launched) mark_of_launches()->wait_on(copies);
  block.launched = false;
}

void Memory::after_upload(CUdeviceptr address, const Stream& copies) {
  Mark mark = marks_.of(copies);
  const std::lock_guard lock(mutex_);
  if (const auto found = used_.find(address); found != used_.end())
    found->second.uploaded = std::move(mark);
}

void Memory::before_download(CUdeviceptr address, const Stream& copies) {
  const std::lock_guard lock(mutex_);
  mark_of_launches()->wait_on(copies);
  const auto found = used_.find(address);
  if (found != used_.end() && found->second.uploaded) found->second.uploaded->wait_on(copies);
}

void Memory::before_launch(std::span<const CUdeviceptr> addresses) {
  const std::lock_guard lock(mutex_);
  for (const CUdeviceptr address : addresses) {
    const auto found = used_.find(address);
    if (found == used_.end()) continue;
    if (found->second.uploaded) found->second.uploaded->wait_on(compute_);
    found->second.uploaded = nullptr;
    found->second.launched = true;
  }
}

void Memory::after_launch() {
  const std::lock_guard lock(mutex_);
  last_mark_ = nullptr;
}

}  // namespace hasten::backends::cuda
