// Memory of arrays: aligned, whole, kept for reuse; and blocks that do not share the sets of a
// cache.
#include "support/block_pool.hpp"

#include "support/sanitizers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace hasten::support {
namespace {

constexpr std::size_t large = std::size_t{4} << 20;

std::uintptr_t address_of(const std::byte* data) { return reinterpret_cast<std::uintptr_t>(data); }

TEST(BlockPool, BlocksAreAlignedAndWritableToTheLastByte) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4097},
                                  (std::size_t{1} << 20) + 1, large, 5 * large - 1}) {
    std::byte* const block = take_block(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(address_of(block) % 64, 0u);
    for (std::size_t i = 0; i < bytes; i += 4096) block[i] = std::byte{1};
    if (bytes > 0) block[bytes - 1] = std::byte{1};
    give_block(block, bytes);
  }
}

// As many arrays as a grid of nine planes reads and writes would else be in one set of a cache.
TEST(BlockPool, LargeBlocksBeginAtDifferentPlacesOfTheirPages) {
  if (watches_addresses()) GTEST_SKIP() << "under AddressSanitizer each block is the system's own";
  std::vector<std::byte*> blocks(16);
  std::set<std::uintptr_t> places;
  for (std::byte*& block : blocks) {
    block = take_block(large);
    ASSERT_NE(block, nullptr);
    places.insert(address_of(block) % 4096);
  }
  EXPECT_GE(places.size(), 8u);
  for (std::byte* block : blocks) give_block(block, large);
}

TEST(BlockPool, ReleasesWhatItKeeps) {
  give_block(take_block(large), large);
  release_pooled_blocks();
  EXPECT_EQ(pooled_bytes(), 0u);
}

}  // namespace
}  // namespace hasten::support
