// A list by age, and an index of it by size.
#include "runtime/memory/caching_allocator.hpp"

#include "support/env.hpp"

#include <algorithm>

namespace hasten::runtime {
namespace {

constexpr std::size_t unit = 256;  // what devices align to

std::size_t up_to_multiple(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

}  // namespace

void CachingAllocator::put(RawBlock block) {
  blocks_.push_back(block);
  try {
    by_size_[block.size].push_back(std::prev(blocks_.end()));
  } catch (...) {
    blocks_.pop_back();
    throw;
  }
  bytes_ += block.size;
}

RawBlock CachingAllocator::take(std::size_t size) {
  for (auto it = by_size_.lower_bound(size); it != by_size_.end();) {
    if (it->first > size_class(size)) break;
    if (it->second.empty()) {
      it = by_size_.erase(it);
      continue;
    }
    const RawBlock block = *it->second.back();
    blocks_.erase(it->second.back());
    it->second.pop_back();
    bytes_ -= block.size;
    return block;
  }
  return {};
}

RawBlock CachingAllocator::take_oldest() {
  if (blocks_.empty()) return {};
  const RawBlock block = blocks_.front();
  const auto same_size = by_size_.find(block.size);
  same_size->second.pop_front();
  if (same_size->second.empty()) by_size_.erase(same_size);
  blocks_.pop_front();
  bytes_ -= block.size;
  return block;
}

bool is_exact() {
  static const bool exact = !support::env("HASTEN_DEVICE_EXACT").empty();
  return exact;
}

std::size_t exact_size(std::size_t bytes) {
  if (is_exact()) return std::max<std::size_t>(bytes, 1);
  return up_to_multiple(std::max<std::size_t>(bytes, 1), unit);
}

std::size_t size_class(std::size_t bytes) {
  if (is_exact()) return exact_size(bytes);
  std::size_t step = unit;
  while (step * 16 <= bytes) step *= 2;
  return up_to_multiple(std::max<std::size_t>(bytes, 1), step);
}

}  // namespace hasten::runtime
