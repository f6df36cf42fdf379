// The word returned last is reused first, so that recorded loops find theirs at the same address.
#include "backends/c_like/launch/stop_words.hpp"

#include <new>

namespace hasten::backends::c_like {
namespace {

constexpr std::size_t block_bytes = 4096, word_bytes = 64;  // a cache line each

}  // namespace

std::shared_ptr<support::StopWord> StopWords::take() {
  const std::lock_guard lock(mutex_);
  if (unused_.empty() && !add_block()) return nullptr;
  support::StopWord* const word = unused_.back();
  unused_.pop_back();
  word->store(0, std::memory_order_relaxed);
  return {word, [words = weak_from_this()](support::StopWord* done) {
            const auto home = words.lock();
            if (!home) return;
            const std::lock_guard again(home->mutex_);
            home->unused_.push_back(done);
          }};
}

bool StopWords::add_block() {
  void* const memory = make_(block_bytes);
  if (!memory) return false;
  blocks_.push_back(memory);
  for (std::size_t at = block_bytes; at >= word_bytes; at -= word_bytes)
    unused_.push_back(new (static_cast<std::byte*>(memory) + at - word_bytes) support::StopWord(0));
  return true;
}

void StopWords::close() {
  const std::lock_guard lock(mutex_);
  for (void* const block : blocks_) free_(block);
  blocks_.clear();
  unused_.clear();
}

}  // namespace hasten::backends::c_like
