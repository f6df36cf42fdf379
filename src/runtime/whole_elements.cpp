// Views are arrays of numbers of one type that borrow the whole memory.
#include "runtime/whole_elements.hpp"

#include "runtime/memory/lent_elements.hpp"

#include <utility>

namespace hasten::runtime {
namespace {

std::shared_ptr<const detail::HostArray> view_of(const detail::HostArray& array,
                                                 const LentElementsRef& elements,
                                                 core::ScalarType type) {
  std::vector<std::int64_t> shape = array.shape();
  shape.push_back(
      static_cast<std::int64_t>(elements->layout().element_bytes / detail::size_in_bytes(type)));
  const std::span<const std::byte> memory = elements->memory();
  return std::make_shared<const detail::HostArray>(
      std::move(shape), std::vector<core::ScalarType>{type},
      std::vector<std::shared_ptr<detail::Buffer>>{
          detail::Buffer::borrow(memory.data(), memory.size(), [elements] {})});
}

}  // namespace

std::optional<passes::WholeElements> seen_whole(
    const detail::HostArray& array, const passes::ReadOnce& once,
    std::vector<std::shared_ptr<const detail::HostArray>>& arrays) {
  const LentElementsRef elements = whole_elements(array);
  if (!elements) return std::nullopt;
  const LentElements::Layout& layout = elements->layout();
  passes::WholeElements seen{once.array, layout.element_bytes, {}};
  for (const LentElements::Member& member : layout.members) seen.offsets.push_back(member.offset);
  if (!passes::can_be_seen(seen, array.leaves()) || !elements->may_be_read(once.components))
    return std::nullopt;
  for (const core::ScalarType type : passes::views_of(array.leaves()))
    arrays.push_back(view_of(array, elements, type));
  return seen;
}

}  // namespace hasten::runtime
