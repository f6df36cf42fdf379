// Blocks come from the pool and return to it when the last array that uses them is gone.
#include "runtime/memory.hpp"

#include "support/block_pool.hpp"
#include "support/counters.hpp"

#include <algorithm>
#include <cstring>

namespace hasten::runtime {
namespace {

// What Buffer promises: padded to whole lines, and one line more can be read.
std::size_t padding(std::size_t bytes) { return (64 - bytes % 64) % 64 + 64; }

std::shared_ptr<detail::Buffer> allocate_buffer(std::size_t bytes,
                                                const std::shared_ptr<Account>& account) {
  const std::size_t all = bytes + padding(bytes);
  std::byte* const data = support::take_block(all);
  if (!data) return nullptr;
  std::memset(data + bytes, 0, all - bytes);
  const auto size = static_cast<std::int64_t>(bytes);
  account->allocated += size;
  account->peak = std::max(account->peak, account->live.fetch_add(size) + size);
  support::counters().allocated(size);
  return detail::Buffer::adopt(data, bytes, [account, data, all, size] {
    account->live.fetch_sub(size, std::memory_order_relaxed);
    support::counters().freed(size);
    support::give_block(data, all);
  });
}

}  // namespace

std::optional<std::int64_t> bytes_of(std::span<const std::int64_t> shape,
                                     std::span<const detail::ScalarType> leaves) {
  std::int64_t bytes = 0;
  for (const detail::ScalarType leaf : leaves)
    bytes += static_cast<std::int64_t>(detail::size_in_bytes(leaf));
  for (const std::int64_t extent : shape)
    if (extent == 0) return 0;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  return bytes;
}

std::shared_ptr<detail::HostArray> allocate_array(std::vector<std::int64_t> shape,
                                                  const std::vector<detail::ScalarType>& leaves,
                                                  const std::shared_ptr<Account>& account) {
  std::uint64_t count = 1;  // wraps only where an extent of 0 follows
  for (const std::int64_t extent : shape) count *= static_cast<std::uint64_t>(extent);
  std::vector<std::shared_ptr<detail::Buffer>> components;
  components.reserve(leaves.size());
  for (const detail::ScalarType leaf : leaves) {
    components.push_back(allocate_buffer(count * detail::size_in_bytes(leaf), account));
    if (!components.back()) return nullptr;
  }
  return std::make_shared<detail::HostArray>(std::move(shape), leaves, std::move(components));
}

}  // namespace hasten::runtime
