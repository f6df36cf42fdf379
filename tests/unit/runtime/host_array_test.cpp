// Host memory: alignment, padding, overflow, and its counters.
#include "support/counters.hpp"

#include <gtest/gtest.h>

#include <hasten/detail/host_array.hpp>
#include <hasten/run/error.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace hasten::detail {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(Buffers, AreAlignedAndPaddedWithZeros) {
  for (const std::size_t bytes : {0U, 1U, 63U, 64U, 65U, 1000U}) {
    const auto buffer = Buffer::allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64, 0U);
    EXPECT_EQ(buffer->size(), bytes);
    const std::size_t padded = (bytes + 63) / 64 * 64 + 64;
    for (std::size_t i = bytes; i < padded; ++i)
      ASSERT_EQ(buffer->data()[i], std::byte{0}) << bytes << " bytes, at " << i;
  }
}

TEST(Buffers, BorrowedMemoryIsReleasedOnce) {
  const std::array<float, 3> values{1, 2, 3};
  int releases = 0;
  auto buffer = Buffer::borrow(values.data(), sizeof values, [&] { ++releases; });
  EXPECT_TRUE(buffer->borrowed());
  EXPECT_EQ(static_cast<const void*>(buffer->data()), values.data());
  const auto copy = buffer;
  buffer.reset();
  EXPECT_EQ(releases, 0);
}

TEST(Buffers, AreCounted) {
  const support::Counters& counters = support::counters();
  const std::int64_t live = counters.bytes_live, total = counters.bytes_allocated;
  {
    const auto array = HostArray::allocate({1000}, {ScalarType::f32, ScalarType::i64});
    EXPECT_EQ(counters.bytes_allocated - total, 12'000);
    EXPECT_EQ(counters.bytes_live - live, 12'000);
    EXPECT_GE(counters.bytes_peak, counters.bytes_live);
  }
  EXPECT_EQ(counters.bytes_live, live);
  EXPECT_EQ(counters.bytes_allocated - total, 12'000);
}

TEST(HostArrays, HoldOneComponentPerLeaf) {
  const auto array = HostArray::allocate({2, 3}, {ScalarType::u8, ScalarType::f64});
  EXPECT_EQ(array->size(), 6);
  EXPECT_EQ(array->component(0)->size(), 6U);
  EXPECT_EQ(array->component(1)->size(), 48U);
  const auto flat = array->reshaped({6});
  EXPECT_EQ(flat->data(1), array->data(1));
  EXPECT_EQ(HostArray::allocate({}, {ScalarType::f32})->size(), 1);
  EXPECT_EQ(HostArray::allocate({0, largest}, {ScalarType::f32})->size(), 0);
}

std::string memory_error_of(std::vector<std::int64_t> shape) {
  try {
    HostArray::allocate(std::move(shape), {ScalarType::f32});
  } catch (const MemoryError& error) {
    return error.what();
  }
  return "no error";
}

TEST(HostArrays, TooLargeIsAMemoryErrorThatNamesTheSize) {
  EXPECT_NE(memory_error_of({largest}).find("EiB"), std::string::npos)
      << memory_error_of({largest});
  // The product of the extents wraps to a small number.
  EXPECT_NE(memory_error_of({std::int64_t{1} << 33, std::int64_t{1} << 33}).find("EiB"),
            std::string::npos);
  EXPECT_NE(memory_error_of({std::int64_t{1} << 48}).find("1.0 PiB"), std::string::npos)
      << memory_error_of({std::int64_t{1} << 48});
}

TEST(HostArrays, AFailedAllocationLeavesNothingBehind) {
  const std::int64_t live = support::counters().bytes_live;
  EXPECT_THROW(HostArray::allocate({std::int64_t{1} << 44}, {ScalarType::u8, ScalarType::f64}),
               MemoryError);
  EXPECT_EQ(support::counters().bytes_live, live);
}

}  // namespace
}  // namespace hasten::detail
