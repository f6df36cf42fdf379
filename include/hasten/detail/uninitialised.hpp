// Host arrays that libraries write: allocation first, elements afterwards.
#pragma once

#include <hasten/array/array.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace hasten::detail {

/// An array with unspecified contents. Throws MemoryError.
template <class A>
A uninitialised(std::vector<std::int64_t> shape) {
  return Access::array<A>(
      HostArray::allocate(std::move(shape), element_type<typename A::element_type>()->leaves));
}
template <class A>
std::vector<std::int64_t> shape_of(const A& array) {
  return Access::host(array)->shape();
}
/// The elements, which are leaves, in row-major order. Those of a new array must be written before
/// the array is shared.
template <class A>
typename A::element_type* elements_of(const A& array) {
  return reinterpret_cast<typename A::element_type*>(Access::host(array)->data(0));
}

}  // namespace hasten::detail
