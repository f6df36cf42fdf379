// Constants of DLPack's interface and checks of tensors, without templates; defined in
// src/surface/public/dlpack.cpp.
#pragma once

#include <hasten/detail/host_array.hpp>
#include <hasten/detail/term.hpp>
#include <hasten/run/options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace hasten::detail {

inline constexpr std::int32_t dlpack_host = 1, dlpack_cuda = 2, dlpack_opencl = 4;
/// Whether this kind of memory is that of a target and not the host's.
constexpr bool is_dlpack_device(std::int32_t type) {
  return type == dlpack_cuda || type == dlpack_opencl;
}
inline constexpr std::uint64_t dlpack_read_only = 1;

struct DlpackType {
  std::uint8_t code, bits;
};
[[nodiscard]] DlpackType dlpack_type(ScalarType type);

/// A tensor's description of itself.
struct DlpackTensor {
  std::int32_t device_type;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  std::int32_t rank;
};
/// Throws unless the tensor has this type and rank and is in memory of the host, of a CUDA device
/// or of an OpenCL device.
void check_dlpack(const DlpackTensor& tensor, ScalarType type, std::size_t rank,
                  const Where& where);
/// Throws ShapeError unless the elements of the device's tensor are row-major without gaps.
void check_dlpack_strides(std::span<const std::int64_t> shape,
                          std::span<const std::int64_t> strides, const Where& where);
void check_dlpack_version(std::uint32_t major, std::uint32_t minor, const Where& where);
[[noreturn]] void throw_no_tensor(const Where& where);

// -- on devices, in src/runtime/lending.cpp -------------------------------------------------------

struct DlpackPlace {
  std::int32_t device_type, device_id;
  void* data;  // on OpenCL devices, a cl_mem
  std::uint64_t byte_offset = 0;
};
/// Wraps the bytes there as a component, in memory that `owner` keeps alive. Throws TargetError if
/// the target is absent or cannot use that memory.
[[nodiscard]] std::shared_ptr<Buffer> adopt_dlpack(const DlpackPlace& place, std::size_t bytes,
                                                   std::shared_ptr<void> owner, const Where& where);
/// Copies a component to the target's memory if necessary. It stays there as long as `keeper`
/// lives.
struct LentPlace {
  DlpackPlace place;
  std::shared_ptr<void> keeper;
};
[[nodiscard]] LentPlace lend_dlpack(const HostArray& array, const hasten::Target& target,
                                    const Where& where);

}  // namespace hasten::detail
