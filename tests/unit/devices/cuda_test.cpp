// The parts of the CUDA target that need no device: occupancy, block sizes, the libraries, the
// compiler.
#include "backends/c_like/launch/sort/sort.hpp"
#include "backends/cuda/api/library.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/nvrtc.hpp"
#include "backends/cuda/occupancy.hpp"

#include <gtest/gtest.h>
#include <hasten/run/error.hpp>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace hasten::backends::cuda {
namespace {

// Blocks of 256 threads by the toolkit's cuda_occupancy.h (13.0), with the largest share of on-chip
// memory for blocks.
TEST(CudaOccupancy, IsThatOfTheToolkitsCalculator) {
  constexpr FunctionUse uses[] = {{22, 0},     {64, 0},     {65, 0},    {96, 0},
                                  {128, 0},    {200, 0},    {255, 0},   {22, 1032},
                                  {22, 16384}, {22, 40000}, {40, 8192}, {22, 49152}};
  struct Row {
    Multiprocessor has;
    std::int64_t blocks[12];
  };
  static_assert(std::size(uses) == std::size(Row{}.blocks));
  constexpr Row rows[] = {
      {{7, 1024, 16, 65536, 65536, 0}, {4, 4, 3, 2, 2, 1, 1, 4, 4, 1, 4, 1}},
      {{8, 2048, 32, 65536, 167936, 1024}, {8, 4, 3, 2, 2, 1, 1, 8, 8, 4, 6, 3}},
      {{8, 1536, 16, 65536, 102400, 1024}, {6, 4, 3, 2, 2, 1, 1, 6, 5, 2, 6, 2}},
      {{9, 2048, 32, 65536, 233472, 1024}, {8, 4, 3, 2, 2, 1, 1, 8, 8, 5, 6, 4}},
  };
  for (const Row& row : rows)
    for (std::size_t i = 0; i < std::size(uses); ++i)
      EXPECT_EQ(blocks_per_multiprocessor(row.has, uses[i], 256), row.blocks[i])
          << row.has.major << ": " << uses[i].registers << ", " << uses[i].shared_bytes;
}

TEST(CudaOccupancy, WhatDoesNotFitDoesNotRun) {
  constexpr Multiprocessor hopper = {9, 2048, 32, 65536, 233472, 1024};
  EXPECT_EQ(blocks_per_multiprocessor(hopper, {257, 0}, 32), 0);
  EXPECT_EQ(blocks_per_multiprocessor(hopper, {255, 0}, 1024), 0);
  EXPECT_EQ(blocks_per_multiprocessor(hopper, {32, 233472}, 32), 0);
  EXPECT_EQ(blocks_per_multiprocessor(hopper, {32, 0}, 32), 32);
}

TEST(CudaLibrary, SaysWhatIsWrongWithAFile) {
  const Library absent = open_library({"/no/such/libcuda.so.1"});
  EXPECT_NE(absent.error.find("/no/such/libcuda.so.1"), std::string::npos) << absent.error;
  EXPECT_NE(absent.error.find("NVIDIA's driver"), std::string::npos) << absent.error;
  const Library other = open_library({"/no/such/libcuda.so.1", "libm.so.6"});
  EXPECT_NE(other.error.find("libm.so.6 has no function cu"), std::string::npos) << other.error;
  EXPECT_EQ(other.handle, nullptr);
}

TEST(CudaLibrary, AStubIsNoDriver) {
  for (const char* folder : {"/usr/local/cuda/lib64/stubs", "/usr/local/cuda/lib/stubs"}) {
    const std::string file = std::string(folder) + "/libcuda.so";
    if (!std::filesystem::exists(file)) continue;
    const Library stub = open_library({file});
    EXPECT_NE(stub.error.find("stub"), std::string::npos) << stub.error;
    EXPECT_EQ(stub.handle, nullptr);
    return;
  }
  GTEST_SKIP() << "no toolkit";
}

TEST(CudaLibrary, VersionsAreReadable) {
  EXPECT_EQ(version_text(12040), "12.4");
  EXPECT_EQ(version_text(13000), "13.0");
}

// -- NVRTC ----------------------------------------------------------------------------------------

TEST(Nvrtc, CodeIsForTheDeviceOrTheNewestBeforeIt) {
  Nvrtc compiler;
  compiler.archs = {75, 80, 90};
  EXPECT_EQ(code_target(compiler, 80).arch, 80);
  EXPECT_FALSE(code_target(compiler, 80).is_ptx);
  EXPECT_EQ(code_target(compiler, 89).arch, 80);
  EXPECT_TRUE(code_target(compiler, 89).is_ptx);
  EXPECT_EQ(code_target(compiler, 120).arch, 90);
  EXPECT_TRUE(code_target(compiler, 120).is_ptx);
  EXPECT_THROW(code_target(compiler, 70), TargetError);
}

TEST(Nvrtc, OptionsKeepArithmeticAsItIsWritten) {
  const auto has = [](const std::vector<std::string>& options, const char* option) {
    return std::ranges::find(options, option) != options.end();
  };
  const auto exact = compiler_options({90, false}, {});
  for (const char* option : {"--gpu-architecture=sm_90", "--fmad=false", "--prec-div=true",
                             "--prec-sqrt=true", "--ftz=false"})
    EXPECT_TRUE(has(exact, option)) << option;
  EXPECT_TRUE(has(compiler_options({90, true}, {}), "--gpu-architecture=compute_90"));
  EXPECT_TRUE(has(compiler_options({90, false}, {.contract = true}), "--fmad=true"));
  EXPECT_TRUE(has(compiler_options({90, false}, {.fast_math = true}), "--use_fast_math"));
}

TEST(Nvrtc, SaysWhatIsWrongWithAFile) {
  const Nvrtc other = open_nvrtc({"/no/such/libnvrtc.so", "libm.so.6"});
  for (const char* part : {"/no/such/libnvrtc.so", "libm.so.6 has no function nvrtcVersion"})
    EXPECT_NE(other.error.find(part), std::string::npos) << other.error;
}

// Consists of our own functions: accepts the options of old versions, and one option fails for
// another reason.
Nvrtc old_nvrtc() {
  Nvrtc old;
  old.nvrtcCreateProgram = [](nvrtcProgram*, const char*, const char*, int, const char* const*,
                              const char* const*) { return nvrtcResult{0}; };
  old.nvrtcDestroyProgram = [](nvrtcProgram*) { return nvrtcResult{0}; };
  old.nvrtcCompileProgram = [](nvrtcProgram, int count, const char* const* options) {
    for (int i = 0; i < count; ++i) {
      if (std::string_view(options[i]) == "-minimal") return nvrtcResult{5};
      if (std::string_view(options[i]) == "--fmad=true") return nvrtcResult{5};
    }
    return nvrtcResult{0};
  };
  old.nvrtcGetProgramLogSize = [](nvrtcProgram, std::size_t* size) {
    *size = 0;
    return nvrtcResult{0};
  };
  old.nvrtcGetCUBINSize = [](nvrtcProgram, std::size_t* size) {
    *size = 3;
    return nvrtcResult{0};
  };
  old.nvrtcGetCUBIN = [](nvrtcProgram, char*) { return nvrtcResult{0}; };
  return old;
}

TEST(Nvrtc, OlderOnesAreAskedWithoutNewOptions) {
  const Nvrtc old = old_nvrtc();
  EXPECT_EQ(compile(old, "text", {90, false}, {}).size(), 3U);
  EXPECT_THROW(compile(old, "text", {90, false}, {.contract = true}), InternalError);
}

class RealNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    compiler = nvrtc(&why);
    if (!compiler) GTEST_SKIP() << why;
  }
  const Nvrtc* compiler = nullptr;
};

TEST_F(RealNvrtc, MakesMachineCodeOrText) {
  const std::string text = "extern \"C\" __global__ void f(float* x) { *x += 1; }";
  const int newest = compiler->archs.back();
  const auto cubin = compile(*compiler, text, {newest, false}, {});
  ASSERT_GT(cubin.size(), 4U);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(cubin.data()) + 1, 3), "ELF");
  const auto ptx = compile(*compiler, text, {newest, true}, {});
  ASSERT_FALSE(ptx.empty());
  EXPECT_EQ(ptx.back(), std::byte{0});
  EXPECT_NE(std::string(reinterpret_cast<const char*>(ptx.data())).find(".visible .entry f"),
            std::string::npos);
}

// conformance_nvrtc compiles the texts of kernels; this text belongs to no kernel.
TEST_F(RealNvrtc, TakesTheSort) {
  for (const c_like::SortProgram& program : c_like::sort_programs(c_like::Dialect::cuda))
    for (const int arch : compiler->archs)
      EXPECT_FALSE(
          compile(*compiler, program.text(c_like::Dialect::cuda), {arch, false}, {}).empty())
          << program.name << ", " << arch;
}

TEST_F(RealNvrtc, ErrorsHaveTheCompilersWordsAndTheText) {
  try {
    static_cast<void>(compile(*compiler, "what is this", {compiler->archs.back(), false}, {}));
    FAIL();
  } catch (const InternalError& error) {
    for (const char* part : {"NVRTC", "hasten.cu(1): error", "what is this"})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace hasten::backends::cuda
