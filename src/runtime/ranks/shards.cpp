// Messages match by their order alone: sender and receiver walk the same movements.
#include "runtime/ranks/shards.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hasten::runtime {

using detail::Buffer;

Shards::Shards(std::shared_ptr<World> world, int owner)
    : world_(std::move(world)),
      owner_(owner),
      is_at_(static_cast<std::size_t>(world_->size())),
      number_(world_->next_number()) {
  is_at_[static_cast<std::size_t>(owner)] = true;
}

Shards::Shards(std::shared_ptr<World> world, std::vector<Shard> shards)
    : world_(std::move(world)),
      shards_(std::move(shards)),
      is_at_(static_cast<std::size_t>(world_->size())),
      number_(world_->next_number()) {}

Shards::~Shards() = default;

Shards* shards_of(const Buffer& buffer) { return static_cast<Shards*>(buffer.sharding().get()); }

// The user reads an array on all ranks. If one lacks the memory for it the read fails on all of
// them, and none has it then: they may try again.
std::byte* Shards::gather(const Buffer& buffer) {
  const std::vector<bool> before = is_at_;
  support::Digest digest{number_, buffer.size()};
  try {
    world_->together({World::Act::look, digest, {}}, [&] {
      for (int to = 0; to < world_->size(); ++to) begin_move(buffer, nullptr, to);
      await_bytes();
    });
  } catch (...) {
    is_at_ = before;
    memory_ = nullptr;
    arriving_.clear();
    copies_.clear();
    throw;
  }
  if (memory_) buffer.deliver(std::exchange(memory_, nullptr));
  return buffer.data();
}

// -- movements ------------------------------------------------------------------------------------

void begin_move(const BufferRef& buffer, int to) {
  if (Shards* const shards = shards_of(*buffer)) shards->begin_move(*buffer, buffer, to);
}

void Shards::begin_move(const Buffer& buffer, const BufferRef& keeper, int to) {
  if (is_at(to)) return;
  is_at_[static_cast<std::size_t>(to)] = true;
  if (to == world_->rank()) memory_ = Buffer::allocate(buffer.size());
  if (!owner_) {
    for (const Shard& shard : shards_) move_part(shard.buffer, shard.begin, to);
    return;
  }
  if (*owner_ == world_->rank()) world_->send(to, buffer.data(), buffer.size(), keeper);
  if (to == world_->rank())
    arriving_.push_back(world_->receive(*owner_, memory_->data(), buffer.size(), memory_));
}

// Directly to its destination, without an intermediate copy.
void Shards::move_part(const BufferRef& part, std::size_t begin, int to) {
  const Shards* const from = shards_of(*part);
  const int here = world_->rank();
  if (!from || from->is_at(to)) {
    if (to == here) copies_.push_back({begin, part});
    return;
  }
  if (!from->owner_) {
    for (const Shard& shard : from->shards_) move_part(shard.buffer, begin + shard.begin, to);
    return;
  }
  if (*from->owner_ == here) world_->send(to, part->data(), part->size(), part);
  if (to == here)
    arriving_.push_back(
        world_->receive(*from->owner_, memory_->data() + begin, part->size(), memory_));
}

void Shards::await_bytes() {
  if (!memory_) return;
  for (const auto& message : arriving_) world_->wait(*message);
  arriving_.clear();
  for (const Copy& copy : copies_) {
    finish_move(*copy.from);
    std::memcpy(memory_->data() + copy.to, copy.from->data(), copy.from->size());
  }
  copies_.clear();
}

void finish_move(const Buffer& buffer) {
  Shards* const shards = shards_of(buffer);
  if (!shards || !shards->memory_) return;
  shards->await_bytes();
  buffer.deliver(std::exchange(shards->memory_, nullptr));
}

void bring_to_all(const detail::HostArray& array) {
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
    const Buffer& component = *array.component(leaf);
    Shards* const shards = shards_of(component);
    if (shards && !shards->is_everywhere()) shards->gather(component);
  }
}

// -- buffers --------------------------------------------------------------------------------------

BufferRef buffer_at(const std::shared_ptr<World>& world, int owner, std::size_t bytes) {
  auto sharding = std::make_shared<Shards>(world, owner);
  return bytes == 0 ? Buffer::allocate(0) : Buffer::sharded(std::move(sharding), bytes);
}

BufferRef marked_own(const BufferRef& buffer, const std::shared_ptr<World>& world) {
  auto sharding = std::make_shared<Shards>(world, world->rank());
  if (buffer->size() == 0) return buffer;
  buffer->set_sharding(std::move(sharding));
  return buffer;
}

BufferRef same_memory(const BufferRef& buffer) {
  std::byte* const data = buffer->data();
  const auto keep = [buffer] {};
  return buffer->borrowed() ? Buffer::borrow(data, buffer->size(), keep)
                            : Buffer::adopt(data, buffer->size(), keep);
}

BufferRef view(const BufferRef& buffer, std::size_t begin, std::size_t bytes) {
  return Buffer::borrow(buffer->data() + begin, bytes, [buffer] {});
}

BufferRef joined(const std::shared_ptr<World>& world, const std::vector<BufferRef>& parts) {
  std::vector<Shards::Shard> shards;
  std::size_t bytes = 0;
  for (const BufferRef& part : parts) {
    const Shards* const inner = shards_of(*part);
    if (inner && !inner->owner())
      for (const Shards::Shard& shard : inner->shards())
        shards.push_back({bytes + shard.begin, shard.buffer});
    else if (part->size() > 0)
      shards.push_back({bytes, part});
    bytes += part->size();
  }
  return Buffer::sharded(std::make_shared<Shards>(world, std::move(shards)), bytes);
}

BufferRef sliced(const BufferRef& buffer, std::size_t begin, std::size_t bytes) {
  if (begin == 0 && bytes == buffer->size()) return buffer;
  const Shards* const shards = shards_of(*buffer);
  if (!shards) return view(buffer, begin, bytes);
  const std::shared_ptr<World>& world = shards->world_ref();
  if (bytes == 0) return Buffer::allocate(0);
  if (const auto owner = shards->owner()) {
    auto sharding = std::make_shared<Shards>(world, *owner);
    sharding->is_at_ = shards->is_at_;
    if (!shards->is_at(world->rank())) return Buffer::sharded(std::move(sharding), bytes);
    finish_move(*buffer);
    BufferRef slice = view(buffer, begin, bytes);
    slice->set_sharding(std::move(sharding));
    return slice;
  }
  std::vector<BufferRef> parts;
  const std::size_t end = begin + bytes;
  for (const Shards::Shard& shard : shards->shards()) {
    const std::size_t from = std::max(begin, shard.begin);
    const std::size_t to = std::min(end, shard.begin + shard.buffer->size());
    if (from < to) parts.push_back(sliced(shard.buffer, from - shard.begin, to - from));
  }
  return parts.size() == 1 ? parts[0] : joined(world, parts);
}

}  // namespace hasten::runtime
