// Kernels: those that run, and the faults that are detected.
#include "tests/fake_cuda/sanitizers.hpp"
#include "tests/fake_cuda/tests/support.hpp"

#include <numeric>

using fake_cuda::test::compile;
using fake_cuda::test::Cuda;

namespace {

// Sums 256 numbers; without one of the barriers, threads read values that others have not written
// yet.
std::string tree(const char* barrier) {
  return std::string(R"(
#define KERNEL extern "C" __global__ void __launch_bounds__(256)
KERNEL sum(const int* __restrict__ in, int* out) {
  __shared__ unsigned part[256];
  const int i = threadIdx.x;
  part[i] = in[blockIdx.x * 256 + i];
  )") + barrier +
         R"(
  for (int step = 128; step > 0; step /= 2) {
    if (i < step) part[i] += part[i + step];
    __syncthreads();
  }
  if (i == 0) out[blockIdx.x] = part[0];
}
)";
}

std::vector<int> up_to(int n) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

class Orders : public Cuda, public testing::WithParamInterface<const char*> {};

TEST_P(Orders, KernelsWithBarriersAreRight) {
  ASSERT_EQ(fake_cuda_order(GetParam()), 1);
  const CUfunction sum = function(load(tree("__syncthreads();")), "sum");
  CUdeviceptr in = buffer(up_to(1024)), out = buffer({0, 0, 0, 0});
  ASSERT_EQ(launch(sum, 4, 256, {&in, &out}), CUDA_SUCCESS);
  EXPECT_EQ(numbers(out, 4), (std::vector<int>{32640, 98176, 163712, 229248}));
}

TEST_P(Orders, MissingBarriersShow) {
  ASSERT_EQ(fake_cuda_order(GetParam()), 1);
  const CUfunction sum = function(load(tree("")), "sum");
  CUdeviceptr in = buffer(up_to(256)), out = buffer({0});
  ASSERT_EQ(launch(sum, 1, 256, {&in, &out}), CUDA_SUCCESS);
  const int result = numbers(out, 1)[0];
  if (std::string(GetParam()) == "reverse")  // the higher half happens to be first
    EXPECT_EQ(result, 32640);
  else
    EXPECT_NE(result, 32640);
}

INSTANTIATE_TEST_SUITE_P(All, Orders, testing::Values("forward", "reverse", "random:7"));

TEST_F(Cuda, DivergentBarriersAreErrors) {
  const CUmodule module = load(R"(
extern "C" __global__ void half(int* out) {
  if (threadIdx.x < 16) __syncthreads();
  out[threadIdx.x] = 1;
}
extern "C" __global__ void two(int* out) {
  if (threadIdx.x < 16) __syncthreads(); else __syncthreads();
  out[threadIdx.x] = 1;
})");
  mistakes_expected = 2;
  for (const char* name : {"half", "two"}) {
    CUdeviceptr out = buffer(up_to(64));
    ASSERT_EQ(launch(function(module, name), 1, 64, {&out}), CUDA_SUCCESS);
    EXPECT_EQ(finish(), CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);  // permanently
    fake_cuda_reset();
  }
}

TEST_F(Cuda, LanesOfWarpsMeet) {
  const CUmodule module = load(R"(
extern "C" __global__ void sums(const int* in, int* out) {
  int x = in[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(0xffffffffu, x, step);
  const unsigned odd = __ballot_sync(0xffffffffu, in[threadIdx.x] & 1);
  if (threadIdx.x % 32 == 0) { out[threadIdx.x / 16] = x; out[threadIdx.x / 16 + 1] = odd; }
}
extern "C" __global__ void wrong(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0);
}
extern "C" __global__ void outside(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffu, 1, 20);
})");
  CUdeviceptr in = buffer(up_to(64)), out = buffer({0, 0, 0, 0});
  for (const char* order : {"forward", "reverse", "random"}) {
    fake_cuda_order(order);
    ASSERT_EQ(launch(function(module, "sums"), 1, 64, {&in, &out}), CUDA_SUCCESS);
    const int odd = static_cast<int>(0xaaaaaaaaU);
    EXPECT_EQ(numbers(out, 4), (std::vector<int>{496, odd, 1520, odd}));
  }
  mistakes_expected = 2;
  for (const char* name : {"wrong", "outside"}) {
    ASSERT_EQ(launch(function(module, name), 1, 32, {&out}), CUDA_SUCCESS);
    EXPECT_EQ(finish(), CUDA_ERROR_LAUNCH_FAILED);
    fake_cuda_reset();
  }
}

#if !FAKE_CUDA_ASAN
TEST_F(Cuda, WritesBesideBuffersAreFound) {
  const CUmodule module = load(R"(
extern "C" __global__ void beyond(int* out) { out[threadIdx.x] = 1; })");
  CUdeviceptr out = buffer({0, 0, 0});
  ASSERT_EQ(launch(function(module, "beyond"), 1, 4, {&out}), CUDA_SUCCESS);
  EXPECT_EQ(finish(), CUDA_ERROR_ILLEGAL_ADDRESS);
  mistakes_expected = 2;  // one by the launch, one when it is freed
}
#else
TEST_F(Cuda, ReadsBesideBuffersAreFound) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fork has no threads for the streams
  const CUmodule module = load(R"(
extern "C" __global__ void beyond(const int* in, int* out) { out[0] = in[3]; })");
  CUdeviceptr in = buffer({0, 0, 0}), out = buffer({0});
  EXPECT_DEATH(launch(function(module, "beyond"), 1, 1, {&in, &out}) || finish(),
               "heap-buffer-overflow");
}
#endif

TEST_F(Cuda, StaleAddressesAreErrors) {
  const CUmodule module = load("extern \"C\" __global__ void one(int* out) { out[0] = 1; }");
  CUdeviceptr gone = 0;
  ASSERT_EQ(cuMemAlloc_v2(&gone, 4), CUDA_SUCCESS);
  ASSERT_EQ(cuMemFree_v2(gone), CUDA_SUCCESS);
  ASSERT_EQ(launch(function(module, "one"), 1, 1, {&gone}), CUDA_SUCCESS);
  EXPECT_EQ(finish(), CUDA_ERROR_ILLEGAL_ADDRESS);
  mistakes_expected = 1;
}

TEST_F(Cuda, RestrictedPointersShareNothing) {
  const CUmodule module = load(R"(
extern "C" __global__ void sum(const int* __restrict__ a, const int* __restrict__ b, int* out) {
  out[0] = a[0] + b[0];
})");
  CUdeviceptr in = buffer({4}), out = buffer({0});
  ASSERT_EQ(launch(function(module, "sum"), 1, 1, {&in, &in, &out}), CUDA_SUCCESS);
  EXPECT_EQ(numbers(out, 1)[0], 8);
  ASSERT_EQ(launch(function(module, "sum"), 1, 1, {&in, &out, &out}), CUDA_SUCCESS);
  EXPECT_EQ(finish(), CUDA_ERROR_LAUNCH_FAILED);
  mistakes_expected = 1;
}

TEST_F(Cuda, TextsThatCudaDoesNotTake) {
  EXPECT_NE(compile("int f( {").result, NVRTC_SUCCESS);
  EXPECT_NE(compile("int f( {").log.find("kernel.cu:1"), std::string::npos);
  const auto big = compile(
      "extern \"C\" __global__ void f(int* p) { __shared__ int s[20000]; s[0] = *p; *p = s[1]; }");
  EXPECT_NE(big.log.find("too much shared data (80000 bytes, 49152 max)"), std::string::npos);
  // There is no atomicAnd of signed numbers of 64 bits.
  EXPECT_NE(compile("extern \"C\" __global__ void f(long long* p) { atomicAnd(p, 1LL); }").result,
            NVRTC_SUCCESS);
  EXPECT_EQ(compile("", {"--no-such-option"}).result, NVRTC_ERROR_INVALID_OPTION);
}

TEST_F(Cuda, ImagesAreForADevice) {
  const char* const text = "extern \"C\" __global__ void one(int* out) { out[0] = 1; }";
  CUmodule module = nullptr;
  const auto load = [&](const std::string& bytes) {
    return cuModuleLoadDataEx(&module, bytes.data(), 0, nullptr, nullptr);
  };
  EXPECT_EQ(load(compile(text, {"-arch=sm_80"}).cubin), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(load(compile(text, {"-arch=compute_100"}).ptx), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_TRUE(compile(text, {"-arch=compute_80"}).cubin.empty());
  EXPECT_EQ(load("nothing of the kind"), CUDA_ERROR_INVALID_PTX);
  ASSERT_EQ(load(compile(text, {"-arch=compute_80"}).ptx), CUDA_SUCCESS);
  CUdeviceptr out = buffer({0});
  ASSERT_EQ(launch(function(module, "one"), 1, 1, {&out}), CUDA_SUCCESS);
  EXPECT_EQ(numbers(out, 1)[0], 1);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
}

TEST_F(Cuda, FunctionsSayWhatTheyUse) {
  const CUfunction sum = function(load(tree("__syncthreads();")), "sum");
  int value = 0;
  ASSERT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, sum), CUDA_SUCCESS);
  EXPECT_GE(value, 1024);
  ASSERT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, sum), CUDA_SUCCESS);
  EXPECT_EQ(value, 256);
  ASSERT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, sum, 256, 0), CUDA_SUCCESS);
  EXPECT_EQ(value, 8);
  CUdeviceptr in = buffer(up_to(512)), out = buffer({0});
  EXPECT_EQ(launch(sum, 1, 512, {&in, &out}), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

}  // namespace
