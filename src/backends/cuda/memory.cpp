// Freed blocks are kept by size; when memory runs out, they go back to the driver.
#include "backends/cuda/memory.hpp"

#include "support/env.hpp"

#include <algorithm>
#include <bit>

namespace hasten::backends::cuda {
namespace {

constexpr std::size_t least = 512;

// Blocks have the size that was asked for, and none is kept: who watches memory sees more.
bool is_exact() {
  static const bool exact = !support::env("HASTEN_CUDA_EXACT").empty();
  return exact;
}

}  // namespace

std::size_t size_class(std::size_t bytes) {
  if (bytes <= least) return least;
  const std::size_t step = std::max(least, std::bit_floor(bytes - 1) / 8);
  return (bytes + step - 1) / step * step;
}

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

Memory::Memory(const Context& context, Marks& marks, const Stream& compute, std::size_t most_spare)
    : context_(context),
      marks_(marks),
      compute_(compute),
      most_spare_(is_exact() ? 0 : most_spare) {}

Memory::~Memory() {
  for (const auto& [bytes, spare] : spare_) release(spare.address);
  for (const auto& [address, block] : used_) release(address);
}

void Memory::release(CUdeviceptr address) const noexcept {
  context_.library().cuMemFree_v2(address);
}

Mark Memory::mark_of_launches() {
  if (!last_mark_) last_mark_ = marks_.of(compute_);
  return last_mark_;
}

// -- blocks ---------------------------------------------------------------------------------------

CUdeviceptr Memory::take_spare(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = spare_.find(bytes);
  if (found == spare_.end()) return 0;
  const CUdeviceptr address = found->second.address;
  used_.emplace(address, std::move(found->second.block));
  spare_.erase(found);
  spare_bytes_ -= bytes;
  return address;
}

CUdeviceptr Memory::fresh(std::size_t bytes) {
  CUdeviceptr address = 0;
  const CUresult error = context_.library().cuMemAlloc_v2(&address, bytes);
  if (error == out_of_memory) return 0;
  context_.check("cuMemAlloc", error);
  const std::lock_guard lock(mutex_);
  Block block;
  block.bytes = bytes;
  used_.emplace(address, std::move(block));
  return address;
}

CUdeviceptr Memory::allocate(std::size_t bytes) {
  const std::size_t size = is_exact() ? std::max<std::size_t>(bytes, 1) : size_class(bytes);
  if (const CUdeviceptr address = take_spare(size)) return address;
  if (const CUdeviceptr address = fresh(size)) return address;
  trim();
  return fresh(size);
}

void Memory::free(CUdeviceptr address) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(address);
  if (found == used_.end()) return;
  Block block = std::move(found->second);
  used_.erase(found);
  const std::size_t bytes = block.bytes;
  try {
    if (spare_bytes_ + bytes <= most_spare_) {
      if (block.launched) block.freed = mark_of_launches();
      block.launched = false;
      spare_.emplace(bytes, Spare{address, std::move(block)});
      spare_bytes_ += bytes;
      return;
    }
  } catch (...) {  // the device is lost, or the host has no memory: the driver takes it back
  }
  release(address);  // waits for what still uses it
}

void Memory::trim() {
  std::multimap<std::size_t, Spare> spare;
  {
    const std::lock_guard lock(mutex_);
    spare.swap(spare_);
    spare_bytes_ = 0;
  }
  for (const auto& [bytes, one] : spare) release(one.address);
}

// -- the order of copies and launches -------------------------------------------------------------

void Memory::before_upload(CUdeviceptr address, const Stream& copies) {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(address);
  if (found == used_.end()) return;
  Block& block = found->second;
  if (block.launched) block.freed = mark_of_launches();
  if (block.freed) block.freed->wait_on(copies);
  block.freed = nullptr;
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
