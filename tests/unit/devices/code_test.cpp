// The programs of a kernel that a launch uses, and when they are compiled.
#include "backends/c_like/text/schedule.hpp"
#include "backends/c_like/text/tiled_map.hpp"
#include "kernels/text/parse.hpp"
#include "runtime/compile/code_store.hpp"
#include "tests/unit/devices/counting_driver.hpp"
#include "tests/unit/kernels/kernel_texts.hpp"
#include "tests/unit/runtime/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace hasten::backends::c_like {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr std::int64_t large = std::int64_t{1} << 31;

const char* const map_text = R"(kernel map rank 1 {
  inputs f32
  outputs f32
  scalars ()
  element (x0: i64) { x1 = load_linear %0.0 x0; -> x1 }
}
)";

const char* const product_text = R"(kernel fold rank 3 {
  inputs f32 f32
  outputs f32
  scalars (x0: i64, x1: i64)
  element (x2: i64, x3: i64, x4: i64) {
    x5 = mul x2 x0
    x6 = add x5 x4
    x7 = load_linear %0.0 x6
    x8 = mul x4 x1
    x9 = add x8 x3
    x10 = load_linear %1.0 x9
    x11 = mul x7 x10
    -> x11
  }
  combine (x12: f32, x13: f32) { x14 = add x12 x13; -> x14 }
  seed
  lanes outer commutative add
  epilogue (x15: i64, x16: i64, x17: f32) { -> x17 }
}
)";

// in[i - 1, j] - in[i, j + 2], at clamped indices: x0 rows, x1 columns.
const char* const stencil_text = R"(kernel map rank 2 {
  inputs f32
  outputs f32
  scalars (x0: i64, x1: i64)
  element (x2: i64, x3: i64) {
    x4 = const -1 : i64
    x5 = const 0 : i64
    x6 = const 2 : i64
    x7 = add x2 x4
    x8 = max x7 x5
    x9 = mul x8 x1
    x10 = add x9 x3
    x11 = load_linear %0.0 x10
    x12 = add x3 x6
    x13 = add x1 x4
    x14 = min x12 x13
    x15 = mul x2 x1
    x16 = add x15 x14
    x17 = load_linear %0.0 x16
    x18 = sub x11 x17
    -> x18
  }
}
)";

const char* const scatter_text = R"(kernel scatter rank 1 {
  inputs f32
  outputs f32
  scalars ()
  element (x0: i64) {
    x1 = const true : bool
    x2 = load_linear %0.0 x0
    -> x1, x0, x2
  }
  combine (x3: f32, x4: f32) { x5 = add x3 x4; -> x5 }
}
)";

class DeviceCode : public testing::Test {
 protected:
  // Resets the state, as in a new process.
  void start() {
    backend_ = make_c_like_backend(driver);
    backend_->keep_code_in(runtime::make_code_store("counting"));
  }
  std::shared_ptr<const Code> load(const CompileOptions& options = {}) {
    bytes_ = backend_->compile(kernel, options);
    return load_again();
  }
  std::shared_ptr<const Code> load_again() { return backend_->load(kernel, bytes_); }
  void launch(const Code& code, std::vector<std::int64_t> extents, std::int64_t largest) {
    const std::vector<const std::byte*> inputs(kernel.inputs.size(), &driver->memory);
    std::byte* const outputs[] = {&driver->memory};
    const std::vector<std::uint64_t> scalars(kernel.scalars.size(), 1000);
    driver->functions.clear();
    OneByte scratch(driver->memory);
    backend_->launch(code, {extents, inputs, outputs, scalars, 1, largest, &scratch});
  }

  const test::TemporaryFolder folder;
  const test::SetEnv cache{"HASTEN_CACHE_DIR", folder.path().string()};
  const std::shared_ptr<CountingDriver> driver = std::make_shared<CountingDriver>();
  kernels::Kernel kernel = kernels::parse_kernel(map_text);

 private:
  std::shared_ptr<Backend> backend_;
  std::vector<std::byte> bytes_;
};

TEST_F(DeviceCode, IsWideWhereALaunchNeedsIt) {
  start();
  const auto code = load({.contract = true, .fast_math = false, .own_math = false});
  launch(*code, {10}, 10);
  EXPECT_EQ(driver->compiled, 1);
  EXPECT_EQ(driver->last_number_bytes, 4U);
  for (int i = 0; i < 2; ++i) {
    launch(*code, {10}, large);
    EXPECT_EQ(driver->compiled, 2);
    EXPECT_EQ(driver->last_number_bytes, 8U);
  }
  EXPECT_THAT(driver->last_text, HasSubstr("typedef i64 ix;"));
  EXPECT_TRUE(driver->last_options.contract);
  EXPECT_FALSE(driver->last_options.fast_math);
  launch(*code, {large}, 10);
  EXPECT_EQ(driver->last_number_bytes, 8U);
  EXPECT_EQ(driver->compiled, 2);
}

TEST_F(DeviceCode, OfLargeLaunchesIsKept) {
  start();
  launch(*load(), {10}, large);
  EXPECT_EQ(driver->compiled, 2);
  start();
  launch(*load_again(), {10}, large);
  EXPECT_EQ(driver->compiled, 2);
}

TEST_F(DeviceCode, FollowsTheLimit) {
  const test::SetEnv limit{"HASTEN_INDEX_LIMIT", "100"};
  start();
  const auto code = load();
  launch(*code, {100}, 100);
  EXPECT_EQ(driver->compiled, 1);
  launch(*code, {101}, 100);
  EXPECT_EQ(driver->compiled, 2);
}

TEST_F(DeviceCode, OfNeighbourhoodsIsMadeForLargeOnes) {
  kernel = kernels::parse_kernel(stencil_text);
  start();
  const auto code = load();
  launch(*code, {1000, 1000}, 1000000);
  EXPECT_THAT(driver->functions, ElementsAre("hasten_tiled"));
  EXPECT_EQ(driver->compiled, 1);
  launch(*code, {100, 1000}, 100000);
  EXPECT_THAT(driver->functions, ElementsAre("hasten_map"));
  EXPECT_EQ(driver->compiled, 2);
  launch(*code, {1000, 1000}, large);
  EXPECT_EQ(driver->compiled, 3);
  launch(*code, {100000, 10}, 1000000);  // tiles would be mostly empty
  EXPECT_THAT(driver->functions, ElementsAre("hasten_map"));
}

TEST_F(DeviceCode, OfNeighbourhoodsLeavesBordersOut) {
  kernel = kernels::parse_kernel(stencil_text);
  const TiledMap map = tiled_map(kernel, interior_rows(kernel));
  EXPECT_EQ(map.high, 8);
  EXPECT_THAT(interior_of(map.kernel, std::vector<std::int64_t>{90, 70},
                          std::vector<std::uint64_t>{90, 70}),
              ElementsAre(1, 90, 0, 68));
  EXPECT_THAT(
      interior_of(map.kernel, std::vector<std::int64_t>{1, 1}, std::vector<std::uint64_t>{1, 1}),
      ElementsAre(1, 1, 0, 0));
  EXPECT_EQ(interior_rows(kernels::parse_kernel(map_text)), 0);
  EXPECT_EQ(interior_rows(kernels::parse_kernel(product_text)), 0);
}

TEST_F(DeviceCode, OfContractionsIsMadeForLargeOnes) {
  kernel = kernels::parse_kernel(product_text);
  start();
  const auto code = load();
  launch(*code, {1000, 1000, 1000}, 1000000);
  EXPECT_EQ(driver->compiled, 1);
  EXPECT_THAT(driver->functions, ElementsAre("hasten_contraction"));
  launch(*code, {10, 10, 1000}, 10000);
  EXPECT_EQ(driver->compiled, 2);
  EXPECT_THAT(driver->functions, Each("hasten_fold"));
  launch(*code, {1000, 1000, 1000}, large);
  EXPECT_EQ(driver->compiled, 3);
}

TEST_F(DeviceCode, OfSegmentsFollowsTheMeanLength) {
  kernel = kernels::parse_kernel(test::segments_kernel);
  start();
  const auto code = load();
  launch(*code, {10, 200}, 200);  // none can be long
  EXPECT_THAT(driver->functions, ElementsAre("hasten_fold"));
  EXPECT_EQ(driver->compiled, 1);
  launch(*code, {1000, 8000}, 8000);
  EXPECT_THAT(driver->functions, ElementsAre("hasten_long_segments", "hasten_fold"));
  launch(*code, {1000, 3000000}, 3000000);  // one group each
  EXPECT_THAT(driver->functions, ElementsAre("hasten_fold"));
  launch(*code, {2, 1000000}, 1000000);  // many groups each
  EXPECT_THAT(driver->functions, ElementsAre("hasten_fold", "hasten_fold"));
  launch(*code, {1 << 20, 1 << 20}, 1 << 20);  // no index space has so many elements
  EXPECT_EQ(driver->compiled, 2);
}

// 257 updates: a target may have a long run.
TEST_F(DeviceCode, OfAScatterInOrderIsAProgramForEachFunction) {
  kernel = kernels::parse_kernel(scatter_text);
  start();
  const auto code = load();
  EXPECT_THAT(driver->texts, ElementsAre(HasSubstr("hasten_scatter")));
  launch(*code, {257}, 257);
  const auto compiled = driver->compiled;
  std::vector<std::string> own;  // the sort's programs have several functions
  std::ranges::copy_if(driver->texts, std::back_inserter(own), [](const std::string& text) {
    return text.find("KERNEL sort_") == std::string::npos;
  });
  EXPECT_THAT(own, UnorderedElementsAre(HasSubstr("hasten_scatter"), HasSubstr("hasten_finish"),
                                        HasSubstr("hasten_long")));
  for (const std::string& text : own) {
    const std::size_t first = text.find("\nKERNEL ");
    EXPECT_EQ(text.find("\nKERNEL ", first + 1), std::string::npos) << text;
  }
  EXPECT_THAT(driver->functions, Contains("hasten_long"));
  launch(*code, {257}, 257);
  EXPECT_EQ(driver->compiled, compiled);
}

TEST_F(DeviceCode, ThatCannotBeMadeIsAnErrorOfTheLaunch) {
  kernel = kernels::parse_kernel(scatter_text);
  start();
  const auto code = load();
  driver->refuses = "hasten_finish";
  EXPECT_THROW(launch(*code, {257}, 257), InternalError);
  driver->refuses = nullptr;
  launch(*code, {257}, 257);
  EXPECT_THAT(driver->functions, Contains("hasten_finish"));
}

TEST_F(DeviceCode, OfAnotherFunctionIsKept) {
  kernel = kernels::parse_kernel(product_text);
  start();
  launch(*load(), {10, 10, 1000}, 10000);
  EXPECT_EQ(driver->compiled, 2);
  start();
  launch(*load_again(), {10, 10, 1000}, 10000);
  EXPECT_EQ(driver->compiled, 2);
}

TEST_F(DeviceCode, HasTheUnitsOfItsDialect) {
  const auto modules = [](const char* text, const Dialect& dialect) {
    const kernels::Kernel kernel = kernels::parse_kernel(text);
    return modules_of(kernel, choose_schedule(kernel), dialect);
  };
  EXPECT_THAT(modules(map_text, Dialect::cuda), ElementsAre(entry::flat));
  EXPECT_THAT(modules(stencil_text, Dialect::cuda), ElementsAre(entry::tiled, entry::map));
  EXPECT_THAT(modules(product_text, Dialect::cuda), ElementsAre(entry::contraction, entry::fold));
  EXPECT_THAT(modules(test::segments_kernel, Dialect::cuda),
              ElementsAre(entry::fold, entry::long_segments));
  EXPECT_THAT(modules(scatter_text, Dialect::cuda),
              ElementsAre(entry::scatter, entry::finish, entry::long_runs));
  EXPECT_THAT(modules(scatter_text, Dialect::opencl), ElementsAre(main_module));
  EXPECT_THAT(modules(product_text, Dialect::opencl), ElementsAre(main_module, entry::contraction));
  EXPECT_THAT(modules(stencil_text, Dialect::opencl), ElementsAre(main_module, entry::tiled));
}

}  // namespace
}  // namespace hasten::backends::c_like
