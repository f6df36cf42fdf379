// Every test leaves the devices as it found them, and states the number of its deliberate mistakes.
#include "tests/fake_cuda/tests/support.hpp"

namespace fake_cuda::test {

Image compile(const std::string& text, std::vector<std::string> options) {
  Image image;
  nvrtcProgram program = nullptr;
  EXPECT_EQ(nvrtcCreateProgram(&program, text.c_str(), "test.cu", 0, nullptr, nullptr), 0);
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  image.result = nvrtcCompileProgram(program, static_cast<int>(arguments.size()), arguments.data());
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  image.log.resize(size);
  nvrtcGetProgramLog(program, image.log.data());
  nvrtcGetCUBINSize(program, &size);
  image.cubin.resize(size);
  nvrtcGetCUBIN(program, image.cubin.data());
  nvrtcGetPTXSize(program, &size);
  image.ptx.resize(size);
  nvrtcGetPTX(program, image.ptx.data());
  EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  return image;
}

void Cuda::SetUp() {
  fake_cuda_reset();
  fake_cuda_order("forward");
  fake_cuda_lazy(0);
  fake_cuda_counts(&before);
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
}

void Cuda::TearDown() {
  fake_cuda_reset();
  fake_cuda_lazy(0);
  cuStreamDestroy_v2(stream);
  for (CUmodule module : modules_) cuModuleUnload(module);
  for (const CUdeviceptr address : buffers_) cuMemFree_v2(address);
  cuCtxPopCurrent_v2(nullptr);
  cuDevicePrimaryCtxRelease_v2(0);
  FakeCudaCounts after = {};
  fake_cuda_counts(&after);
  EXPECT_EQ(after.buffers, before.buffers);
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_EQ(after.modules, before.modules);
  EXPECT_EQ(after.streams, before.streams);
  EXPECT_EQ(after.events, before.events);
  EXPECT_EQ(after.graphs, before.graphs);
  EXPECT_EQ(after.host_buffers, before.host_buffers);
  EXPECT_EQ(after.contexts, before.contexts);
  EXPECT_EQ(after.mistakes, before.mistakes + mistakes_expected);
}

CUmodule Cuda::load(const std::string& text) {
  const Image image = compile(text);
  EXPECT_EQ(image.result, NVRTC_SUCCESS) << image.log;
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadDataEx(&module, image.cubin.data(), 0, nullptr, nullptr), CUDA_SUCCESS);
  modules_.push_back(module);
  return module;
}

CUfunction Cuda::function(CUmodule module, const char* name) {
  CUfunction found = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&found, module, name), CUDA_SUCCESS);
  return found;
}

CUdeviceptr Cuda::buffer(const std::vector<int>& numbers) {
  CUdeviceptr address = 0;
  const std::size_t bytes = numbers.size() * sizeof(int);
  EXPECT_EQ(cuMemAlloc_v2(&address, bytes), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoDAsync_v2(address, numbers.data(), bytes, stream), CUDA_SUCCESS);
  buffers_.push_back(address);
  return address;
}

std::vector<int> Cuda::numbers(CUdeviceptr address, std::size_t count) {
  std::vector<int> result(count);
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(result.data(), address, count * sizeof(int), stream),
            CUDA_SUCCESS);
  return result;
}

CUresult Cuda::launch(CUfunction function, unsigned blocks, unsigned threads,
                      std::vector<void*> arguments) {
  return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments.data(),
                        nullptr);
}

}  // namespace fake_cuda::test
