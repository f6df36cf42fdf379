// Placement of arrays: copying them to a device, keeping them there, releasing them.
#pragma once

#include <hasten/array/array.hpp>
#include <hasten/run/options.hpp>

namespace hasten::detail {

// Defined in src/runtime/placing.cpp.
void bring_to(const HostArray& array, const Target& target, bool is_pinned, const Where& where);
void bring_home(const HostArray& array);

}  // namespace hasten::detail

namespace hasten {

/// Copies an array to the memory of a target's device now, so that the first program that reads it
/// there does not wait; for targets that work in host memory, to host memory. The array may be
/// evicted again like any other. Costs one copy, or nothing if it is already there. Throws
/// MemoryError if the device has no room, TargetError if the target is absent.
template <class T, std::size_t N>
void prefetch(const Array<T, N>& array, const Target& target = {},
              detail::Where where = detail::Where::current()) {
  detail::bring_to(*detail::Access::host(array), target, false, where);
}

/// Like prefetch, but the array stays there, whatever else needs room, until it is released or its
/// last copy is gone.
template <class T, std::size_t N>
void pin(const Array<T, N>& array, const Target& target = {},
         detail::Where where = detail::Where::current()) {
  detail::bring_to(*detail::Access::host(array), target, true, where);
}

/// Frees the array's memory on all devices, pinned or not. Its elements are first copied to host
/// memory if they are nowhere else. The array remains usable.
template <class T, std::size_t N>
void release(const Array<T, N>& array) {
  detail::bring_home(*detail::Access::host(array));
}

}  // namespace hasten
