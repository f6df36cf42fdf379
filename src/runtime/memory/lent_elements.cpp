// Components of structs are copied element by element, with a constant size.
#include "runtime/memory/lent_elements.hpp"

#include "runtime/memory/residency.hpp"

#include <hasten/detail/memory/whole_elements.hpp>

#include <cstring>

namespace hasten::runtime {
namespace {

template <std::size_t bytes>
void copy_all(const std::byte* from, std::size_t step, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, from += step, to += bytes) std::memcpy(to, from, bytes);
}

}  // namespace

void LentElements::take_out(std::size_t member, std::byte* to) const {
  const std::size_t step = layout_.element_bytes, count = memory_.size() / step;
  const auto [offset, bytes] = layout_.members[member];
  const std::byte* const from = memory_.data() + offset;
  switch (bytes) {
    case 1: return copy_all<1>(from, step, to, count);
    case 2: return copy_all<2>(from, step, to, count);
    case 4: return copy_all<4>(from, step, to, count);
    case 8: return copy_all<8>(from, step, to, count);
    default: return copy_all<16>(from, step, to, count);
  }
}

LentElementsRef whole_elements(const detail::HostArray& array) {
  LentElementsRef all;
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
    LentElementsRef one = lent_elements(*array.component(leaf));
    if (!one || (all && all != one)) return nullptr;
    all = std::move(one);
  }
  return all;
}

}  // namespace hasten::runtime

namespace hasten::detail {

std::shared_ptr<const HostArray> lend_whole(std::vector<std::int64_t> shape,
                                            std::vector<ScalarType> leaves,
                                            const WholeElements& elements,
                                            std::function<void()> release) {
  using runtime::LentElements;
  const std::shared_ptr<void> owner(nullptr, [release = std::move(release)](void*) {
    if (release) release();
  });
  LentElements::Layout layout{elements.element_bytes, {}};
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
    layout.members.push_back({elements.offsets[leaf], size_in_bytes(leaves[leaf])});
  const auto all =
      std::make_shared<const LentElements>(std::span(static_cast<const std::byte*>(elements.first),
                                                     elements.count * elements.element_bytes),
                                           std::move(layout), owner);
  std::vector<std::shared_ptr<Buffer>> components;
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
    components.push_back(runtime::taken_out(all, leaf, elements.count));
  return std::make_shared<const HostArray>(std::move(shape), std::move(leaves),
                                           std::move(components));
}

}  // namespace hasten::detail
