// Outputs in the memory of inputs that are no longer needed: a loop's state stays in the caches,
// and takes no new memory.
#include "runtime/execute/launches.hpp"
#include "runtime/memory/memory.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace hasten::runtime {

using core::ArrayId;
using core::ScalarType;
using kernels::Launch;
using kernels::Skeleton;

// Kernels of devices and their replays assume that inputs do not change. Parts of arrays share
// their memory; those of ranks do not, or are views of a buffer.
bool Launches::may_overwrite(const Launch& op) const {
  return !op.overwritable.empty() && !device_->memory && state_.loaded.others.empty() &&
         state_.loaded.parts == 1;
}

// The memory of an input with as many elements of as many bytes as are written, which only this
// launch holds. Null: there is none, or it has other holders.
std::shared_ptr<detail::Buffer> Launches::overwritten(const Launch& op, std::uint32_t input,
                                                      const Extents& shape, std::size_t elements,
                                                      std::size_t element_bytes) const {
  const auto& [id, leaf] = op.inputs[input];
  const HostArrayRef& array = state_.arrays[id];
  if (array.use_count() != 1 || detail::size_in_bytes(array->leaves()[leaf]) != element_bytes)
    return nullptr;
  const std::shared_ptr<detail::Buffer>& buffer = array->component(leaf);
  if (buffer.use_count() != 1 || buffer->size() != elements * element_bytes) return nullptr;
  if (is_lent(*buffer) || buffer->elsewhere() || !buffer->is_in_host_memory()) return nullptr;
  const bool is_row = state_.plan.kernels[op.kernel].rank == 1;
  return is_row || array->shape() == shape ? buffer : nullptr;
}

// The input that is an array of this shape and these components, in their order; null: there is
// none.
std::shared_ptr<detail::HostArray> Launches::overwritten_whole(
    const Launch& op, const Extents& shape, std::span<const ScalarType> leaves,
    std::span<const std::shared_ptr<detail::Buffer>> components) const {
  for (std::size_t i = 0; i < is_overwritten_.size(); ++i) {
    const HostArrayRef& array = state_.arrays[op.inputs[op.overwritable[i]].array];
    if (!is_overwritten_[i] || array->component(0) != components[0]) continue;
    if (!std::ranges::equal(array->leaves(), leaves) || array->shape() != shape) return nullptr;
    for (std::size_t leaf = 0; leaf < components.size(); ++leaf)
      if (array->component(leaf) != components[leaf]) return nullptr;
    return std::const_pointer_cast<detail::HostArray>(array);
  }
  return nullptr;
}

// Returns null if none of the array's components could be placed.
std::shared_ptr<detail::HostArray> Launches::over_inputs(const Launch& op, ArrayId id,
                                                         const Extents& shape) {
  const bool is_map = state_.plan.kernels[op.kernel].skeleton == Skeleton::map;
  if (!may_overwrite(op) || (!is_map && id == op.output)) return nullptr;
  const std::vector<ScalarType>& leaves = state_.plan.array_types[id].leaves;
  const std::optional<std::int64_t> count = bytes_of(shape, std::array{ScalarType::u8});
  if (!count || *count == 0) return nullptr;
  const auto elements = static_cast<std::size_t>(*count);
  is_overwritten_.resize(op.overwritable.size());
  std::vector<std::shared_ptr<detail::Buffer>> components(leaves.size());
  std::vector<ScalarType> others;
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    for (std::size_t i = 0; i < is_overwritten_.size() && !components[leaf]; ++i) {
      if (is_overwritten_[i]) continue;
      components[leaf] =
          overwritten(op, op.overwritable[i], shape, elements, detail::size_in_bytes(leaves[leaf]));
      is_overwritten_[i] = components[leaf] != nullptr;
    }
    if (!components[leaf]) others.push_back(leaves[leaf]);
  }
  if (others.size() == leaves.size()) return nullptr;
  if (auto whole = overwritten_whole(op, shape, leaves, components)) return whole;
  if (!others.empty()) {
    const std::shared_ptr<detail::HostArray> made = allocate(others, shape);
    for (std::size_t leaf = 0, next = 0; leaf < leaves.size(); ++leaf)
      if (!components[leaf]) components[leaf] = made->component(next++);
  }
  return std::make_shared<detail::HostArray>(shape, leaves, std::move(components));
}

// Leaves the outputs as the only holders of the memory, for later launches.
void Launches::forget_overwritten(const Launch& op) {
  for (std::size_t i = 0; i < is_overwritten_.size(); ++i)
    if (is_overwritten_[i]) state_.arrays[op.inputs[op.overwritable[i]].array].reset();
  is_overwritten_.clear();
}

}  // namespace hasten::runtime
