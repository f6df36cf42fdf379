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

namespace hasten::dlpack {

/// Where the memory is: 1 stands for the host's.
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

/// DLTensor: strides are in elements, null for row-major without gaps.
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
  std::array<std::int64_t, N + 1> shape{}, strides{};
  Managed managed{};
};

}  // namespace hasten::detail

namespace hasten {

/// The array of a DLPack tensor (dlpack::ManagedTensor, dlpack::ManagedTensorVersioned, or those of
/// <dlpack/dlpack.h>), which it takes over: the tensor's deleter is called once, from any thread,
/// when nothing uses its memory any more, or before this returns or throws. Memory of the host that
/// is row-major without gaps is used where it is and must not change (see Array::borrow); other
/// strides are copied. Another rank is a ShapeError, memory of a device a TargetError, another
/// element type, null, or a version of DLPack that is not 1 an Error.
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
  static_assert(detail::Leaf<T>,
                "hasten::to_dlpack: DLPack knows numbers and bool; give each component of a "
                "compound type by itself");
  using Exported = detail::ExportedTensor<T, N, Managed>;
  auto exported = std::make_unique<Exported>(Exported{array});
  const Ix<N> shape = array.shape();
  for (std::size_t k = 0; k < N; ++k) {
    exported->shape[k] = shape[k];
    exported->strides[k] = detail::row_major_stride({shape.begin(), N}, k);
  }
  Managed& managed = exported->managed;
  auto& tensor = managed.dl_tensor;
  tensor.data = const_cast<T*>(exported->array.span().data());
  tensor.device = {static_cast<decltype(tensor.device.device_type)>(detail::dlpack_host), 0};
  tensor.ndim = static_cast<std::int32_t>(N);
  const detail::DlpackType type = detail::dlpack_type(detail::LeafOf<T>::value);
  tensor.dtype = {type.code, type.bits, 1};
  tensor.shape = exported->shape.data();
  tensor.strides = exported->strides.data();
  managed.manager_ctx = exported.get();
  managed.deleter = [](Managed* self) { delete static_cast<Exported*>(self->manager_ctx); };
  if constexpr (detail::has_dlpack_version<Managed>) {
    managed.version = {1, 0};
    managed.flags = detail::dlpack_read_only;
  }
  return &exported.release()->managed;
}

}  // namespace hasten
