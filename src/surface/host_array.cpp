// Host memory of arrays.
#include "support/block_pool.hpp"
#include "support/counters.hpp"

#include <hasten/detail/host_array.hpp>
#include <hasten/run/error.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>

namespace hasten::detail {
namespace {

constexpr std::size_t alignment = 64;
// Kernels may load whole vectors past the end.
constexpr std::size_t readable_after_end = 64;

std::size_t padding(std::size_t bytes) {
  return (alignment - bytes % alignment) % alignment + readable_after_end;
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) bytes /= 1024, ++unit;
  std::string number = std::to_string(bytes);
  number.resize(number.find('.') + 2);
  return number + " " + units[unit];
}

[[noreturn]] void throw_too_large(double bytes) {
  throw MemoryError("an array component of " + bytes_text(bytes) +
                    " does not fit in memory; use smaller extents, or work in parts");
}

}  // namespace

Buffer::Buffer(std::byte* data, std::size_t bytes, bool borrowed, std::function<void()> release)
    : data_(data),
      bytes_(bytes),
      borrowed_(borrowed),
      release_(std::move(release)) {}

Buffer::~Buffer() {
  delete elsewhere_.load();
  if (release_) {
    release_();
    return;
  }
  if (borrowed_ || !data_) return;
  support::counters().freed(static_cast<std::int64_t>(bytes_));
  support::give_block(data_, bytes_ + padding(bytes_));
}

std::shared_ptr<Buffer> Buffer::allocate(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()) / 2)
    throw_too_large(static_cast<double>(bytes));
  std::byte* data = support::take_block(bytes + padding(bytes));
  if (!data) throw_too_large(static_cast<double>(bytes));
  std::memset(data + bytes, 0, padding(bytes));
  support::counters().allocated(static_cast<std::int64_t>(bytes));
  return std::shared_ptr<Buffer>(new Buffer(data, bytes, false, {}));
}

std::shared_ptr<Buffer> Buffer::borrow(const void* data, std::size_t bytes,
                                       std::function<void()> release) {
  // The address of an array without elements: null would mean that the bytes are on a device.
  alignas(alignment) static constexpr std::byte nothing[readable_after_end] = {};
  if (!data) data = nothing;
  // Nothing writes through it: arrays are immutable once they are shared.
  auto* bytes_of = static_cast<std::byte*>(const_cast<void*>(data));
  return std::shared_ptr<Buffer>(new Buffer(bytes_of, bytes, true, std::move(release)));
}

std::shared_ptr<Buffer> Buffer::adopt(std::byte* data, std::size_t bytes,
                                      std::function<void()> release) {
  return std::shared_ptr<Buffer>(new Buffer(data, bytes, false, std::move(release)));
}

std::shared_ptr<Buffer> Buffer::computed(std::unique_ptr<Elsewhere> elsewhere, std::size_t bytes) {
  // The residency owns the memory, on devices or on the host.
  auto buffer = std::shared_ptr<Buffer>(new Buffer(nullptr, bytes, false, [] {}));
  buffer->attach(std::move(elsewhere));
  return buffer;
}

std::shared_ptr<Buffer> Buffer::sharded(std::shared_ptr<Sharding> sharding, std::size_t bytes) {
  auto buffer = std::shared_ptr<Buffer>(new Buffer(nullptr, bytes, false, [] {}));
  buffer->set_sharding(std::move(sharding));
  return buffer;
}

void Buffer::deliver(std::shared_ptr<Buffer> memory) const {
  delivered_ = std::move(memory);
  data_.store(delivered_->data(), std::memory_order_release);
}

Elsewhere* Buffer::attach(std::unique_ptr<Elsewhere> elsewhere) const {
  Elsewhere* there = nullptr;
  return elsewhere_.compare_exchange_strong(there, elsewhere.get()) ? elsewhere.release() : there;
}

std::byte* Buffer::fetched() const {
  Elsewhere* const elsewhere = elsewhere_.load(std::memory_order_acquire);
  std::byte* const there = elsewhere ? elsewhere->fetch() : sharding_->gather(*this);
  data_.store(there, std::memory_order_release);
  return there;
}

HostArray::HostArray(std::vector<std::int64_t> shape, std::vector<ScalarType> leaves,
                     std::vector<std::shared_ptr<Buffer>> components)
    : shape_(std::move(shape)),
      leaves_(std::move(leaves)),
      components_(std::move(components)) {}

std::shared_ptr<const HostArray> HostArray::reshaped(std::vector<std::int64_t> shape) const {
  return std::make_shared<const HostArray>(std::move(shape), leaves_, components_);
}

std::shared_ptr<HostArray> HostArray::allocate(std::vector<std::int64_t> shape,
                                               std::vector<ScalarType> leaves) {
  double size = 1;  // to see an overflow before it happens
  for (const std::int64_t extent : shape) size *= static_cast<double>(extent);
  std::size_t widest = 1;
  for (const ScalarType leaf : leaves) widest = std::max(widest, size_in_bytes(leaf));
  if (size * static_cast<double>(widest) > 0x1p62)
    throw_too_large(size * static_cast<double>(widest));
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  std::vector<std::shared_ptr<Buffer>> components;
  components.reserve(leaves.size());
  for (const ScalarType leaf : leaves)
    components.push_back(Buffer::allocate(count * size_in_bytes(leaf)));
  return std::make_shared<HostArray>(std::move(shape), std::move(leaves), std::move(components));
}

}  // namespace hasten::detail
