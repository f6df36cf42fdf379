// The driver makes small copies, and all copies where there is no pinned memory.
#include "backends/cuda/staging.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hasten::backends::cuda {
namespace {

constexpr std::size_t piece_bytes = std::size_t{4} << 20;
constexpr std::size_t small_bytes = std::size_t{64} << 10;  // the driver's commands hold as much

}  // namespace

Staging::~Staging() {
  context_.library().cuStreamSynchronize(stream_.handle());
  for (const Piece& piece : pieces_)
    if (piece.memory) context_.library().cuMemFreeHost(piece.memory);
}

bool Staging::is_small(std::size_t bytes) { return bytes <= small_bytes; }

bool Staging::has_pieces() {
  for (Piece& piece : pieces_) {
    if (piece.memory) continue;
    void* memory = nullptr;
    if (context_.library().cuMemHostAlloc(&memory, piece_bytes, host_alloc_portable) != success)
      return false;
    piece.memory = memory;
    piece.done = std::make_unique<Event>(context_);
  }
  return true;
}

void Staging::upload(CUdeviceptr to, const std::byte* from, std::size_t bytes) {
  const auto copy = [&](CUdeviceptr target, const void* source, std::size_t size) {
    context_.check("cuMemcpyHtoDAsync",
                   context_.library().cuMemcpyHtoDAsync_v2(target, source, size, stream_.handle()));
  };
  if (is_small(bytes) || !has_pieces()) return copy(to, from, bytes);
  std::size_t which = 0;
  for (std::size_t at = 0; at < bytes; at += piece_bytes, which = 1 - which) {
    const Piece& piece = pieces_[which];
    const std::size_t size = std::min(piece_bytes, bytes - at);
    piece.done->synchronize();  // of the copy before; returns at once if there was none
    std::memcpy(piece.memory, from + at, size);
    copy(to + at, piece.memory, size);
    piece.done->record(stream_);
  }
}

void Staging::download(std::byte* to, CUdeviceptr from, std::size_t bytes) {
  const auto copy = [&](void* target, CUdeviceptr source, std::size_t size) {
    context_.check("cuMemcpyDtoHAsync",
                   context_.library().cuMemcpyDtoHAsync_v2(target, source, size, stream_.handle()));
  };
  if (is_small(bytes) || !has_pieces()) {
    copy(to, from, bytes);
    return stream_.synchronize();
  }
  const auto size_at = [&](std::size_t at) { return std::min(piece_bytes, bytes - at); };
  const auto start = [&](std::size_t at) {
    const Piece& piece = pieces_[at / piece_bytes % 2];
    copy(piece.memory, from + at, size_at(at));
    piece.done->record(stream_);
  };
  start(0);
  for (std::size_t at = 0; at < bytes; at += piece_bytes) {
    if (at + piece_bytes < bytes) start(at + piece_bytes);
    const Piece& piece = pieces_[at / piece_bytes % 2];
    piece.done->synchronize();
    std::memcpy(to + at, piece.memory, size_at(at));
  }
}

Stagings::Taken Stagings::take(std::size_t bytes) {
  if (Staging::is_small(bytes)) return {turns_++ % count, {}};
  for (std::size_t which = 0; which < count; ++which) {
    std::unique_lock lock(all_[which].mutex(), std::try_to_lock);
    if (lock) return {which, std::move(lock)};
  }
  const std::size_t which = turns_++ % count;
  return {which, std::unique_lock(all_[which].mutex())};
}

}  // namespace hasten::backends::cuda
