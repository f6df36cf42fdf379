// Which rank has which bytes of a buffer, and how they move.
//
// in:  buffers of which one rank has all bytes, or each rank a part
// out: the bytes where they are needed
// invariants: all ranks make the same buffers and request the same movements in one order, so that
// each knows without communication what the others have; bytes move at most once to each rank
#pragma once

#include "runtime/ranks/world.hpp"

#include <hasten/detail/host_array.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace hasten::runtime {

using BufferRef = std::shared_ptr<detail::Buffer>;

/// For one buffer.
class Shards final : public detail::Sharding {
 public:
  /// Bytes of the buffer from `begin` on, which belong to another buffer.
  struct Shard {
    std::size_t begin;
    BufferRef buffer;
  };

  Shards(std::shared_ptr<World> world, int owner);
  Shards(std::shared_ptr<World> world, std::vector<Shard> shards);
  ~Shards() override;

  std::byte* gather(const detail::Buffer& buffer) override;

  /// The rank that has all bytes; none: `shards()` are its parts.
  [[nodiscard]] std::optional<int> owner() const { return owner_; }
  [[nodiscard]] const std::vector<Shard>& shards() const { return shards_; }
  [[nodiscard]] bool is_at(int rank) const { return is_at_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool is_everywhere() const {
    return std::ranges::find(is_at_, false) == is_at_.end();
  }
  [[nodiscard]] World& world() const { return *world_; }
  [[nodiscard]] const std::shared_ptr<World>& world_ref() const { return world_; }

 private:
  friend void begin_move(const BufferRef& buffer, int to);
  friend void finish_move(const detail::Buffer& buffer);
  friend BufferRef sliced(const BufferRef& buffer, std::size_t begin, std::size_t bytes);
  void begin_move(const detail::Buffer& buffer, const BufferRef& keeper, int to);
  void move_part(const BufferRef& part, std::size_t begin, int to);
  void await_bytes();  // into memory_

  const std::shared_ptr<World> world_;
  std::optional<int> owner_;
  std::vector<Shard> shards_;
  std::vector<bool> is_at_;  // by rank
  const std::uint64_t number_;
  // Of a movement to this rank in progress.
  BufferRef memory_;
  struct Copy {
    std::size_t to;
    BufferRef from;
  };
  std::vector<std::shared_ptr<World::Message>> arriving_;
  std::vector<Copy> copies_;  // from bytes here, or arriving separately
};

/// The sharding of a buffer; null: each rank has it.
[[nodiscard]] Shards* shards_of(const detail::Buffer& buffer);

/// Sends the bytes to a rank, unless they are there or on their way; all ranks call it.
void begin_move(const BufferRef& buffer, int to);
/// Waits for bytes on their way, on the rank that receives them.
void finish_move(const detail::Buffer& buffer);

/// Reads the array on all ranks, outside a call, unless all have it.
void bring_to_all(const detail::HostArray& array);

/// A buffer whose bytes are on another rank.
[[nodiscard]] BufferRef buffer_at(const std::shared_ptr<World>& world, int owner,
                                  std::size_t bytes);
/// A buffer that only this rank has just made, and no other knows; one without bytes is
/// everybody's.
[[nodiscard]] BufferRef marked_own(const BufferRef& buffer, const std::shared_ptr<World>& world);
/// The same memory as a separate buffer, of which nothing is known yet.
[[nodiscard]] BufferRef same_memory(const BufferRef& buffer);
/// Bytes of a buffer as a separate one, which no launch overwrites.
[[nodiscard]] BufferRef view(const BufferRef& buffer, std::size_t begin, std::size_t bytes);
/// Concatenated buffers; those without bytes take no part in movements. A joined buffer is replaced
/// by its parts, so that each part has one owner, or is on all ranks.
[[nodiscard]] BufferRef joined(const std::shared_ptr<World>& world,
                               const std::vector<BufferRef>& parts);
/// Bytes of a buffer, of which each rank has its share of the buffer.
[[nodiscard]] BufferRef sliced(const BufferRef& buffer, std::size_t begin, std::size_t bytes);

}  // namespace hasten::runtime
