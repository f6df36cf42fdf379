// Memory that only a run owns may be reused: nothing can tell it from new memory.
#include "runtime/memory/spare_arrays.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

namespace hasten::runtime {
namespace {

constexpr std::size_t most_arrays = 8;
// Computing larger arrays takes longer than allocating them.
constexpr std::size_t most_bytes_each = std::size_t{1} << 16;

bool is_owned_alone(const std::shared_ptr<detail::Buffer>& component) {
  return component.use_count() == 1 && !component->borrowed() && !component->elsewhere() &&
         !component->sharding();
}

bool can_be_kept(const std::shared_ptr<const detail::HostArray>& array) {
  if (array.use_count() != 1) return false;
  std::size_t bytes = 0;
  for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf) {
    if (!is_owned_alone(array->component(leaf))) return false;
    bytes += array->component(leaf)->size();
  }
  return bytes <= most_bytes_each;
}

}  // namespace

void SpareArrays::keep(std::shared_ptr<const detail::HostArray>& array) {
  if (array && can_be_kept(array)) {
    std::atomic_thread_fence(std::memory_order_acquire);  // orders this after all reads by others
    if (arrays_.size() == most_arrays) arrays_.erase(arrays_.begin());
    arrays_.push_back(std::const_pointer_cast<detail::HostArray>(std::move(array)));
  }
  array.reset();
}

std::shared_ptr<detail::HostArray> SpareArrays::take(std::span<const std::int64_t> shape,
                                                     std::span<const detail::ScalarType> leaves) {
  const auto is_like = [&](const std::shared_ptr<detail::HostArray>& array) {
    return std::ranges::equal(array->shape(), shape) && std::ranges::equal(array->leaves(), leaves);
  };
  const auto found = std::ranges::find_if(arrays_, is_like);
  if (found == arrays_.end()) return nullptr;
  std::shared_ptr<detail::HostArray> result = std::move(*found);
  arrays_.erase(found);
  return result;
}

}  // namespace hasten::runtime
