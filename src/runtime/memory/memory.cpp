// Blocks come from the pool and return to it when the last array that uses them is released.
#include "runtime/memory/memory.hpp"

#include "support/block_pool.hpp"
#include "support/counters.hpp"

#include <algorithm>
#include <cstring>

namespace hasten::runtime {
namespace {

// Buffer's guarantee: padded to whole lines, and one more line can be read.
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
  const std::optional<std::int64_t> bytes = bytes_of(shape, leaves);
  if (!bytes || *bytes > most_bytes) return nullptr;
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

std::shared_ptr<const detail::HostArray> shrunk(const std::shared_ptr<detail::HostArray>& vector,
                                                std::int64_t size,
                                                const std::shared_ptr<Account>& account) {
  if (size == vector->size()) return vector;
  const auto bytes_of_leaf = [&](std::size_t leaf) {
    return static_cast<std::size_t>(size) * detail::size_in_bytes(vector->leaves()[leaf]);
  };
  const std::size_t leaves = vector->leaves().size();
  if (4 * size < vector->size()) {
    if (auto copy = allocate_array({size}, vector->leaves(), account)) {
      for (std::size_t leaf = 0; leaf < leaves; ++leaf)
        std::memcpy(copy->data(leaf), vector->data(leaf), bytes_of_leaf(leaf));
      return copy;
    }
  }
  std::vector<std::shared_ptr<detail::Buffer>> components;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    const std::size_t bytes = bytes_of_leaf(leaf);
    std::memset(vector->data(leaf) + bytes, 0, padding(bytes));
    components.push_back(
        detail::Buffer::adopt(vector->data(leaf), bytes, [whole = vector->component(leaf)] {}));
  }
  return std::make_shared<const detail::HostArray>(std::vector{size}, vector->leaves(),
                                                   std::move(components));
}

}  // namespace hasten::runtime
