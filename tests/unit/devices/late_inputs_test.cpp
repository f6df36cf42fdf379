// Inputs that only a scan's last stage reads are requested after the earlier stages are enqueued.
#include "backends/late_inputs.hpp"
#include "kernels/text/parse.hpp"
#include "runtime/compile/code_store.hpp"
#include "tests/unit/devices/counting_driver.hpp"
#include "tests/unit/runtime/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hasten::backends::c_like {
namespace {

using testing::ElementsAre;

// Sums of %0, each plus the first element of %1.
const char* const scan_text = R"(kernel scan rank 1 {
  inputs i64 i64
  outputs i64
  scalars ()
  element (x0: i64) { x1 = load_linear %0.0 x0; -> x1 }
  combine (x2: i64, x3: i64) { x4 = add x2 x3; -> x4 }
  seed
  lanes reduction commutative add
  epilogue (x5: i64, x6: i64) {
    x7 = const 0 : i64
    x8 = load_linear %1.0 x7
    x9 = add x8 x6
    -> x9
  }
}
)";

class LateInputsOfLaunches : public testing::Test {
 protected:
  /// The functions of a scan of `size` elements, and "taken" where its input is requested.
  std::vector<std::string> functions(std::int64_t size) {
    const auto backend = make_c_like_backend(driver_);
    backend->keep_code_in(runtime::make_code_store("counting"));
    const auto code = backend->load(kernel_, backend->compile(kernel_, {}));
    struct Late final : LateInputs {
      explicit Late(CountingDriver& to) : driver(to) {}
      [[nodiscard]] const std::byte* take(std::size_t input) override {
        EXPECT_EQ(input, 1U);
        driver.functions.emplace_back("taken");
        return &driver.memory;
      }
      CountingDriver& driver;
    } late(*driver_);
    const std::vector<std::int64_t> extents{size};
    const std::vector<const std::byte*> inputs{&driver_->memory, nullptr};
    std::byte* const outputs[] = {&driver_->memory};
    OneByte scratch(driver_->memory);
    driver_->functions.clear();
    dynamic_cast<TakesLateInputs&>(*backend).launch_with_late(
        *code, {extents, inputs, outputs, {}, 1, size, &scratch}, late);
    return driver_->functions;
  }

  const test::TemporaryFolder folder_;
  const test::SetEnv cache_{"HASTEN_CACHE_DIR", folder_.path().string()};
  const std::shared_ptr<CountingDriver> driver_ = std::make_shared<CountingDriver>();
  const kernels::Kernel kernel_ = kernels::parse_kernel(scan_text);
};

TEST_F(LateInputsOfLaunches, AreAskedForBeforeTheLastStage) {
  driver_->kind = &Dialect::opencl;
  EXPECT_THAT(functions(1'000'000),
              ElementsAre("hasten_parts", "hasten_carries", "taken", "hasten_tiles"));
}

TEST_F(LateInputsOfLaunches, AreAskedForAtOnceWhereThereIsOneStage) {
  driver_->kind = &Dialect::opencl;
  EXPECT_THAT(functions(1000), ElementsAre("taken", "hasten_tiles"));
  driver_->kind = &Dialect::cuda;
  EXPECT_THAT(functions(1'000'000), ElementsAre("taken", testing::_, "hasten_chained"));
}

}  // namespace
}  // namespace hasten::backends::c_like
