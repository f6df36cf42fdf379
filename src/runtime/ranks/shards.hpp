// Which rank has which bytes of a buffer, and how they move.
//
// in:  buffers of which one rank has all, or each rank a part
// out: the bytes where they are needed
// invariants: all ranks make the same buffers and ask for the same movements in one order, so that
// each knows without asking what the others have; bytes move once to each rank
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

/// Of one buffer.
class Shards final : public detail::Sharding {
 public:
  /// Bytes of the buffer from `begin` on, which are those of another one.
  struct Shard {
    std::size_t begin;
    BufferRef buffer;
  };

  Shards(std::shared_ptr<World> world, int owner);
  Shards(std::shared_ptr<World> world, std::vector<Shard> shards);
  ~Shards() override;

  std::byte* gather(const detail::Buffer& buffer) override;

  /// The rank that has all; none: `shards()` are its parts.
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
  // Of a movement to this rank that is under way.
  BufferRef memory_;
  struct Copy {
    std::size_t to;
    BufferRef from;
  };
  std::vector<std::shared_ptr<World::Message>> arriving_;
  std::vector<Copy> copies_;  // from what is here, or arrives by itself
};

/// The sharding of a buffer; null: each rank has it.
[[nodiscard]] Shards* shards_of(const detail::Buffer& buffer);

/// Brings the bytes to a rank, if they are not there or on their way; all ranks call it.
void begin_move(const BufferRef& buffer, int to);
/// The rank that the bytes are on their way to waits for them.
void finish_move(const detail::Buffer& buffer);

/// All ranks look at the array, outside of a call, unless all have it.
void bring_to_all(const detail::HostArray& array);

/// A buffer of which another rank has the bytes.
[[nodiscard]] BufferRef buffer_at(const std::shared_ptr<World>& world, int owner,
                                  std::size_t bytes);
/// A buffer that this rank alone has just made, and nobody else knows; without bytes it is
/// everybody's.
[[nodiscard]] BufferRef marked_own(const BufferRef& buffer, const std::shared_ptr<World>& world);
/// The same memory as a buffer of its own, of which nothing is known yet.
[[nodiscard]] BufferRef same_memory(const BufferRef& buffer);
/// Buffers one after the other; what has no bytes is left out of the movements. Of what is joined
/// already its parts are parts, so that each has one owner, or is everybody's.
[[nodiscard]] BufferRef joined(const std::shared_ptr<World>& world,
                               const std::vector<BufferRef>& parts);
/// Bytes of a buffer, of which each rank has what it has of the buffer.
[[nodiscard]] BufferRef sliced(const BufferRef& buffer, std::size_t begin, std::size_t bytes);

}  // namespace hasten::runtime
