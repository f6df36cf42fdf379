// Arrays are immutable: a copy on a device stays right for as long as it is there.
#include "runtime/residency.hpp"

#include "support/counters.hpp"

#include <hasten/error.hpp>

#include <algorithm>
#include <mutex>

namespace hasten::runtime {
namespace {

using BackendRef = std::shared_ptr<backends::Backend>;

// A block of device memory.
class Block {
 public:
  Block(BackendRef backend, std::byte* address, std::size_t bytes,
        std::shared_ptr<Account> account = nullptr)
      : backend_(std::move(backend)),
        address_(address),
        bytes_(static_cast<std::int64_t>(bytes)),
        account_(std::move(account)) {
    support::counters().allocated(bytes_);
    if (!account_) return;
    account_->allocated += bytes_;
    account_->peak = std::max(account_->peak, account_->live.fetch_add(bytes_) + bytes_);
  }
  ~Block() {
    backend_->free(address_);
    support::counters().freed(bytes_);
    if (account_) account_->live.fetch_sub(bytes_, std::memory_order_relaxed);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  [[nodiscard]] const BackendRef& backend() const { return backend_; }
  [[nodiscard]] std::byte* address() const { return address_; }

 private:
  BackendRef backend_;
  std::byte* address_;
  std::int64_t bytes_;
  std::shared_ptr<Account> account_;
};

class Residency final : public detail::Elsewhere {
 public:
  void fetch(std::byte* to, std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    const Block& block = *blocks_.at(0);
    block.backend()->read(to, block.address(), bytes);
    support::counters().bytes_from_devices.fetch_add(static_cast<std::int64_t>(bytes),
                                                     std::memory_order_relaxed);
  }

  std::byte* on(const BackendRef& backend, const detail::Buffer& buffer) {
    {
      const std::lock_guard lock(mutex_);
      if (std::byte* const there = find(backend)) return there;
    }
    const std::byte* const data = buffer.data();  // may fetch from another device
    const std::lock_guard lock(mutex_);
    if (std::byte* const there = find(backend)) return there;
    std::byte* const address = backend->allocate(buffer.size());
    if (!address) return nullptr;
    add(std::make_unique<Block>(backend, address, buffer.size()));
    backend->write(address, data, buffer.size());
    support::counters().bytes_to_devices.fetch_add(static_cast<std::int64_t>(buffer.size()),
                                                   std::memory_order_relaxed);
    return address;
  }

  void add(std::unique_ptr<Block> block) { blocks_.push_back(std::move(block)); }

 private:
  std::byte* find(const BackendRef& backend) const {
    for (const auto& block : blocks_)
      if (block->backend() == backend) return block->address();
    return nullptr;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace

std::byte* on_device(const detail::Buffer& buffer, const BackendRef& backend) {
  detail::Elsewhere* there = buffer.elsewhere();
  if (!there) there = buffer.attach(std::make_unique<Residency>());
  return static_cast<Residency*>(there)->on(backend, buffer);
}

std::shared_ptr<detail::HostArray> allocate_on_device(std::vector<std::int64_t> shape,
                                                      const std::vector<detail::ScalarType>& leaves,
                                                      const std::shared_ptr<Account>& account,
                                                      const BackendRef& backend) {
  std::uint64_t count = 1;  // wraps only where an extent of 0 follows
  for (const std::int64_t extent : shape) count *= static_cast<std::uint64_t>(extent);
  std::vector<std::shared_ptr<detail::Buffer>> components;
  for (const detail::ScalarType leaf : leaves) {
    const std::size_t bytes = count * detail::size_in_bytes(leaf);
    std::byte* const address = backend->allocate(bytes);
    if (!address) return nullptr;
    auto residency = std::make_unique<Residency>();
    residency->add(std::make_unique<Block>(backend, address, bytes, account));
    components.push_back(detail::Buffer::computed(std::move(residency), bytes));
  }
  return std::make_shared<detail::HostArray>(std::move(shape), leaves, std::move(components));
}

}  // namespace hasten::runtime
