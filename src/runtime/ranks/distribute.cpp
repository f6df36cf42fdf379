// Arrays made from parts that the user's ranks have, and the parts of arrays.
#include "runtime/ranks/shards.hpp"
#include "runtime/report/text.hpp"
#include "support/hash.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace hasten::runtime {

using detail::Buffer;
using detail::HostArray;
using Extents = std::vector<std::int64_t>;
using HostArrayRef = std::shared_ptr<const HostArray>;

namespace {

std::size_t product(const Extents& shape, std::size_t first, std::size_t last) {
  std::size_t size = 1;
  for (std::size_t axis = first; axis < last; ++axis) size *= static_cast<std::size_t>(shape[axis]);
  return size;
}

// The parts' shapes, by rank.
std::vector<Extents> shapes_of_all(const Extents& own, World& world) {
  const std::vector<std::uint64_t> words(own.begin(), own.end());
  std::vector<std::uint64_t> all(words.size() * static_cast<std::size_t>(world.size()));
  world.all_gather(words, all);
  std::vector<Extents> shapes;
  for (auto it = all.begin(); it != all.end(); it += static_cast<std::ptrdiff_t>(own.size()))
    shapes.emplace_back(it, it + static_cast<std::ptrdiff_t>(own.size()));
  return shapes;
}

Extents whole_shape(const std::vector<Extents>& shapes, std::size_t axis, const detail::Where& at) {
  Extents whole = shapes[0];
  if (axis >= whole.size())
    throw ShapeError(fmt::format("mpi::distributed: an array of shape {} has no axis {}",
                                 shape_text(whole), axis),
                     at);
  whole[axis] = 0;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    for (std::size_t other = 0; other < whole.size(); ++other)
      if (other != axis && shapes[k][other] != shapes[0][other])
        throw ShapeError(fmt::format("mpi::distributed: parts differ in another axis than {}: rank "
                                     "0 gives {}, rank {} gives {}",
                                     axis, shape_text(shapes[0]), k, shape_text(shapes[k])),
                         at);
    whole[axis] += shapes[k][axis];
  }
  return whole;
}

BufferRef joined_of_ranks(const std::shared_ptr<World>& world, const BufferRef& own,
                          const std::vector<std::size_t>& bytes) {
  std::vector<BufferRef> parts;
  for (int k = 0; k < world->size(); ++k) {
    const std::size_t size = bytes[static_cast<std::size_t>(k)];
    parts.push_back(k == world->rank() ? marked_own(own, world) : buffer_at(world, k, size));
  }
  return joined(world, parts);
}

// -- along inner axes -----------------------------------------------------------------------------

struct Rows {
  std::int64_t begin, end;
};
Rows rows_of_rank(std::int64_t rows, int rank, int ranks) {
  return {rows * rank / ranks, rows * (rank + 1) / ranks};
}

// Copies a block of rows of one part to its place in rows of the whole.
void put(std::byte* to, const std::byte* from, const Extents& part, std::int64_t rows,
         std::size_t axis, std::size_t before, std::size_t whole_axis, std::size_t element) {
  const std::size_t inner = product(part, axis + 1, part.size()) * element;
  const std::size_t run = static_cast<std::size_t>(part[axis]) * inner;
  const std::size_t count = static_cast<std::size_t>(rows) * product(part, 1, axis);
  for (std::size_t k = 0; k < count; ++k)
    std::memcpy(to + k * whole_axis * inner + before * inner, from + k * run, run);
}

/// Each rank sends every other rank the rows that the receiver will own.
class Redistribution {
 public:
  Redistribution(World& world, const std::vector<Extents>& shapes, const Extents& whole,
                 std::size_t axis)
      : world_(world),
        shapes_(shapes),
        whole_(whole),
        axis_(axis) {}

  [[nodiscard]] Rows rows(int rank) const { return rows_of_rank(whole_[0], rank, world_.size()); }
  [[nodiscard]] std::size_t bytes(int rank, std::size_t element) const {
    return static_cast<std::size_t>(rows(rank).end - rows(rank).begin) *
           product(whole_, 1, whole_.size()) * element;
  }

  BufferRef run(const BufferRef& part, std::size_t element) {
    const int here = world_.rank();
    const auto block = [&](int from, int to) {
      const Extents& shape = shapes_[static_cast<std::size_t>(from)];
      return static_cast<std::size_t>(rows(to).end - rows(to).begin) *
             product(shape, 1, shape.size()) * element;
    };
    const Extents& own = shapes_[static_cast<std::size_t>(here)];
    const std::size_t row = product(own, 1, own.size()) * element;
    std::vector<BufferRef> blocks;
    std::vector<std::shared_ptr<World::Message>> messages;
    for (int k = 0; k < world_.size(); ++k) {
      const std::byte* const mine = part->data() + static_cast<std::size_t>(rows(k).begin) * row;
      if (k != here && block(here, k) > 0) world_.send(k, mine, block(here, k), part);
      blocks.push_back(Buffer::allocate(block(k, here)));
      if (k == here)
        std::memcpy(blocks.back()->data(),
                    part->data() + static_cast<std::size_t>(rows(here).begin) * row,
                    block(here, here));
      else if (block(k, here) > 0)
        messages.push_back(world_.receive(k, blocks.back()->data(), block(k, here), blocks.back()));
    }
    for (const auto& message : messages) world_.wait(*message);
    return assembled(blocks, element);
  }

 private:
  [[nodiscard]] BufferRef assembled(const std::vector<BufferRef>& blocks,
                                    std::size_t element) const {
    const Rows mine = rows(world_.rank());
    BufferRef all = Buffer::allocate(bytes(world_.rank(), element));
    std::size_t before = 0;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      put(all->data(), blocks[k]->data(), shapes_[k], mine.end - mine.begin, axis_, before,
          static_cast<std::size_t>(whole_[axis_]), element);
      before += static_cast<std::size_t>(shapes_[k][axis_]);
    }
    return all;
  }

  World& world_;
  const std::vector<Extents>& shapes_;
  const Extents& whole_;
  const std::size_t axis_;
};

support::Digest digest_of(const HostArray& part, std::size_t axis) {
  support::Hasher hasher;
  hasher.add(part.shape().size()).add(axis);
  for (const detail::ScalarType leaf : part.leaves()) hasher.add(leaf);
  return hasher.finish();
}

HostArrayRef distribute(const std::shared_ptr<World>& world, const HostArray& part,
                        std::size_t axis, const detail::Where& where) {
  const std::vector<Extents> shapes = shapes_of_all(part.shape(), *world);
  const Extents whole = whole_shape(shapes, axis, where);
  Redistribution redistribution(*world, shapes, whole, axis);
  std::vector<BufferRef> components;
  for (std::size_t leaf = 0; leaf < part.leaves().size(); ++leaf) {
    const std::size_t element = detail::size_in_bytes(part.leaves()[leaf]);
    std::vector<std::size_t> bytes;
    for (int k = 0; k < world->size(); ++k) {
      const Extents& shape = shapes[static_cast<std::size_t>(k)];
      bytes.push_back(axis == 0 ? product(shape, 0, shape.size()) * element
                                : redistribution.bytes(k, element));
    }
    const BufferRef own = axis == 0 ? same_memory(part.component(leaf))
                                    : redistribution.run(part.component(leaf), element);
    components.push_back(joined_of_ranks(world, own, bytes));
  }
  return std::make_shared<const HostArray>(whole, part.leaves(), std::move(components));
}

// -- parts ----------------------------------------------------------------------------------------

// For one component: the bytes that this rank has, if they are contiguous.
struct Piece {
  std::size_t begin = 0;
  std::vector<BufferRef> buffers = {};
};

std::optional<Piece> piece_of(const Shards& shards, int rank) {
  Piece piece;
  std::size_t end = 0;
  for (const Shards::Shard& shard : shards.shards()) {
    const Shards* const own = shards_of(*shard.buffer);
    if (own && own->owner() != rank) continue;
    if (!own && rank != 0) continue;  // what all have is the first one's
    if (piece.buffers.empty())
      piece.begin = shard.begin;
    else if (shard.begin != end)
      return std::nullopt;
    piece.buffers.push_back(shard.buffer);
    end = shard.begin + shard.buffer->size();
  }
  return piece;
}

BufferRef memory_of(const Piece& piece) {
  if (piece.buffers.size() == 1) return same_memory(piece.buffers[0]);
  std::size_t bytes = 0;
  for (const BufferRef& buffer : piece.buffers) bytes += buffer->size();
  BufferRef all = Buffer::allocate(bytes);
  std::size_t to = 0;
  for (const BufferRef& buffer : piece.buffers) {
    std::memcpy(all->data() + to, buffer->data(), buffer->size());
    to += buffer->size();
  }
  return all;
}

HostArrayRef rows_here(const HostArray& array, Rows rows) {
  Extents shape = array.shape();
  const std::size_t row = product(shape, 1, shape.size());
  shape[0] = rows.end - rows.begin;
  std::vector<BufferRef> components;
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
    const std::size_t bytes = row * detail::size_in_bytes(array.leaves()[leaf]);
    const BufferRef& all = array.component(leaf);
    components.push_back(Buffer::borrow(all->data() + static_cast<std::size_t>(rows.begin) * bytes,
                                        static_cast<std::size_t>(shape[0]) * bytes, [all] {}));
  }
  return std::make_shared<const HostArray>(std::move(shape), array.leaves(), std::move(components));
}

HostArrayRef part_of(const HostArray& array, const World& world, const detail::Where& where) {
  Extents shape = array.shape();
  const std::size_t row = product(shape, 1, shape.size());
  std::vector<BufferRef> components;
  std::optional<std::int64_t> rows;
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
    const Shards* const shards = shards_of(*array.component(leaf));
    const auto piece = shards ? piece_of(*shards, world.rank()) : std::nullopt;
    const std::size_t bytes = row * detail::size_in_bytes(array.leaves()[leaf]);
    if (!piece) return rows_here(array, rows_of_rank(shape[0], world.rank(), world.size()));
    components.push_back(memory_of(*piece));
    const std::size_t size = components.back()->size();
    const auto here = static_cast<std::int64_t>(size / bytes);
    if (size % bytes != 0 || piece->begin % bytes != 0 || (rows && *rows != here))
      throw ShapeError(
          "mpi::local: the ranks' parts of this array do not begin where its rows do; look at it "
          "whole",
          where);
    rows = here;
  }
  shape[0] = *rows;
  return std::make_shared<const HostArray>(std::move(shape), array.leaves(), std::move(components));
}

}  // namespace
}  // namespace hasten::runtime

namespace hasten::detail {

std::shared_ptr<const HostArray> distributed(const std::shared_ptr<const HostArray>& part,
                                             std::size_t axis, const Where& where) {
  const auto world = runtime::world();
  if (!world)
    throw Error("mpi: this process is no rank yet; call hs::mpi::init(argc, argv) first", where);
  std::shared_ptr<const HostArray> result;
  world->together({runtime::World::Act::distribute, runtime::digest_of(*part, axis), where},
                  [&] { result = runtime::distribute(world, *part, axis, where); });
  return result;
}

std::shared_ptr<const HostArray> local_part(const std::shared_ptr<const HostArray>& array,
                                            const Where& where) {
  const auto world = runtime::world();
  if (!world || array->size() == 0) return array;
  return runtime::part_of(*array, *world, where);
}

}  // namespace hasten::detail
