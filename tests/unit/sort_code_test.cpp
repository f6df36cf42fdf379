// The code that sorts on devices is compiled once, and then found where it is kept.
#include "backends/c_like/sort.hpp"
#include "runtime/code_store.hpp"
#include "runtime_support.hpp"

#include <gtest/gtest.h>
#include <hasten/error.hpp>

#include <map>

namespace hasten::backends::c_like {
namespace {

class CountingDriver final : public Driver {
 public:
  [[nodiscard]] Dialect dialect() const override { return Dialect::cuda; }
  [[nodiscard]] std::string name() const override { return "counting"; }
  [[nodiscard]] std::string description() const override { return "counts"; }
  [[nodiscard]] std::string fingerprint() const override { return "counting"; }
  [[nodiscard]] bool has_double() const override { return true; }
  [[nodiscard]] std::vector<std::byte> compile(const std::string&, const CompileOptions&) override {
    ++compiled;
    return {std::byte{7}};
  }
  [[nodiscard]] std::shared_ptr<Program> load(std::span<const std::byte> bytes) override {
    ++loaded;
    if (bytes.front() != std::byte{7}) throw TargetError("no code");
    return std::make_shared<Program>();
  }
  [[nodiscard]] std::int64_t busy_groups(Program&, const char*) const override { return 1; }
  [[nodiscard]] Address allocate(std::size_t) override { return &memory; }
  void free(Address) override {}
  void write(Address, const std::byte*, std::size_t) override {}
  void read(std::byte*, Address, std::size_t) override {}
  void launch(Program&, const char*, Grid, std::span<const Argument>) override {}
  void finish() override {}

  int compiled = 0, loaded = 0;
  std::byte memory = {};
};

class OneByte final : public ScratchMemory {
 public:
  explicit OneByte(std::byte& byte) : byte_(byte) {}
  [[nodiscard]] std::byte* take(std::size_t) override { return &byte_; }

 private:
  std::byte& byte_;
};

class SortCode : public testing::Test {
 protected:
  // By a sorter of its own, as in a new process.
  void sort(const std::shared_ptr<const CodeStore>& store) {
    Sorter sorter(driver);
    sorter.keep_code_in(store);
    const core::ScalarType type[] = {core::ScalarType::u32};
    const std::byte* const keys[] = {&driver.memory};
    OneByte scratch(driver.memory);
    for (int i = 0; i < 2; ++i) sorter.sort({1, 10}, type, keys, &driver.memory, scratch);
  }

  const test::TemporaryFolder folder;
  const test::SetEnv cache{"HASTEN_CACHE_DIR", folder.path().string()};
  CountingDriver driver;
};

TEST_F(SortCode, IsCompiledOnceForAllProcesses) {
  const auto store = runtime::make_code_store("counting 1");
  sort(store);
  EXPECT_EQ(driver.compiled, 1);
  sort(store);
  sort(runtime::make_code_store("counting 1"));
  EXPECT_EQ(driver.compiled, 1);
  EXPECT_EQ(driver.loaded, 3);
}

TEST_F(SortCode, OfAnotherDeviceIsNotTaken) {
  sort(runtime::make_code_store("counting 1"));
  sort(runtime::make_code_store("counting 2"));
  EXPECT_EQ(driver.compiled, 2);
}

TEST_F(SortCode, ThatCannotBeLoadedIsMadeAgain) {
  const auto store = runtime::make_code_store("counting 1");
  const std::byte wrong[] = {std::byte{8}};
  store->store("sort", wrong);
  sort(store);
  EXPECT_EQ(driver.compiled, 1);
  sort(store);
  EXPECT_EQ(driver.compiled, 1);
}

TEST_F(SortCode, NeedsNoStore) {
  sort(nullptr);
  EXPECT_EQ(driver.compiled, 1);
}

}  // namespace
}  // namespace hasten::backends::c_like
