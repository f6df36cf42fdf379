// Elements that are not row-major without gaps; defined in src/surface/public/strided.cpp.
#pragma once

#include <hasten/detail/term.hpp>
#include <hasten/scalar/ix.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hasten::detail {

/// Memory viewed with a stride for each axis, in elements, starting at the first element.
struct Strided {
  const void* first;
  std::span<const std::int64_t> shape, strides;
  std::size_t element_bytes;
};

/// The stride of an axis of an array without gaps, in elements.
[[nodiscard]] inline std::int64_t row_major_stride(std::span<const std::int64_t> shape,
                                                   std::size_t axis) {
  std::uint64_t stride = 1;  // wraps only if an extent is 0
  for (std::size_t k = axis + 1; k < shape.size(); ++k)
    stride *= static_cast<std::uint64_t>(shape[k]);
  return static_cast<std::int64_t>(stride);
}

/// Whether the elements are row-major without gaps.
[[nodiscard]] bool is_compact(const Strided& from);
/// Throws ShapeError if the distance of two elements cannot be counted in bytes.
void check_strides(const char* operation, const Strided& there, const Where& where);
/// Throws ShapeError unless the axes nest, so that no two elements overlap.
void check_apart(const char* operation, const Strided& there, const Where& where);
/// Copies elements with checked strides to row-major memory: one pass, on this thread.
void gather(std::byte* to, const Strided& from);
/// The inverse of gather.
void scatter(const Strided& to, const std::byte* from);

/// std::mdspan over T with strides, or a class like it.
template <class V, class T, std::size_t N>
concept StridedView = requires(const V& view) {
  requires V::rank() == N;
  { view.data_handle() } -> std::convertible_to<T*>;
  { view.extent(0) } -> std::convertible_to<std::int64_t>;
  { view.stride(0) } -> std::convertible_to<std::int64_t>;
};
template <std::size_t N, class V>
Ix<N> extents_of(const V& view) {
  Ix<N> extents;
  for (std::size_t k = 0; k < N; ++k) extents[k] = static_cast<std::int64_t>(view.extent(k));
  return extents;
}
template <std::size_t N, class V>
Ix<N> strides_of(const V& view) {
  Ix<N> strides;
  for (std::size_t k = 0; k < N; ++k) strides[k] = static_cast<std::int64_t>(view.stride(k));
  return strides;
}

}  // namespace hasten::detail
