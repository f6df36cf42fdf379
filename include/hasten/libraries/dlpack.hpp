// Exchange of arrays through DLPack, the interface by which NumPy, PyTorch, JAX and others share
// arrays: from_dlpack imports an array, to_dlpack exports one. The structs of the interface are
// declared here; those of <dlpack/dlpack.h> are accepted too. Not part of <hasten/hasten.hpp>.
#pragma once

#include <hasten/array/array.hpp>
#include <hasten/detail/memory/dlpack_facts.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace hasten::dlpack {

/// The device that holds the memory: 1 is the host, 2 a CUDA device, 4 an OpenCL device.
struct Device {
  std::int32_t device_type;
  std::int32_t device_id;
};

/// The element type: code 0 is int, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool; then the bits
/// of an element and the number of its lanes.
struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

/// DLTensor. Strides are in elements, null for dense row-major memory. On an OpenCL device, `data`
/// is a cl_mem.
struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

/// DLManagedTensor, of DLPack before 1.0: the Python capsule "dltensor".
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);
};

/// DLPackVersion.
struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

/// DLManagedTensorVersioned, of DLPack 1: the Python capsule "dltensor_versioned". Bit 0 of the
/// flags marks the memory as read-only.
struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;
  void (*deleter)(ManagedTensorVersioned* self);
  std::uint64_t flags;
  Tensor dl_tensor;
};

}  // namespace hasten::dlpack

namespace hasten::detail {

template <class Managed>
inline constexpr bool has_dlpack_version = requires(Managed& m) { m.version.major; };

/// The state that the deleter of an exported tensor frees.
template <class T, std::size_t N, class Managed>
struct ExportedTensor {
  Array<T, N> array;
  std::shared_ptr<void> keeper;  // keeps memory on a device alive
  std::array<std::int64_t, N + 1> shape{}, strides{};
  Managed managed{};
};

/// Implements from_dlpack for device memory.
template <class T, std::size_t N, class Tensor>
Array<T, N> adopt_tensor(const Tensor& given, const Ix<N>& shape, const Ix<N>& strides,
                         std::shared_ptr<void> owner, const Where& where) {
  const auto* const nothing = static_cast<const T*>(nullptr);
  for (std::size_t k = 0; k < N; ++k)
    if (shape[k] <= 0) return Array<T, N>::borrow(shape, nothing, [owner] {}, where);
  check_dlpack_strides({shape.begin(), N}, {strides.begin(), N}, where);
  if (!given.data) return Array<T, N>::borrow(shape, nothing, [owner] {}, where);
  const DlpackPlace place{static_cast<std::int32_t>(given.device.device_type),
                          static_cast<std::int32_t>(given.device.device_id), given.data,
                          given.byte_offset};
  const auto bytes = static_cast<std::size_t>(shape.product()) * sizeof(T);
  return Access::array<Array<T, N>>(std::make_shared<const HostArray>(
      std::vector<std::int64_t>(shape.begin(), shape.begin() + N),
      std::vector<ScalarType>{LeafOf<T>::value},
      std::vector<std::shared_ptr<Buffer>>{adopt_dlpack(place, bytes, std::move(owner), where)}));
}

/// Implements to_dlpack: a tensor of the array's memory at the given place.
template <class Managed, class T, std::size_t N>
Managed* export_tensor(const Array<T, N>& array, LentPlace lent) {
  using Exported = ExportedTensor<T, N, Managed>;
  auto exported = std::make_unique<Exported>(Exported{array, std::move(lent.keeper)});
  const Ix<N> shape = array.shape();
  for (std::size_t k = 0; k < N; ++k) {
    exported->shape[k] = shape[k];
    exported->strides[k] = row_major_stride({shape.begin(), N}, k);
  }
  Managed& managed = exported->managed;
  auto& tensor = managed.dl_tensor;
  tensor.data = lent.place.data;
  tensor.device = {static_cast<decltype(tensor.device.device_type)>(lent.place.device_type),
                   lent.place.device_id};
  tensor.ndim = static_cast<std::int32_t>(N);
  const DlpackType type = dlpack_type(LeafOf<T>::value);
  tensor.dtype = {type.code, type.bits, 1};
  tensor.shape = exported->shape.data();
  tensor.strides = exported->strides.data();
  managed.manager_ctx = exported.get();
  managed.deleter = [](Managed* self) { delete static_cast<Exported*>(self->manager_ctx); };
  if constexpr (has_dlpack_version<Managed>) {
    managed.version = {1, 0};
    managed.flags = dlpack_read_only;
  }
  return &exported.release()->managed;
}

template <class T>
constexpr void check_lent_type() {
  static_assert(Leaf<T>,
                "hasten::to_dlpack: DLPack knows numbers and bool; give each component of a "
                "compound type by itself");
}

}  // namespace hasten::detail

namespace hasten {

/// Imports a DLPack tensor (dlpack::ManagedTensor, dlpack::ManagedTensorVersioned, or those of
/// <dlpack/dlpack.h>) as an array and takes ownership of it. The tensor's deleter is called once,
/// from any thread, when nothing uses its memory any more, or before this function returns or
/// throws. Dense row-major host memory is used in place and must not change (see Array::borrow);
/// other strides are copied. Memory of a CUDA or OpenCL device is used there by programs of its
/// target, and is copied to the host when the host looks at it. The work that produces it must have
/// ended (DLPack producers ensure that for the stream they are given); strides with gaps or in
/// another order are a ShapeError there. For OpenCL, device_id N is the device of `opencl:N`, and
/// the memory object must be a buffer of this target's context that kernels and the host may read;
/// if the tensor does not begin at the start of the buffer, the device must support the sub-buffer.
/// Otherwise it is a TargetError. Throws ShapeError for another rank, TargetError for memory of an
/// unsupported or absent device, and Error for another element type, a null pointer, or a DLPack
/// version other than 1.
template <class T, std::size_t N, class Managed>
Array<T, N> from_dlpack(Managed* tensor, detail::Where where = detail::Where::current()) {
  static_assert(detail::Leaf<T>,
                "hasten::from_dlpack: DLPack knows numbers and bool; take each component of a "
                "compound type by itself");
  if (!tensor) detail::throw_no_tensor(where);
  const std::shared_ptr<Managed> owner(tensor, [](Managed* managed) {
    if (managed->deleter) managed->deleter(managed);
  });
  if constexpr (detail::has_dlpack_version<Managed>)
    detail::check_dlpack_version(tensor->version.major, tensor->version.minor, where);
  const auto& given = tensor->dl_tensor;
  detail::check_dlpack({static_cast<std::int32_t>(given.device.device_type), given.dtype.code,
                        given.dtype.bits, given.dtype.lanes, given.ndim},
                       detail::LeafOf<T>::value, N, where);
  Ix<N> shape, strides;
  for (std::size_t k = 0; k < N; ++k) shape[k] = given.shape[k];
  for (std::size_t k = 0; k < N; ++k)
    strides[k] = given.strides ? given.strides[k] : detail::row_major_stride({shape.begin(), N}, k);
  if (detail::is_dlpack_device(static_cast<std::int32_t>(given.device.device_type)))
    return detail::adopt_tensor<T, N>(given, shape, strides, owner, where);
  const auto* const first =
      given.data ? static_cast<const std::byte*>(given.data) + given.byte_offset : nullptr;
  return Array<T, N>::borrow(
      shape, static_cast<const T*>(static_cast<const void*>(first)), strides, [owner] {}, where);
}

/// Exports an array's host memory as a DLPack tensor; an array that is only on a device is copied
/// to the host first. The caller passes the tensor to one consumer or calls its deleter, which
/// releases the array. Consumers may read but not write: arrays are immutable, which only a
/// versioned tensor can express. Nothing is copied otherwise. `Managed` may be
/// dlpack::ManagedTensor, which older consumers accept, or a struct of <dlpack/dlpack.h>.
template <class Managed = dlpack::ManagedTensorVersioned, class T, std::size_t N>
Managed* to_dlpack(const Array<T, N>& array) {
  detail::check_lent_type<T>();
  return detail::export_tensor<Managed>(
      array, {{detail::dlpack_host, 0, const_cast<T*>(array.span().data())}, nullptr});
}

/// Likewise for the array's memory on a target. The array is copied there first if necessary, and
/// stays there until the tensor's deleter is called, whatever else needs room. Targets are CUDA and
/// OpenCL devices (`data` is a cl_mem of the target's context, and device_id the N of `opencl:N`)
/// and targets that work in host memory; others are a TargetError. Throws MemoryError if there is
/// no room. The elements are complete when this function returns, for any stream or queue.
template <class Managed = dlpack::ManagedTensorVersioned, class T, std::size_t N>
Managed* to_dlpack(const Array<T, N>& array, const Target& target,
                   detail::Where where = detail::Where::current()) {
  detail::check_lent_type<T>();
  return detail::export_tensor<Managed>(
      array, detail::lend_dlpack(*detail::Access::host(array), target, where));
}

}  // namespace hasten
