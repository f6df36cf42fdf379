// The code that sorts on devices is compiled once, and then found where it is kept.
#include "backends/c_like/launch/sort/sort.hpp"
#include "runtime/compile/code_store.hpp"
#include "tests/unit/devices/counting_driver.hpp"
#include "tests/unit/runtime/support.hpp"

#include <gtest/gtest.h>

namespace hasten::backends::c_like {
namespace {

class SortCode : public testing::Test {
 protected:
  // By a sorter of its own, as in a new process.
  void sort(const std::shared_ptr<const CodeStore>& store) {
    Sorter sorter(driver);
    sorter.keep_code_in(store);
    const core::ScalarType type[] = {core::ScalarType::u32};
    const std::byte* const keys[] = {&driver.memory};
    OneByte scratch(driver.memory);
    const SortedKeys to{reinterpret_cast<std::int64_t*>(&driver.memory)};
    for (int i = 0; i < 2; ++i) sorter.sort({1, 10}, type, keys, to, scratch);
  }

  // What moves elements, and what is done before and after.
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

}  // namespace
}  // namespace hasten::backends::c_like
