// Arrays of other libraries by DLPack, the interface by which NumPy, PyTorch, JAX and others hand
// their arrays on: from_dlpack takes one, to_dlpack gives one. The structs of the interface are
// here; those of <dlpack/dlpack.h> will do as well. Not part of <hasten/hasten.hpp>.
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

/// Where the memory is: 1 stands for the host's, 2 for a CUDA device's, 4 for an OpenCL device's.
struct Device {
  std::int32_t device_type;
  std::int32_t device_id;
};

/// 0 stands for int, 1 for unsigned, 2 for float, 4 for bfloat, 5 for complex, 6 for bool; bits of
/// an element, and of how many lanes it is.
struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

/// DLTensor: strides are in elements, null for row-major without gaps. `data` of an OpenCL device
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

/// DLManagedTensor, of DLPack before 1.0: a capsule "dltensor" of Python.
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

/// DLManagedTensorVersioned, of DLPack 1: a capsule "dltensor_versioned" of Python. The first bit
/// of the flags says that nobody may write.
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

/// What the deleter of an exported tensor frees.
template <class T, std::size_t N, class Managed>
struct ExportedTensor {
  Array<T, N> array;
  std::shared_ptr<void> keeper;  // of memory on a device
  std::array<std::int64_t, N + 1> shape{}, strides{};
  Managed managed{};
};

/// Of from_dlpack: memory of a device.
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

/// Of to_dlpack: a tensor of the array's memory at a place.
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

/// The array of a DLPack tensor (dlpack::ManagedTensor, dlpack::ManagedTensorVersioned, or those of
/// <dlpack/dlpack.h>), which it takes over: the tensor's deleter is called once, from any thread,
/// when nothing uses its memory any more, or before this returns or throws. Memory of the host that
/// is row-major without gaps is used where it is and must not change (see Array::borrow); other
/// strides are copied. Memory of a CUDA or OpenCL device is used there by programs of its target,
/// and comes to the host when it is looked at; what makes it has ended (DLPack's producers see to
/// that for the stream they are given); other strides are a ShapeError there. An OpenCL device is
/// that of `opencl:N` for device_id N, and the memory object must be a buffer of this target's
/// context, which kernels and the host may read; where the tensor does not begin at its begin, the
/// device must allow a sub-buffer: else it is a TargetError. Another rank is a ShapeError, memory
/// of another device, or of one that is not there, a TargetError, another element type, null, or a
/// version of DLPack that is not 1 an Error.
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

/// A DLPack tensor of an array's memory in the host, which comes from a device first if it is there
/// alone: the caller hands it to one consumer, or calls its deleter, which lets go of the array.
/// Consumers may read it and must not write: arrays are immutable, which only a versioned tensor
/// says. Nothing is copied. `Managed` may be dlpack::ManagedTensor, which older consumers take, or
/// a struct of <dlpack/dlpack.h>.
template <class Managed = dlpack::ManagedTensorVersioned, class T, std::size_t N>
Managed* to_dlpack(const Array<T, N>& array) {
  detail::check_lent_type<T>();
  return detail::export_tensor<Managed>(
      array, {{detail::dlpack_host, 0, const_cast<T*>(array.span().data())}, nullptr});
}

/// The same of the array's memory on a target, where it is brought first if it is not there, and
/// stays until the tensor's deleter is called, whatever else needs room: CUDA and OpenCL devices
/// (`data` is a cl_mem of the target's context, and device_id the N of `opencl:N`), and targets
/// that work in host memory; others are a TargetError. No room there is a MemoryError. Its elements
/// are there when this returns, for any stream or queue.
template <class Managed = dlpack::ManagedTensorVersioned, class T, std::size_t N>
Managed* to_dlpack(const Array<T, N>& array, const Target& target,
                   detail::Where where = detail::Where::current()) {
  detail::check_lent_type<T>();
  return detail::export_tensor<Managed>(
      array, detail::lend_dlpack(*detail::Access::host(array), target, where));
}

}  // namespace hasten
