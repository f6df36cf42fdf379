// The mutex guards lists and sums; devices are called without it, for memory already accounted for.
#include "runtime/memory/device_memory.hpp"

#include "runtime/report/text.hpp"
#include "support/counters.hpp"
#include "support/env.hpp"
#include "support/forks.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

namespace hasten::runtime {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max() / 4;
constexpr std::size_t holders_shown = 4;
constexpr std::size_t most_asked = 4;  // blocks, when looking for an unused one

// Leaves an eighth to the driver, unless a budget is set.
std::size_t budget_of(const backends::Backend& backend) {
  if (const auto bytes = support::env_bytes("HASTEN_DEVICE_MEMORY")) return *bytes;
  const std::size_t there = backend.memory_bytes();
  return there == 0 ? unlimited : there - there / 8;
}

std::string text_of(const DeviceMemory::Resident& resident) {
  const Holder& holder = resident.holder;
  const std::string_view path = holder.where.file_name();
  std::string text = bytes_text(static_cast<double>(resident.bytes));
  text.append(holder.made ? " made by " : " read by ").append(holder.operation).append(" at ");
  text.append(path.substr(path.find_last_of('/') + 1)).append(":");
  return text + std::to_string(holder.where.line()) + (resident.is_pinned ? " (pinned)" : "");
}

// A lost device has lost its memory too.
void free_quietly(backends::Backend& backend, std::byte* address) noexcept {
  try {
    backend.free(address);
  } catch (...) {  // nobody to tell
  }
}

// A lost device uses nothing; the next call reports it.
bool is_used_by_others(backends::Backend& backend, const std::byte* address) noexcept {
  try {
    return backend.is_used_by_others(address);
  } catch (...) {
    return false;
  }
}

}  // namespace

Block::~Block() {
  if (owner_)
    memory_->finish_quietly();  // the lender may use it at once
  else if (raw_)
    memory_->give(raw_);
}

DeviceMemory::DeviceMemory(std::shared_ptr<backends::Backend> backend)
    : backend_(std::move(backend)),
      budget_(budget_of(*backend_)),
      forks_(support::forks()) {}

DeviceMemory::~DeviceMemory() { release_kept(); }

void DeviceMemory::finish_quietly() noexcept {
  try {
    if (is_of_this_process()) backend_->finish();
  } catch (...) {  // a device that is lost uses nothing
  }
}

bool DeviceMemory::is_of_this_process() const { return forks_ == support::forks(); }

void DeviceMemory::check_process() const {
  if (is_of_this_process()) return;
  throw TargetError(backend_->name() +
                    " was opened before fork(), and drivers do not work in the child; use the cpu "
                    "target there, or begin to use the device after fork()");
}

// Accounted for before it is requested: concurrent threads together stay within the budget.
RawBlock DeviceMemory::ask(std::unique_lock<std::mutex>& lock, std::size_t size) {
  held_ += size;
  lock.unlock();
  std::byte* address = nullptr;
  try {
    address = backend().allocate(size);
  } catch (...) {
    lock.lock();
    held_ -= size;
    throw;
  }
  lock.lock();
  if (!address) held_ -= size;
  return {address, size};
}

bool DeviceMemory::release_oldest(std::unique_lock<std::mutex>& lock) noexcept {
  if (forks_ != support::forks()) return false;  // the parent's
  const RawBlock block = allocator_.take_oldest();
  if (!block) return false;
  lock.unlock();
  free_quietly(*backend_, block.address);
  lock.lock();
  held_ -= block.size;
  return true;
}

// Moves out an array that was used after `tried` and not after `last`: arrays that others use
// meanwhile stay.
bool DeviceMemory::move_one_out(std::unique_lock<std::mutex>& lock, std::uint64_t& tried,
                                std::uint64_t last) {
  while (true) {
    const Place oldest = std::find_if(residents_.begin(), residents_.end(), [&](const Resident& r) {
      return r.used > tried && !r.is_pinned;
    });
    if (oldest == residents_.end() || oldest->used > last) return false;
    tried = oldest->used;
    std::shared_ptr<Movable> owner = oldest->owner.lock();
    if (!owner) continue;  // on its way out
    lock.unlock();
    Movable::Moved moved{};
    try {
      moved = owner->move_out(*this);
    } catch (...) {
      owner.reset();
      lock.lock();
      throw;
    }
    owner.reset();  // perhaps the last: without the mutex
    lock.lock();
    if (moved == Movable::Moved::busy) ++busy_;
    if (moved != Movable::Moved::out) continue;
    support::counters().evictions.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
}

Block DeviceMemory::take(std::size_t bytes, std::size_t limit) {
  const std::size_t budget = limit == 0 ? budget_ : std::min(limit, budget_);
  const std::size_t exact = exact_size(bytes);
  check_process();
  std::unique_lock lock(mutex_);
  if (exact > budget || pinned_ > budget - exact) return {};  // nothing needs to move for that
  const auto kept_block = [&](RawBlock kept) -> Block {
    support::counters().blocks_reused.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    return {shared_from_this(), kept};
  };
  std::uint64_t tried = 0;
  const std::uint64_t last = clock_;
  bool is_full = false;  // the device says so, whatever the budget says
  while (true) {
    if (held_ <= budget) {
      if (const RawBlock kept = take_unused(lock, exact)) return kept_block(kept);
    }
    const std::size_t wide = size_class(exact);
    const std::size_t size = !is_full && held_ + wide <= budget ? wide : exact;
    if (!is_full && held_ + size <= budget) {
      const RawBlock block = ask(lock, size);
      if (block) {
        lock.unlock();
        return {shared_from_this(), block};
      }
    }
    is_full = false;
    if (held_ <= budget) {  // its users precede on the device
      if (const RawBlock kept = allocator_.take(exact)) return kept_block(kept);
    }
    if (release_oldest(lock)) continue;
    if (!move_one_out(lock, tried, last)) return {};
  }
}

// Searches the blocks that fit best. Work of this call that still uses a block precedes later work
// of the call anyway; behind another call's work it would wait unnecessarily. The device is queried
// without the mutex: meanwhile the blocks are in no list.
RawBlock DeviceMemory::take_unused(std::unique_lock<std::mutex>& lock, std::size_t size) {
  std::array<RawBlock, most_asked> in_use;
  std::size_t count = 0;
  RawBlock found;
  while (count < in_use.size()) {
    const RawBlock block = allocator_.take(size);
    if (!block) break;
    lock.unlock();
    const bool is_in_use = is_used_by_others(*backend_, block.address);
    lock.lock();
    if (!is_in_use) {
      found = block;
      break;
    }
    in_use[count++] = block;
  }
  while (count > 0) put(lock, in_use[--count]);
  return found;
}

// At most half of the budget is kept: arrays of other sizes may need the rest.
std::size_t DeviceMemory::most_kept() const { return is_exact() ? 0 : budget_ / 2; }

void DeviceMemory::give(RawBlock block) noexcept {
  std::unique_lock lock(mutex_);
  if (!put(lock, block)) return;
  while (allocator_.bytes() > most_kept() && release_oldest(lock)) {}
}

// False: there is no memory for the list, and the block was returned to the device.
bool DeviceMemory::put(std::unique_lock<std::mutex>& lock, RawBlock block) noexcept {
  try {
    allocator_.put(block);
    return true;
  } catch (...) {
    lock.unlock();
    free_quietly(*backend_, block.address);
    lock.lock();
    held_ -= block.size;
    return false;
  }
}

DeviceMemory::Place DeviceMemory::add(std::weak_ptr<Movable> owner, std::size_t bytes,
                                      const Holder& holder) {
  const std::lock_guard lock(mutex_);
  residents_.push_back({std::move(owner), bytes, holder, ++clock_});
  return std::prev(residents_.end());
}

void DeviceMemory::touch(Place place) {
  const std::lock_guard lock(mutex_);
  place->used = ++clock_;
  residents_.splice(residents_.end(), residents_, place);
}

void DeviceMemory::pin(Place place, bool is_pinned) {
  const std::lock_guard lock(mutex_);
  if (place->is_pinned == is_pinned) return;
  place->is_pinned = is_pinned;
  const std::size_t size = exact_size(place->bytes);
  pinned_ = is_pinned ? pinned_ + size : pinned_ - size;
}

void DeviceMemory::remove(Place place) noexcept {
  const std::lock_guard lock(mutex_);
  if (place->is_pinned) pinned_ -= exact_size(place->bytes);
  residents_.erase(place);
}

void DeviceMemory::clear_out() {
  {
    std::unique_lock lock(mutex_);
    std::uint64_t tried = 0;
    const std::uint64_t last = clock_;
    while (move_one_out(lock, tried, last)) {}
  }
  release_kept();
}

void DeviceMemory::release_kept() noexcept {
  std::unique_lock lock(mutex_);
  while (release_oldest(lock)) {}
}

namespace {
thread_local const DeviceMemory::CallingOut* innermost = nullptr;
}  // namespace

DeviceMemory::CallingOut::CallingOut(const DeviceMemory& memory)
    : memory_(memory),
      outer_(std::exchange(innermost, this)) {}
DeviceMemory::CallingOut::~CallingOut() { innermost = outer_; }

bool DeviceMemory::CallingOut::is_under_way(const DeviceMemory& memory) {
  for (const CallingOut* call = innermost; call; call = call->outer_)
    if (&call->memory_ == &memory) return true;
  return false;
}

void DeviceMemory::check_turn() const {
  if (!CallingOut::is_under_way(*this)) return;
  throw TargetError("a function that tells " + backend_->name() +
                    " what to do ran a program there; run it before, and hand its result to the "
                    "function as an argument");
}

std::shared_lock<std::shared_mutex> DeviceMemory::turn() {
  check_turn();
  const std::lock_guard gate(gate_);
  return std::shared_lock(turns_);
}

std::unique_lock<std::shared_mutex> DeviceMemory::turn_alone() {
  check_turn();
  struct Awaiting {
    explicit Awaiting(std::atomic<int>& number) : count(number) { ++count; }
    ~Awaiting() { --count; }
    Awaiting(const Awaiting&) = delete;
    Awaiting& operator=(const Awaiting&) = delete;
    std::atomic<int>& count;
  } const awaiting(awaiting_);
  const std::lock_guard gate(gate_);
  return std::unique_lock(turns_);
}

std::uint64_t DeviceMemory::busy_count() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

std::size_t DeviceMemory::held_bytes() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

std::size_t DeviceMemory::kept_bytes() const {
  const std::lock_guard lock(mutex_);
  return allocator_.bytes();
}

std::string DeviceMemory::report(std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  std::vector<const Resident*> largest;
  std::size_t bytes = 0;
  for (const Resident& resident : residents_) {
    largest.push_back(&resident);
    bytes += resident.bytes;
  }
  const std::size_t shown = std::min(largest.size(), holders_shown);
  std::partial_sort(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(shown),
                    largest.end(),
                    [](const Resident* a, const Resident* b) { return a->bytes > b->bytes; });
  std::string text = backend_->name();
  const bool by_options = limit != 0 && limit < budget_;
  const std::size_t budget = by_options ? limit : budget_;
  if (budget < unlimited)
    text += " may hold " + bytes_text(static_cast<double>(budget)) +
            (by_options ? " (Options::memory_limit)" : " (HASTEN_DEVICE_MEMORY changes it)");
  text +=
      (budget < unlimited ? ", and holds " : " holds ") + bytes_text(static_cast<double>(bytes));
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? ": " : ", ") + text_of(*largest[i]);
  return text + (shown < largest.size() ? ", ..." : "");
}

}  // namespace hasten::runtime
