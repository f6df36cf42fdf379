// The code that sorts on devices is compiled once, and then found in the store.
#include "backends/c_like/launch/sort/sort.hpp"
#include "runtime/compile/code_store.hpp"
#include "tests/unit/devices/counting_driver.hpp"
#include "tests/unit/runtime/support.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hasten::backends::c_like {
namespace {

class SortCode : public testing::Test {
 protected:
  // Uses a new sorter, as in a new process.
  void sort(const std::shared_ptr<const CodeStore>& store) {
    Sorter sorter(driver);
    sorter.keep_code_in(store);
    const core::ScalarType type[] = {core::ScalarType::u32};
    const std::byte* const keys[] = {&driver.memory};
    OneByte scratch(driver.memory);
    const SortedKeys to{reinterpret_cast<std::int64_t*>(&driver.memory)};
    for (int i = 0; i < 2; ++i) sorter.sort({1, 10}, type, keys, to, scratch);
  }

  // one that moves elements, one for the work before and after
  static constexpr int programs = 2;

  const test::TemporaryFolder folder;
  const test::SetEnv cache{"HASTEN_CACHE_DIR", folder.path().string()};
  CountingDriver driver;
};

TEST_F(SortCode, IsCompiledOnceForAllProcesses) {
  const auto store = runtime::make_code_store("counting 1");
  sort(store);
  EXPECT_EQ(driver.compiled, programs);
  sort(store);
  sort(runtime::make_code_store("counting 1"));
  EXPECT_EQ(driver.compiled, programs);
  EXPECT_EQ(driver.loaded, 3 * programs);
}

TEST_F(SortCode, OfAnotherDeviceIsNotTaken) {
  sort(runtime::make_code_store("counting 1"));
  sort(runtime::make_code_store("counting 2"));
  EXPECT_EQ(driver.compiled, 2 * programs);
}

TEST_F(SortCode, ThatCannotBeLoadedIsMadeAgain) {
  const auto store = runtime::make_code_store("counting 1");
  const std::byte wrong[] = {std::byte{8}};
  store->store("sort-ends-4", wrong);
  sort(store);
  EXPECT_EQ(driver.compiled, programs);
  sort(store);
  EXPECT_EQ(driver.compiled, programs);
}

TEST_F(SortCode, NeedsNoStore) {
  sort(nullptr);
  EXPECT_EQ(driver.compiled, programs);
}

// The memory that a sort requests besides the keys and the results, on a device with little room.
class CountedScratch final : public ScratchMemory {
 public:
  explicit CountedScratch(std::byte& byte) : byte_(byte) {}
  [[nodiscard]] std::byte* take(std::size_t bytes) override {
    taken += bytes;
    return &byte_;
  }
  std::size_t taken = 0;

 private:
  std::byte& byte_;
};

TEST(SortMemory, IsAsWideAsWhatMoves) {
  constexpr std::int64_t n = 1 << 20;
  using core::ScalarType;
  struct Case {
    ScalarType type;
    std::vector<std::size_t> carried;  // bytes; the first are the keys, if `keeps_keys`
    bool keeps_keys, has_positions;
    std::size_t bytes;  // of an element, at most
  };
  const Case cases[] = {
      {ScalarType::u32, {4}, true, false, 4},          // keys alone
      {ScalarType::u32, {4}, false, false, 12},        // and one value: keys twice, a value once
      {ScalarType::u8, {4}, false, false, 6},          // numbers of ranges
      {ScalarType::u64, {8}, true, false, 8},          //
      {ScalarType::u32, {4, 8, 2}, false, false, 16},  // by places of 32 bits
      {ScalarType::u32, {}, false, true, 16},
  };
  for (const Dialect* const dialect : {&Dialect::cuda, &Dialect::opencl})
    for (const Case& each : cases) {
      SCOPED_TRACE(testing::Message() << "key " << static_cast<int>(each.type) << ", "
                                      << each.carried.size() << " carried");
      CountingDriver driver;
      driver.kind = dialect;
      CountedScratch scratch(driver.memory);
      const std::byte* const keys[] = {&driver.memory};
      SortedKeys to;
      if (each.has_positions) to.positions = reinterpret_cast<std::int64_t*>(&driver.memory);
      std::byte other{};
      for (const std::size_t bytes : each.carried)
        to.carried.push_back(
            {bytes, to.carried.empty() && each.keeps_keys ? keys[0] : &other, &driver.memory});
      Sorter(driver).sort({1, n}, {&each.type, 1}, keys, to, scratch);
      constexpr std::size_t counts = 2;  // of tiles
      EXPECT_LE(scratch.taken, n * (each.bytes + counts));
    }
}

}  // namespace
}  // namespace hasten::backends::c_like
