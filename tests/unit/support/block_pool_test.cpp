// Array memory: aligned, writable to the last byte, kept for reuse; and blocks that do not share
// the sets of a cache.
#include "support/block_pool.hpp"

#include "support/sanitizers.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace hasten::support {
namespace {

constexpr std::size_t large = std::size_t{4} << 20;

// Asked of the system itself, not of the pool: the pool must then keep up to half of the memory.
bool may_offer(std::size_t bytes) {
#ifdef MADV_FREE
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const one = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (one == MAP_FAILED) return false;
  const bool is_taken = madvise(one, page, MADV_FREE) == 0;
  munmap(one, page);
  return is_taken && bytes <= static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page / 2;
#else
  return static_cast<void>(bytes), false;
#endif
}

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

// Otherwise, the arrays that a grid of nine planes reads and writes would share one set of a cache.
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

// More than is kept: the system may take the pages, and the next array of the size has the rest.
TEST(BlockPool, LargestBlocksComeAgain) {
  if (watches_addresses()) GTEST_SKIP() << "each block is the system's own";
  release_pooled_blocks();
  constexpr std::size_t bytes = std::size_t{3} << 29;
  std::byte* const block = take_block(bytes);
  if (!block) GTEST_SKIP() << "a machine without so much memory";
  block[0] = block[bytes - 1] = std::byte{1};
  give_block(block, bytes);
  if (!may_offer(bytes)) GTEST_SKIP() << "the system takes no memory back, or has too little";
  EXPECT_GE(pooled_bytes(), bytes);
  EXPECT_EQ(take_block(bytes), block);
  EXPECT_EQ(pooled_bytes(), 0u);
  block[0] = block[bytes - 1] = std::byte{2};  // whatever became of the pages
  EXPECT_EQ(block[bytes - 1], std::byte{2});
  give_block(block, bytes);
  release_pooled_blocks();
  EXPECT_EQ(pooled_bytes(), 0u);
}

// What does not fit among kept blocks is the oldest of them, which comes again as well.
TEST(BlockPool, ManyLargeBlocks) {
  if (watches_addresses()) GTEST_SKIP() << "each block is the system's own";
  release_pooled_blocks();
  constexpr std::size_t bytes = std::size_t{1} << 28;
  std::set<std::byte*> blocks, again;
  for (int i = 0; i < 6; ++i) blocks.insert(take_block(bytes));
  if (blocks.contains(nullptr)) GTEST_SKIP() << "a machine without so much memory";
  for (std::byte* const block : blocks) block[0] = std::byte{1};
  for (std::byte* const block : blocks) give_block(block, bytes);
  if (!may_offer(6 * bytes)) GTEST_SKIP() << "the system takes no memory back, or has too little";
  EXPECT_GE(pooled_bytes(), 6 * bytes);
  for (int i = 0; i < 6; ++i) again.insert(take_block(bytes));
  EXPECT_EQ(again, blocks);
  for (std::byte* const block : again) give_block(block, bytes);
  release_pooled_blocks();
  EXPECT_EQ(pooled_bytes(), 0u);
}

// A loop takes in each round the block that it returned.
TEST(BlockPool, AThreadTakesTheSmallBlocksThatItGaveBack) {
  if (watches_addresses()) GTEST_SKIP() << "each block is the system's own";
  release_pooled_blocks();
  std::byte* const one = take_block(1000);
  std::byte* const other = take_block(5000);
  give_block(one, 1000);
  give_block(other, 5000);
  EXPECT_EQ(take_block(4999), other);  // equally many cache lines
  EXPECT_EQ(take_block(1000), one);
  give_block(one, 1000);
  std::byte* elsewhere = nullptr;
  std::jthread([&] { elsewhere = take_block(1000); }).join();
  EXPECT_NE(elsewhere, one);
  give_block(elsewhere, 1000);
  give_block(other, 5000);
}

// More blocks than are kept, of all sizes: no block has two owners.
TEST(BlockPool, ManySmallBlocks) {
  std::vector<std::pair<std::byte*, std::size_t>> blocks;
  for (int round = 0; round < 50; ++round) {
    for (std::size_t i = 0; i < 20; ++i) {
      const std::size_t bytes = (i * 7919 + 64) % 700'000 + 1;
      blocks.emplace_back(take_block(bytes), bytes);
      ASSERT_NE(blocks.back().first, nullptr);
      std::memset(blocks.back().first, static_cast<int>(i), bytes);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto [data, bytes] = blocks[i];
      ASSERT_EQ(data[0], static_cast<std::byte>(i));
      ASSERT_EQ(data[bytes - 1], static_cast<std::byte>(i));
      give_block(data, bytes);
    }
    blocks.clear();
  }
}

}  // namespace
}  // namespace hasten::support
