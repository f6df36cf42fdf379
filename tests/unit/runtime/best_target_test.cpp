// The default target of programs.
#include "runtime/best_target.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hasten::runtime {
namespace {

backends::Gpu gpu(std::size_t index, double bytes_per_s) {
  backends::Gpu result{index, {}};
  if (bytes_per_s > 0) result.facts.peak_bytes_per_s = bytes_per_s;
  return result;
}

TEST(BestTarget, TheGpuWithTheFastestMemoryComesFirst) {
  const std::vector<backends::Gpu> some = {gpu(0, 5e11), gpu(1, 3e12), gpu(2, 3e12)};
  EXPECT_EQ(best_of({.cuda_gpus = some, .opencl_gpus = some, .has_cpu = true}), "cuda:1");
  EXPECT_EQ(best_of({.opencl_gpus = some, .has_cpu = true}), "opencl:1");
}

TEST(BestTarget, OfGpusThatSayNothingTheFirst) {
  const std::vector<backends::Gpu> some = {gpu(2, 0), gpu(5, 0)};
  EXPECT_EQ(best_of({.opencl_gpus = some, .has_cpu = true, .has_opencl_device = true}), "opencl:2");
}

TEST(BestTarget, WithoutGpusTheProcessor) {
  EXPECT_EQ(best_of({.has_cpu = true, .has_opencl_device = true}), "cpu");
  EXPECT_EQ(best_of({.has_opencl_device = true}), "opencl:0");
  EXPECT_EQ(best_of({}), "interpreter");
}

}  // namespace
}  // namespace hasten::runtime
