// Entries are few, and searched linearly.
#include "runtime/execute/remembered.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hasten::runtime {
namespace {

constexpr std::size_t entries_max = 16;

// Keeps no device memory for it. The caller reads the array next anyway: no wait is added.
std::shared_ptr<const detail::HostArray> in_host_memory(const detail::HostArray& array) {
  std::vector<std::shared_ptr<detail::Buffer>> components;
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
    const detail::Buffer& from = *array.component(leaf);
    components.push_back(detail::Buffer::allocate(from.size()));
    std::memcpy(components.back()->data(), from.data(), from.size());
  }
  return std::make_shared<detail::HostArray>(array.shape(), array.leaves(), std::move(components));
}

}  // namespace

bool RememberedLaunches::is_of(const Entry& entry, const LaunchKey& key) {
  return entry.numbers.kernel == key.kernel && entry.numbers.space == key.space &&
         entry.numbers.scalars == key.scalars &&
         std::ranges::equal(entry.inputs, key.inputs, [](const auto& kept, const auto& given) {
           return kept.lock() == given;
         });
}

std::shared_ptr<const detail::HostArray> RememberedLaunches::find(const LaunchKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return is_of(entry, key); });
  return found == entries_.end() ? nullptr : found->result;
}

void RememberedLaunches::keep(LaunchKey key, const detail::HostArray& result) {
  Entry entry;
  entry.inputs.assign(key.inputs.begin(), key.inputs.end());
  key.inputs.clear();
  entry.numbers = std::move(key);
  entry.result = in_host_memory(result);
  const std::lock_guard lock(mutex_);
  if (entries_.size() == entries_max) entries_.erase(entries_.begin());
  entries_.push_back(std::move(entry));
}

}  // namespace hasten::runtime
