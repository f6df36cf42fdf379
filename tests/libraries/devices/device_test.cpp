// Entries that run on a device have the bits of their programs on that device in this process.
#include "device_programs.hpp"
#include "tests/libraries/arrays.hpp"
#include "tests/libraries/programs.hpp"
#include "tests/support/promise.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace {

using namespace library_programs;

struct Device {
  const char* name;
  device_programs_target target;
  hs::Target (*in_process)(int);
};
void PrintTo(const Device& device, std::ostream* out) { *out << device.name; }

constexpr std::int64_t sizes[] = {0, 1, 31, 997, 70001};

class DeviceLibraries : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    options_.target = GetParam().target;
    const device_programs_status status = device_programs_create_context(&context_, &options_);
    if (status == DEVICE_PROGRAMS_OK) return;
    ASSERT_EQ(status, DEVICE_PROGRAMS_TARGET_ERROR) << device_programs_last_error();
    ASSERT_FALSE(hasten::test::is_promised(GetParam().name)) << device_programs_last_error();
    GTEST_SKIP() << "skipped: " << device_programs_last_error();
  }
  void TearDown() override { device_programs_free_context(context_); }

  [[nodiscard]] static hs::Options here(hs::Checks checks = hs::Checks::none) {
    return {.target = GetParam().in_process(0), .checks = checks};
  }
  hs::Vector<float> vector(std::int64_t n) {
    std::uniform_real_distribution<float> any(-1, 1);
    std::vector<float> list(static_cast<std::size_t>(n));
    for (float& x : list) x = any(random_);
    return {hs::Ix{n}, list};
  }

  // `call` receives the context and the place of the result.
  template <class A, class F>
  void expect(const A& expected, const std::string& what, F call) {
    device_programs_array got{};
    ASSERT_EQ(call(context_, &got), DEVICE_PROGRAMS_OK) << device_programs_last_error();
    expect_same(*hs::detail::Access::host(expected), got, what);
    EXPECT_EQ(device_programs_free_array(&got), DEVICE_PROGRAMS_OK);
  }

  std::mt19937 random_{7};
  device_programs_options options_{};
  device_programs_context* context_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(On, DeviceLibraries,
                         testing::Values(Device{"opencl", DEVICE_PROGRAMS_OPENCL, hs::opencl},
                                         Device{"cuda", DEVICE_PROGRAMS_CUDA, hs::cuda}),
                         [](const auto& device) { return std::string(device.param.name); });

template <class A>
device_programs_array of(const A& array) {
  return borrowed_as<device_programs_array>(*hs::detail::Access::host(array));
}

TEST_P(DeviceLibraries, VectorsHaveTheSameBits) {
  const auto dot = hs::compile(programs::dotp, here());
  const auto keep = hs::compile(positive, here());
  const auto sort = hs::compile(sorted, here());
  const auto join = hs::compile(joined, here());
  for (const std::int64_t n : sizes) {
    const auto xs = vector(n), ys = vector(n);
    const auto x = of(xs), y = of(ys);
    const std::string what = std::to_string(n);
    expect(dot(xs, ys), "dot of " + what,
           [&](auto* context, auto* to) { return device_programs_dot(context, &x, &y, to); });
    expect(keep(xs), "filter of " + what,
           [&](auto* context, auto* to) { return device_programs_positive(context, &x, to); });
    expect(sort(xs), "sort of " + what,
           [&](auto* context, auto* to) { return device_programs_sorted(context, &x, to); });
    expect(join(xs, ys), "loops of " + what,
           [&](auto* context, auto* to) { return device_programs_joined(context, &x, &y, to); });
  }
}

TEST_P(DeviceLibraries, MatricesHaveTheSameBits) {
  const auto blur = hs::compile(programs::blurred, here());
  const auto multiply = hs::compile(product, here());
  for (const auto& [rows, columns] : {std::pair{0, 3}, {1, 1}, {7, 131}, {150, 130}}) {
    const auto make = [&](std::int64_t height, std::int64_t width) {
      const auto list = vector(height * width);
      return hs::Matrix<float>(hs::Ix{height, width}, std::vector<float>(list.begin(), list.end()));
    };
    const auto image = make(rows, columns), other = make(columns, 61);
    const auto a = of(image), b = of(other);
    const std::string what = std::to_string(rows) + " x " + std::to_string(columns);
    expect(blur(image), "blur of " + what,
           [&](auto* context, auto* to) { return device_programs_blurred(context, &a, to); });
    expect(multiply(image, other), "product of " + what,
           [&](auto* context, auto* to) { return device_programs_product(context, &a, &b, to); });
  }
}

// Branches, loops, numbers, and an array of the exporting process.
TEST_P(DeviceLibraries, LoopsAndNumbersHaveTheSameBits) {
  const auto f = hs::compile(relaxed, here());
  const auto xs = vector(500);
  const auto x = of(xs);
  for (const bool doubled : {false, true}) {
    const auto [expected, size, total] = f(xs, 5, doubled);
    device_programs_array got{};
    std::int64_t got_size = 0;
    float got_total = 0;
    ASSERT_EQ(device_programs_relaxed(context_, &x, 5, doubled, &got, &got_size, &got_total),
              DEVICE_PROGRAMS_OK)
        << device_programs_last_error();
    expect_same(*hs::detail::Access::host(expected), got, "relaxed");
    EXPECT_EQ(got_size, size);
    EXPECT_EQ(got_total, total);
    device_programs_free_array(&got);
  }
  const auto g = hs::compile(running_counts, here());
  const hs::Vector<std::uint8_t> keys{1, 2, 3, 9, 200, 7, 7, 1};
  const auto k = of(keys);
  expect(g(keys), "running counts",
         [&](auto* context, auto* to) { return device_programs_running_counts(context, &k, to); });
}

TEST_P(DeviceLibraries, ResultsGoToTheCallersMemoryAndOutliveContexts) {
  const std::vector<float> x{3, -1, 2}, y{0, 5, 1};
  const auto a = device_programs_f32_1(x.data(), 3), b = device_programs_f32_1(y.data(), 3);
  float place = 0;
  device_programs_array to{};
  to.components = 1;
  to.types[0] = DEVICE_PROGRAMS_F32;
  to.data[0] = &place;
  ASSERT_EQ(device_programs_dot(context_, &a, &b, &to), DEVICE_PROGRAMS_OK)
      << device_programs_last_error();
  EXPECT_EQ(place, -3);
  device_programs_array kept{};
  ASSERT_EQ(device_programs_sorted(context_, &a, &kept), DEVICE_PROGRAMS_OK);
  ASSERT_EQ(device_programs_free_context(context_), DEVICE_PROGRAMS_OK);
  context_ = nullptr;
  EXPECT_EQ(static_cast<const float*>(kept.data[0])[2], 3);
  EXPECT_EQ(device_programs_free_array(&kept), DEVICE_PROGRAMS_OK);
}

TEST_P(DeviceLibraries, FailedChecksAreErrors) {
  const std::vector<std::int32_t> x{6, 7};
  const auto a = device_programs_i32_1(x.data(), 2);
  device_programs_array got{};
  ASSERT_EQ(device_programs_divided(context_, &a, 2, &got), DEVICE_PROGRAMS_OK)
      << device_programs_last_error();
  EXPECT_EQ(static_cast<const std::int32_t*>(got.data[0])[1], 3);
  device_programs_free_array(&got);
  EXPECT_EQ(device_programs_divided(context_, &a, 0, &got), DEVICE_PROGRAMS_ARITHMETIC_ERROR);
}

// -- what is chosen -------------------------------------------------------------------------------

device_programs_status opened(device_programs_options options) {
  device_programs_context* context = nullptr;
  const device_programs_status status = device_programs_create_context(&context, &options);
  device_programs_free_context(context);
  return status;
}

TEST(DeviceLibraryOptions, NameTheProcessorADeviceOrNothing) {
  EXPECT_EQ(opened({}), DEVICE_PROGRAMS_OK);
  device_programs_options options{};
  options.target = DEVICE_PROGRAMS_PROCESSOR;
  EXPECT_EQ(opened(options), DEVICE_PROGRAMS_OK);
  options.device = 1;
  EXPECT_EQ(opened(options), DEVICE_PROGRAMS_INVALID_ARGUMENT);
  options.target = 4;
  EXPECT_EQ(opened(options), DEVICE_PROGRAMS_INVALID_ARGUMENT);
  options.target = DEVICE_PROGRAMS_OPENCL;
  options.device = -1;
  EXPECT_EQ(opened(options), DEVICE_PROGRAMS_INVALID_ARGUMENT);
  options.device = 0;
  options.level = DEVICE_PROGRAMS_BASELINE;
  EXPECT_EQ(opened(options), DEVICE_PROGRAMS_INVALID_ARGUMENT);
}

TEST(DeviceLibraryOptions, DevicesThatAreNotThereAreSaid) {
  for (const auto target : {DEVICE_PROGRAMS_OPENCL, DEVICE_PROGRAMS_CUDA}) {
    device_programs_options options{};
    options.target = target;
    options.device = 99;
    EXPECT_EQ(opened(options), DEVICE_PROGRAMS_TARGET_ERROR);
    const std::string text = device_programs_last_error();
    EXPECT_NE(text.find(":99"), std::string::npos) << text;
  }
}

}  // namespace
