// The keys of a sort: components that are compared in their order.
#pragma once

#include <hasten/detail/scalar_type.hpp>
#include <hasten/run/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hasten::backends::cpu {

/// Calls f with a typed pointer to the component's keys from element `first` on.
template <class F>
auto with_keys(detail::ScalarType type, const std::byte* data, std::int64_t first, F f) {
  using detail::ScalarType;
  const auto as = [&]<class T>(T*) { return f(reinterpret_cast<const T*>(data) + first); };
  switch (type) {
    case ScalarType::boolean:
    case ScalarType::u8: return as(static_cast<std::uint8_t*>(nullptr));
    case ScalarType::u16: return as(static_cast<std::uint16_t*>(nullptr));
    case ScalarType::u32: return as(static_cast<std::uint32_t*>(nullptr));
    case ScalarType::u64: return as(static_cast<std::uint64_t*>(nullptr));
    default: throw InternalError("sort: keys of a signed or floating type");
  }
}

struct Keys {
  std::span<const detail::ScalarType> types;
  std::span<const std::byte* const> data;
};

/// Negative, zero or positive, if the key at a is before, equal to or after the one at b, both
/// counted from element `first` on.
inline int compare(const Keys& keys, std::int64_t first, std::int64_t a, std::int64_t b) {
  for (std::size_t leaf = 0; leaf < keys.types.size(); ++leaf) {
    const int order = with_keys(keys.types[leaf], keys.data[leaf], first, [=](const auto* row) {
      return static_cast<int>(row[a] > row[b]) - static_cast<int>(row[a] < row[b]);
    });
    if (order != 0) return order;
  }
  return 0;
}

/// Whether position a is before b: by their keys, and by position if these are equal.
inline bool is_before(const Keys& keys, std::int64_t first, std::int64_t a, std::int64_t b) {
  const int order = compare(keys, first, a, b);
  return order != 0 ? order < 0 : a < b;
}

}  // namespace hasten::backends::cpu
