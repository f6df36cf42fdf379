// Facts of DLPack's interface and checks of tensors, without templates: in
// src/surface/public/dlpack.cpp.
#pragma once

#include <hasten/detail/term.hpp>

#include <cstddef>
#include <cstdint>

namespace hasten::detail {

inline constexpr std::int32_t dlpack_host = 1;
inline constexpr std::uint64_t dlpack_read_only = 1;

struct DlpackType {
  std::uint8_t code, bits;
};
[[nodiscard]] DlpackType dlpack_type(ScalarType type);

/// What a tensor says of itself.
struct DlpackTensor {
  std::int32_t device_type;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  std::int32_t rank;
};
/// Throws unless it is of this type and rank, and in memory of the host.
void check_dlpack(const DlpackTensor& tensor, ScalarType type, std::size_t rank,
                  const Where& where);
void check_dlpack_version(std::uint32_t major, std::uint32_t minor, const Where& where);
[[noreturn]] void throw_no_tensor(const Where& where);

}  // namespace hasten::detail
