// Counts what is moved, and when it was asked for.
#include "runtime/memory/device_copy.hpp"

#include "runtime/profile/recording.hpp"
#include "support/counters.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace hasten::runtime {
namespace {

void count_in(std::size_t bytes) {
  support::counters().bytes_to_devices.fetch_add(static_cast<std::int64_t>(bytes),
                                                 std::memory_order_relaxed);
}

}  // namespace

DeviceCopy::DeviceCopy(Block block, std::weak_ptr<Movable> owner, std::size_t bytes,
                       const Holder& holder, std::shared_ptr<Account> account)
    : block_(std::move(block)),
      bytes_(static_cast<std::int64_t>(bytes)),
      account_(std::move(account)) {
  if (block_.is_lent()) return;
  place_ = block_.memory().add(std::move(owner), bytes, holder);
  support::counters().allocated(bytes_);
  if (!account_) return;
  account_->allocated += bytes_;
  account_->peak = std::max(account_->peak, account_->live.fetch_add(bytes_) + bytes_);
}

DeviceCopy::~DeviceCopy() {
  if (block_.is_lent()) return;
  block_.memory().remove(place_);
  support::counters().freed(bytes_);
  if (account_) account_->live.fetch_sub(bytes_, std::memory_order_relaxed);
}

void DeviceCopy::pin(bool pins) {
  if (is_lent()) return;
  memory().pin(place_, pins);
  is_pinned = pins;
}

void DeviceCopy::write(const std::byte* from) {
  memory().backend().write(address(), from, static_cast<std::size_t>(bytes_));
  count_in(static_cast<std::size_t>(bytes_));
}

void DeviceCopy::write(std::span<const backends::HostPiece> pieces) {
  if (pieces.empty()) return;
  memory().backend().write_pieces(address(), pieces);
  for (const backends::HostPiece& piece : pieces) count_in(piece.bytes.size());
}

void DeviceCopy::write(std::size_t offset, const DeviceCopy& from) {
  const auto bytes = static_cast<std::size_t>(from.bytes_);
  memory().backend().copy_from(address(), offset, from.memory().backend(), from.address(), bytes);
  count_in(bytes);
}

void DeviceCopy::read(std::byte* to) const {
  const auto start = TraceClock::now();
  memory().backend().read(to, address(), static_cast<std::size_t>(bytes_));
  const auto end = TraceClock::now();
  support::counters().bytes_from_devices.fetch_add(bytes_, std::memory_order_relaxed);
  if (is_tracing()) trace("copy", "from " + memory().backend().name(), start, end, details());
  if (account_ && account_->recording) note((end - start) / std::chrono::nanoseconds(1));
}

std::shared_ptr<detail::Buffer> DeviceCopy::brought_home() const {
  auto home = detail::Buffer::allocate(static_cast<std::size_t>(bytes_));
  read(home->data());
  return home;
}

TraceDetails DeviceCopy::details() const {
  const bool are_several = account_ && account_->memories.size() > 1;
  return {.bytes = bytes_, .line = are_several ? memory().backend().name() : ""};
}

void DeviceCopy::note(std::int64_t took) const {
  using When = Recording::When;
  account_->home_nanoseconds.fetch_add(took, std::memory_order_relaxed);
  const auto device = std::ranges::find(account_->memories, &memory()) - account_->memories.begin();
  account_->recording->copied_from(static_cast<std::size_t>(device),
                                   account_->is_over ? When::after_it : When::in_call, bytes_,
                                   took);
}

}  // namespace hasten::runtime
