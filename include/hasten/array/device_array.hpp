// Parameters and results of array functions that run on devices: arrays in a device's memory, and
// the device of the call. No CUDA or OpenCL header is needed; handles are passed as void*.
#pragma once

#include <hasten/array/array.hpp>
#include <hasten/detail/array_groups.hpp>
#include <hasten/detail/foreign_function.hpp>
#include <hasten/detail/libraries/cuda_queue.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace hasten {

/// An array A (Vector<float>, Matrix<Point>, ...) in the memory of the calling device: row-major
/// and contiguous, with one block per component of the element.
template <class A>
class DeviceArray {
 public:
  using element_type = typename A::element_type;
  static constexpr std::size_t rank = A::rank;
  /// The number of leaves of the element, depth first. A complex number is one leaf of two floats.
  static constexpr std::size_t components = detail::leaf_count<element_type>;

  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return placed_.array->shape(); }
  [[nodiscard]] std::int64_t extent(std::size_t axis) const { return shape().at(axis); }
  /// The number of elements.
  [[nodiscard]] std::int64_t size() const { return placed_.array->size(); }
  /// The memory of a component, with size() leaves: a CUDA address (CUdeviceptr) or a cl_mem. It is
  /// allocated for empty arrays too. Arguments must not be written.
  [[nodiscard]] void* memory(std::size_t component = 0) const {
    return placed_.memory.at(component);
  }

 private:
  friend detail::Access;
  friend class DeviceCall;
  explicit DeviceArray(detail::PlacedArray placed) : placed_(std::move(placed)) {}
  [[nodiscard]] const std::shared_ptr<const detail::HostArray>& host() const {
    return placed_.array;
  }
  detail::PlacedArray placed_;
};

/// The device on which an array function is called. Valid on the function's thread until the
/// function returns.
///
/// Work that the function enqueues on queue() is ordered after the computation of its arguments and
/// before every use of its results; the function need not wait for that work, and should not.
class DeviceCall {
 public:
  explicit DeviceCall(detail::ForeignDevice& device) : device_(&device) {}

  /// CUstream, or an in-order cl_command_queue.
  [[nodiscard]] void* queue() const { return device_->queue(); }
  /// CUcontext, current on this thread during the call; or cl_context.
  [[nodiscard]] void* context() const { return device_->context(); }
  /// cl_device_id, or CUdevice as a number: static_cast<int>(reinterpret_cast<std::intptr_t>(...)).
  [[nodiscard]] void* device() const { return device_->device(); }

  /// A new array in the device's memory, with unspecified contents: a result or scratch. It counts
  /// towards the memory limit like every array of the program. Throws MemoryError if there is no
  /// room; let it propagate, and the function is called again once there is more. Throws ShapeError
  /// if an extent is negative.
  template <class A>
  [[nodiscard]] DeviceArray<A> allocate(const std::array<std::int64_t, A::rank>& extents) const {
    return DeviceArray<A>(
        device_->allocate({extents.begin(), extents.end()},
                          detail::element_type<typename A::element_type>()->leaves));
  }

 private:
  detail::ForeignDevice* device_;
};

}  // namespace hasten

namespace hasten::detail {

/// The queue of a call on a CUDA device.
inline CudaQueue cuda_queue(const DeviceCall& call) { return {call.context(), call.queue()}; }

/// The parameter type of device functions for a group of Accs: a DeviceArray for one array, a
/// std::tuple of the members' types for several, structs included.
template <class G>
struct DeviceOf;
template <class L>
struct DeviceGroup;
template <class... Ps>
struct DeviceGroup<List<Ps...>> {
  using type = std::tuple<typename DeviceOf<Ps>::type...>;
};
template <class G>
struct DeviceOf : DeviceGroup<Parts<G>> {};
template <class A>
struct DeviceOf<Acc<A>> {
  using type = DeviceArray<A>;
};
template <class G>
using DeviceType = typename DeviceOf<G>::type;

/// The arrays of group G from `next` on; `next` is advanced past them.
template <class G>
DeviceType<G> placed_group(const std::vector<PlacedArray>& arrays, std::size_t& next) {
  if constexpr (is_acc<G>) {
    return Access::placed<DeviceType<G>>(arrays[next++]);
  } else {
    return [&]<class... Ps>(List<Ps...>) {
      return std::tuple<DeviceType<Ps>...>{placed_group<Ps>(arrays, next)...};  // in order
    }(Parts<G>{});
  }
}

template <class A>
void append_placed(const DeviceArray<A>& array,
                   std::vector<std::shared_ptr<const HostArray>>& out) {
  out.push_back(Access::host(array));
}
template <class... Ds>
void append_placed(const std::tuple<Ds...>& group,
                   std::vector<std::shared_ptr<const HostArray>>& out) {
  std::apply([&](const Ds&... parts) { (append_placed(parts, out), ...); }, group);
}

}  // namespace hasten::detail
