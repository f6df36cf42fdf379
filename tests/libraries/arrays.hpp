// Converts arrays of the language to a library's structs, and compares both. `Struct` is the
// library's.
#pragma once

#include <gtest/gtest.h>

#include <hasten/hasten.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace library_programs {

/// Borrows an array's memory.
template <class Struct>
Struct borrowed_as(const hasten::detail::HostArray& host) {
  Struct out{};
  out.rank = static_cast<int32_t>(host.shape().size());
  out.components = static_cast<int32_t>(host.leaves().size());
  std::copy(host.shape().begin(), host.shape().end(), out.extents);
  for (std::size_t leaf = 0; leaf < host.leaves().size(); ++leaf) {
    out.types[leaf] = static_cast<int32_t>(host.leaves()[leaf]);
    out.data[leaf] = host.data(leaf);
  }
  return out;
}

/// The same bits, extents and types, aligned to 64 bytes.
template <class Struct>
void expect_same(const hasten::detail::HostArray& host, const Struct& got,
                 const std::string& what) {
  ASSERT_EQ(got.rank, static_cast<int32_t>(host.shape().size())) << what;
  ASSERT_EQ(got.components, static_cast<int32_t>(host.leaves().size())) << what;
  for (int32_t axis = 0; axis < got.rank; ++axis)
    ASSERT_EQ(got.extents[axis], host.shape()[static_cast<std::size_t>(axis)]) << what;
  for (std::size_t leaf = 0; leaf < host.leaves().size(); ++leaf) {
    const std::size_t size = hasten::detail::size_in_bytes(host.leaves()[leaf]);
    const auto* const wanted = reinterpret_cast<const unsigned char*>(host.data(leaf));
    const auto* const bytes = static_cast<const unsigned char*>(got.data[leaf]);
    EXPECT_EQ(got.types[leaf], static_cast<int32_t>(host.leaves()[leaf])) << what;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes) % 64, 0U) << what;
    const auto end = wanted + static_cast<std::size_t>(host.size()) * size;
    const auto at = std::mismatch(wanted, end, bytes).first;
    EXPECT_TRUE(at == end) << what << ", leaf " << leaf << ": other bits at element "
                           << static_cast<std::size_t>(at - wanted) / size;
  }
}

}  // namespace library_programs
