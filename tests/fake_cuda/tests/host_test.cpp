// The host side: memory, streams, events, graphs, faults.
#include "tests/fake_cuda/tests/support.hpp"

using fake_cuda::test::Cuda;

namespace {

constexpr const char* add_text = R"(
extern "C" __global__ void add(int* out, int n, int by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] += by;
})";

TEST_F(Cuda, BudgetsAreKept) {
  fake_cuda_memory(1000);
  CUdeviceptr first = 0, second = 0;
  EXPECT_EQ(cuMemAlloc_v2(&first, 600), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc_v2(&second, 600), CUDA_ERROR_OUT_OF_MEMORY);
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
  EXPECT_EQ(free, 400U);
  EXPECT_EQ(total, 1000U);
  EXPECT_EQ(cuMemFree_v2(first), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc_v2(&second, 600), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(second), CUDA_SUCCESS);
  fake_cuda_memory(1ULL << 33);
}

TEST_F(Cuda, CopiesStayInsideBuffers) {
  const CUdeviceptr three = buffer({1, 2, 3});
  int four[4] = {};
  EXPECT_EQ(cuMemcpyHtoDAsync_v2(three, four, 16, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(four, three + 4, 12, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(four, three + 4, 8, stream), CUDA_SUCCESS);
  EXPECT_EQ(four[1], 3);
  EXPECT_EQ(cuMemsetD8Async(three, 1, 12, stream), CUDA_SUCCESS);
  EXPECT_EQ(numbers(three, 3)[2], 0x01010101);
  mistakes_expected = 2;
}

// A lazy stream does not run its work before someone waits.
TEST_F(Cuda, WhoDoesNotWaitReadsTooEarly) {
  fake_cuda_lazy(1);
  const CUfunction add = function(load(add_text), "add");
  CUdeviceptr data = buffer({1, 2, 3});
  int n = 3, by = 10;
  ASSERT_EQ(launch(add, 1, 32, {&data, &n, &by}), CUDA_SUCCESS);
  int* pinned = nullptr;
  ASSERT_EQ(cuMemHostAlloc(reinterpret_cast<void**>(&pinned), 12, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(pinned, data, 12, stream), CUDA_SUCCESS);
  EXPECT_NE(pinned[0], 11);
  EXPECT_EQ(finish(), CUDA_SUCCESS);
  EXPECT_EQ(pinned[0], 11);
  EXPECT_EQ(pinned[2], 13);
  EXPECT_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
}

TEST_F(Cuda, EventsOrderStreams) {
  for (const int lazy : {0, 1}) {
    fake_cuda_lazy(lazy);
    const CUfunction add = function(load(add_text), "add");
    CUdeviceptr data = buffer({1, 2, 3});
    int n = 3, by = 10;
    CUevent event = nullptr;
    ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
    CUstream other = nullptr;
    ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(launch(add, 1, 32, {&data, &n, &by}), CUDA_SUCCESS);
      ASSERT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
      ASSERT_EQ(cuStreamWaitEvent(other, event, 0), CUDA_SUCCESS);
      std::swap(stream, other);
    }
    EXPECT_EQ(numbers(data, 3), (std::vector<int>{1001, 1002, 1003}));
    EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
    EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
    float milliseconds = -1;
    EXPECT_EQ(cuEventElapsedTime(&milliseconds, event, event), CUDA_SUCCESS);
    EXPECT_EQ(milliseconds, 0);
    EXPECT_EQ(cuStreamDestroy_v2(other), CUDA_SUCCESS);
    EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
  }
}

// A wait for an event waits for the mark at that time, and not for a later one.
TEST_F(Cuda, EventsAreRecordedAgain) {
  fake_cuda_lazy(1);
  const CUfunction add = function(load(add_text), "add");
  CUdeviceptr data = buffer({1, 2, 3});
  int n = 3, by = 10;
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  CUstream other = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(launch(add, 1, 32, {&data, &n, &by}), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitEvent(other, event, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(event, other), CUDA_SUCCESS);
  EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(numbers(data, 3)[0], 11);
  EXPECT_EQ(cuStreamDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
}

TEST_F(Cuda, GraphsRunAgain) {
  const CUfunction add = function(load(add_text), "add");
  CUdeviceptr data = buffer({1, 2, 3});
  int n = 3, by = 1;
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, 0), CUDA_SUCCESS);
  ASSERT_EQ(launch(add, 1, 32, {&data, &n, &by}), CUDA_SUCCESS);
  by = 10;
  ASSERT_EQ(launch(add, 1, 32, {&data, &n, &by}), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(numbers(data, 3), (std::vector<int>{34, 35, 36}));
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
}

// Nodes without an edge between them run in another order than they were added.
TEST_F(Cuda, GraphsOrderOnlyWhatEdgesOrder) {
  const CUfunction set = function(load(R"(
extern "C" __global__ void set(int* out, int to) { if (threadIdx.x == 0) out[0] = to; })"),
                                  "set");
  for (const bool has_edge : {false, true}) {
    CUdeviceptr data = buffer({0});
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    CUgraphNode first = nullptr, second = nullptr;
    int to = 1;
    void* arguments[] = {&data, &to};
    const CUDA_KERNEL_NODE_PARAMS_v1 node{set, 1, 1, 1, 32, 1, 1, 0, arguments, nullptr};
    ASSERT_EQ(cuGraphAddKernelNode(&first, graph, nullptr, 0, &node), CUDA_SUCCESS);
    to = 2;
    ASSERT_EQ(cuGraphAddKernelNode(&second, graph, &first, has_edge ? 1 : 0, &node), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    EXPECT_EQ(numbers(data, 1)[0], has_edge ? 2 : 1);
    const CUgraphNode twice[] = {first, first};
    EXPECT_EQ(cuGraphAddKernelNode(&second, graph, twice, 2, &node), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  }
}

TEST_F(Cuda, CapturesForbidWaiting) {
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(Cuda, FaultsComeWhenAskedFor) {
  CUdeviceptr address = 0;
  ASSERT_EQ(fake_cuda_fail("alloc", 2, 1), 1);
  EXPECT_EQ(fake_cuda_fail("no such thing", 1, 1), 0);
  ASSERT_EQ(cuMemAlloc_v2(&address, 4), CUDA_SUCCESS);
  CUdeviceptr other = 0;
  EXPECT_EQ(cuMemAlloc_v2(&other, 4), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);

  const CUfunction add = function(load(add_text), "add");
  CUdeviceptr data = buffer({1, 2, 3});
  int n = 3, by = 10;
  fake_cuda_fail("launch", 1, 1);
  EXPECT_EQ(launch(add, 1, 32, {&data, &n, &by}), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(launch(add, 1, 32, {&data, &n, &by}), CUDA_SUCCESS);
  EXPECT_EQ(numbers(data, 3)[0], 11);
  fake_cuda_fail("crash", 1, 1);
  EXPECT_EQ(launch(add, 1, 32, {&data, &n, &by}), CUDA_SUCCESS);
  EXPECT_EQ(finish(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(launch(add, 1, 32, {&data, &n, &by}), CUDA_ERROR_LAUNCH_FAILED);
  fake_cuda_reset();
  fake_cuda_fail("lost", 3, 1);
  EXPECT_EQ(finish(), CUDA_SUCCESS);
  EXPECT_EQ(finish(), CUDA_SUCCESS);
  EXPECT_EQ(finish(), CUDA_ERROR_DEVICE_UNAVAILABLE);
  EXPECT_EQ(finish(), CUDA_ERROR_DEVICE_UNAVAILABLE);
}

TEST_F(Cuda, DevicesAreApart) {
  CUcontext second = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&second, 1), CUDA_SUCCESS);
  const CUfunction add = function(load(add_text), "add");
  CUdeviceptr data = buffer({1, 2, 3});
  int n = 3, by = 10;
  ASSERT_EQ(cuCtxPushCurrent_v2(second), CUDA_SUCCESS);
  EXPECT_EQ(launch(add, 1, 32, {&data, &n, &by}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(1), CUDA_SUCCESS);
  mistakes_expected = 2;
}

}  // namespace
