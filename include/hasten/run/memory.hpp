// Where arrays are: bringing them to a device, keeping them there, taking them back.
#pragma once

#include <hasten/array/array.hpp>
#include <hasten/run/options.hpp>

namespace hasten::detail {

// In src/runtime/placing.cpp.
void bring_to(const HostArray& array, const Target& target, bool is_pinned, const Where& where);
void bring_home(const HostArray& array);

}  // namespace hasten::detail

namespace hasten {

/// Brings an array into the memory of a target's device now, so that the first program that reads
/// it there does not wait for it. For targets that work in host memory: into host memory. It may be
/// moved out again like any other array. Costs a copy, or nothing if it is there. No room on the
/// device is a MemoryError, an absent target a TargetError.
template <class T, std::size_t N>
void prefetch(const Array<T, N>& array, const Target& target = {},
              detail::Where where = detail::Where::current()) {
  detail::bring_to(*detail::Access::host(array), target, false, where);
}

/// Like prefetch; and the array stays there, whatever else needs room, until it is released or its
/// last copy is gone.
template <class T, std::size_t N>
void pin(const Array<T, N>& array, const Target& target = {},
         detail::Where where = detail::Where::current()) {
  detail::bring_to(*detail::Access::host(array), target, true, where);
}

/// Frees the array's memory on all devices, pinned or not, after bringing its elements to host
/// memory if they are nowhere else. The array can be used as before.
template <class T, std::size_t N>
void release(const Array<T, N>& array) {
  detail::bring_home(*detail::Access::host(array));
}

}  // namespace hasten
