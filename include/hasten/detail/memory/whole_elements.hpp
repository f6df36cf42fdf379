// Borrowed compound elements that are whole in memory; defined in
// src/runtime/memory/lent_elements.cpp.
#pragma once

#include <hasten/detail/host_array.hpp>
#include <hasten/scalar/element.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace hasten::detail {

struct WholeElements {
  const void* first;
  std::size_t count, element_bytes;
  std::span<const std::size_t> offsets;  // of each leaf in an element
};
/// An array of these elements, whose components are created when they are first read; CPU programs
/// may read the elements in place. `release` is called once, when neither happens any more.
[[nodiscard]] std::shared_ptr<const HostArray> lend_whole(std::vector<std::int64_t> shape,
                                                          std::vector<ScalarType> leaves,
                                                          const WholeElements& elements,
                                                          std::function<void()> release);

/// Whether every leaf of T is an object within it; false for optionals and variants.
template <class T>
inline constexpr bool is_laid_out = Leaf<T>;
template <class L>
inline constexpr bool are_laid_out = false;
template <class... Ts>
inline constexpr bool are_laid_out<List<Ts...>> = (is_laid_out<Ts> && ...);
template <CompoundElement T>
inline constexpr bool is_laid_out<T> = are_laid_out<Members<T>>;

/// Records the byte offsets of the leaves in a value that begins at `begin`.
template <class T>
void note_offsets(const T& value, const std::byte* begin, std::size_t*& next) {
  if constexpr (Leaf<T>) {
    *next++ = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&value) - begin);
  } else {
    with_indices<member_count<T>>(
        [&](auto... m) { (note_offsets(member<m>(value), begin, next), ...); });
  }
}
template <class T>
std::array<std::size_t, leaf_count<T>> leaf_offsets() {
  const T value{};
  std::array<std::size_t, leaf_count<T>> offsets{};
  std::size_t* next = offsets.data();
  note_offsets(value, reinterpret_cast<const std::byte*>(&value), next);
  return offsets;
}

}  // namespace hasten::detail
